"""What asks the service to look: each trigger is given a callable and imports nothing that works on documents."""
