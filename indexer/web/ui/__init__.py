"""The Web UI: pages made on the server, small ES modules for what is live; everything shipped, nothing fetched from elsewhere."""
