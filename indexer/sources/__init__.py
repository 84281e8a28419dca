"""Looking at the folders of documents."""
