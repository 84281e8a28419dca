"""Web archives: the page and its frames, decoded as their parts state."""

from __future__ import annotations

from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest

from indexer.core.errors import ParseRefused
from indexer.core.model import State
from indexer.core.tables import ParseLimits
from indexer.parse import mhtml


def archive(*pages: str, charset: str = "utf-8") -> bytes:
    mail = MIMEMultipart("related")
    for page in pages:
        mail.attach(MIMEText(page, "html", charset))
    mail.attach(MIMEText("iVBORw0KGgo", "css"))
    return mail.as_bytes()


@pytest.mark.parametrize("charset", ["utf-8", "gb18030"])
def test_the_page_and_its_frames_are_read(charset: str) -> None:
    """In their order; styles and pictures are out."""
    data = archive("<title>归档</title><h1>归档</h1><p>网页正文</p>", "<p>框架</p>", charset=charset)
    parsed = mhtml.parse(data, ParseLimits())
    assert parsed.text == "归档\n\n网页正文\n\n框架\n\n"
    assert (parsed.title, parsed.state) == ("归档", State.INDEXED)


def test_an_archive_without_a_page_is_said() -> None:
    """No text, or no archive at all."""
    assert mhtml.parse(archive(), ParseLimits()).state is State.NO_TEXT
    with pytest.raises(ParseRefused, match="damaged"):
        mhtml.parse(b"MIME-Version: 1.0\n\nx", ParseLimits())
