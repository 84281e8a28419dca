"""What makes the shipped documents: texts in `source/`, written as Word files and PDFs."""
