"""What a run did, told to people: mail, chats, web hooks."""
