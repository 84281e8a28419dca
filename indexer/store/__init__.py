"""The catalog (truth), the segments (vectors) and the one module that writes files."""
