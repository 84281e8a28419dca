"""What a run did, told to people: mail, chats, web hooks (docs/notifications.md).

told      what of a run is new, against what was told before
news      that as a value; words: as English or Chinese sentences
outbox    what waits to be sent; notifier: the listener and the thread that sends
post      one message to one address, through apprise (imported when something is sent)
"""

from __future__ import annotations

from .notifier import FILE, Notifier, label
from .post import Written, send
from .words import Place, test_message

__all__ = ["FILE", "Notifier", "Place", "Written", "label", "send", "test_message"]
