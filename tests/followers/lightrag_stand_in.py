"""A stand-in for a LightRAG server: the statuses, ids and quirks of 1.5.7 and 1.4.16 as seen on running servers, and faults.

It makes the laws fast and every failure reproducible; `test_lightrag_real.py` runs the same scenes against the real ones.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[[str, str], Any]
"""(method, path) to None, "refuse", "drop" (done, but the answer is lost), or (status, body, headers)."""

KEY = "secret"


class Doc:
    """One row of the server."""

    def __init__(self, id_: str, name: str, text: str, track: str, state: str, original: str = "") -> None:
        self.id, self.name, self.text, self.track, self.state, self.original = id_, name, text, track, state, original
        self.left, self.error = 0, ""


class StandIn(ThreadingHTTPServer):
    """``polls``: so many looks at the pipeline a document is in progress; ``broken``: its model is away."""

    daemon_threads = True

    def __init__(self, version: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.version, self.by_name = version, version >= "1.5"
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.RLock()
        self.docs: dict[str, Doc] = {}
        self.key, self.polls, self.deleting, self.asleep, self.broken = KEY, 2, 0, False, False
        self.fault: Fault = lambda method, path: None
        self.seen: Counter[str] = Counter()
        self.taken: Counter[tuple[str, str]] = Counter()
        self._n = 0

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""

    def content(self) -> dict[str, str]:
        """Name to text of what is in the graph."""
        return {d.name: d.text for d in self.docs.values() if d.state == "processed"}

    def restart(self) -> None:
        """What was queued lies there, and nobody works on it."""
        with self.lock:
            self.asleep, self.deleting = True, 0

    # ---- what it does ----------------------------------------------------------------

    def busy(self) -> bool:
        """One look at the pipeline; each moves it on."""
        with self.lock:
            self.deleting = max(0, self.deleting - 1)
            if not self.asleep:
                for doc in self.docs.values():
                    if doc.state == "processing":
                        doc.left -= 1
                        if doc.left <= 0:
                            doc.state, doc.error = ("failed", "RetryError") if self.broken else ("processed", "")
            working = any(d.state == "processing" for d in self.docs.values()) and not self.asleep
            return working or self.deleting > 0

    def insert(self, name: str, text: str) -> tuple[int, dict[str, Any]]:
        """POST /documents/text."""
        if not text.strip():
            return 422, {"detail": "Text is empty"}
        with self.lock:
            if self.deleting and self.by_name:
                return 409, {"detail": "Pipeline is clearing or deleting documents"}
            self._n += 1
            track = f"insert_{self._n}"
            digest = hashlib.md5(text.strip().encode(), usedforsecurity=False).hexdigest()
            if self.by_name:
                return self._insert_by_name(name, text, track)
            same_name = next((d for d in self.docs.values() if d.name == name), None)
            same = same_name or self.docs.get(f"doc-{digest}")
            if same is not None:
                return 200, {"status": "duplicated", "message": "exists", "track_id": same.track}
            self._put(Doc(f"doc-{digest}", name, text, track, "processing"))
            return 200, {"status": "success", "message": "", "track_id": track}

    def _insert_by_name(self, name: str, text: str, track: str) -> tuple[int, dict[str, Any]]:
        name = name.rpartition("/")[2]
        if any(d.name == name for d in self.docs.values()):
            return 409, {"detail": f"Document storage already contains '{name}' (Status: processed). Delete the existing record before re-inserting."}  # fmt: skip
        same = next((d for d in self.docs.values() if d.text.strip() == text.strip() and not d.original), None)
        mark = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
        if same is not None:
            self._put(Doc(f"dup-{mark}", name, text, track, "failed", same.id))
        else:
            self._put(Doc(f"doc-{mark}", name, text, track, "processing"))
        return 200, {"status": "success", "message": "", "track_id": track}

    def _put(self, doc: Doc) -> None:
        doc.left = self.polls
        self.docs[doc.id] = doc
        self.asleep = False
        self.taken[(doc.name, doc.text)] += 1

    def delete(self, ids: list[str]) -> dict[str, Any]:
        """DELETE /documents/delete_document."""
        with self.lock:
            working = any(d.state == "processing" for d in self.docs.values()) and not self.asleep
            if working or self.deleting:
                return {"status": "busy", "message": "Cannot delete documents while pipeline is busy"}
            for id_ in ids:
                self.docs.pop(id_, None)
            self.deleting = 2
            return {"status": "deletion_started", "message": ""}

    def reprocess(self) -> None:
        """POST /documents/reprocess_failed."""
        with self.lock:
            self.asleep = False
            for doc in self.docs.values():
                if doc.state == "failed" and not doc.original:
                    doc.state, doc.left = "processing", self.polls

    def listed(self, track: str = "") -> list[dict[str, Any]]:
        """Rows as the server shows them."""
        with self.lock:
            return [
                {
                    "id": d.id, "file_path": d.name, "status": d.state, "content_length": len(d.text),
                    "error_msg": d.error, "track_id": d.track,
                    "metadata": {"is_duplicate": True, "original_doc_id": d.original} if d.original else {},
                }
                for d in sorted(self.docs.values(), key=lambda d: d.id)
                if not track or d.track == track
            ]  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: StandIn

    def do_GET(self) -> None:
        """Health, pipeline, track."""
        self._serve()

    do_POST = do_DELETE = do_GET

    def log_message(self, *args: Any) -> None:
        """Silent."""

    def _serve(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length)
        self.server.seen[f"{self.command} {self.path}"] += 1
        fault = self.server.fault(self.command, self.path)
        if fault == "refuse":
            self.close_connection = True
            return
        if isinstance(fault, tuple):
            self._say(*fault)
            return
        answer = self._answer(body)
        if fault == "drop":
            self.close_connection = True
            return
        self._say(*answer)

    def _answer(self, body: bytes) -> tuple[int, Any]:
        server, path = self.server, self.path
        if path == "/health":
            return 200, {"status": "healthy", "core_version": server.version, "api_version": "0344"}
        if self.headers.get("x-api-key") != server.key:
            return 403, {"detail": "Invalid API Key" if self.headers.get("x-api-key") else "API Key required"}
        if path == "/documents/pipeline_status":
            return 200, {"busy": server.busy()}
        if path.startswith("/documents/track_status/"):
            return 200, {"documents": server.listed(path.rpartition("/")[2])}
        if path == "/documents/upload":
            name, data = _file(self.headers["content-type"], body)
            return server.insert(name, data.decode("utf-8", "replace"))
        given = json.loads(body or b"{}")
        if path == "/documents/text":
            return server.insert(given["file_source"], given["text"])
        if path == "/documents/paginated":
            return self._page(given)
        if path == "/documents/delete_document":
            return 200, server.delete(given["doc_ids"])
        if path == "/documents/reprocess_failed":
            server.reprocess()
            return 200, {"status": "reprocessing_started"}
        return 404, {"detail": "Not Found"}

    def _page(self, given: dict[str, Any]) -> tuple[int, Any]:
        rows, size, page = self.server.listed(), given["page_size"], given["page"]
        part = rows[(page - 1) * size : page * size]
        return 200, {"documents": part, "pagination": {"has_next": page * size < len(rows)}}

    def _say(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(data)), **(headers or {})}.items():  # fmt: skip
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def _file(content_type: str, body: bytes) -> tuple[str, bytes]:
    message = BytesParser(policy=HTTP).parsebytes(b"content-type: " + content_type.encode() + b"\r\n\r\n" + body)
    [part] = message.iter_parts()
    return part.get_filename() or "", part.get_payload(decode=True)


@contextmanager
def served(version: str) -> Iterator[StandIn]:
    """The server, in a thread."""
    server = StandIn(version)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
