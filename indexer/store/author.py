"""Who writes: the person or service on whose behalf a commit is made, for the record."""

from __future__ import annotations

import os
from typing import NamedTuple


class Author(NamedTuple):
    """``client``: from where (an address, a program); ``trigger``: what set it off."""

    actor: str = ""
    client: str = ""
    trigger: str = ""

    def named(self) -> Author:
        """With the user of this process where nobody is named."""
        return self if self.actor else self._replace(actor=whoami(), client=self.client or _before_sudo())


def whoami() -> str:
    """The user of this process: user@host."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "?")
    try:
        import pwd
    except ImportError:
        return f"{os.environ.get('USERNAME', '?')}@{host}"
    try:
        return f"{pwd.getpwuid(os.getuid()).pw_name}@{host}"
    except KeyError:  # a container's user has often a number only
        return f"uid {os.getuid()}@{host}"


def _before_sudo() -> str:
    """Whose command ``sudo`` ran: many people may share one service account."""
    user = os.environ.get("SUDO_USER", "")
    return f"sudo by {user}" if user else ""
