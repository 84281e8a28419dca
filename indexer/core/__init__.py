"""Values, errors, ports and the pure decisions; imports nothing that touches the world."""
