"""Chat and embeddings in OpenAI's protocol, made of hashes: what a LightRAG server needs to work without a network.

    python model_stand_in.py PORT

Steered while it runs: ``POST /steer {"delay": seconds, "away": true}``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 64


def vector(text: str) -> list[float]:
    """Words and characters, hashed; norm 1."""
    row = [0.0] * DIMENSION
    for word in re.findall(r"[a-z0-9]+|[\u4e00-\u9fff]", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        row[digest[0] % DIMENSION] += 1.0 if digest[1] % 2 else -1.0
    norm = sum(x * x for x in row) ** 0.5
    return [x / norm for x in row] if norm else [1.0] + [0.0] * (DIMENSION - 1)


def reply(messages: list[dict[str, Any]], as_json: bool) -> str:
    """Entities of a text in whichever of the two forms the server asks for, else a sentence."""
    everything = "\n".join(str(m.get("content", "")) for m in messages)
    asked = str(messages[-1].get("content", ""))
    if "high_level_keywords" in everything:
        return json.dumps({"high_level_keywords": ["rules"], "low_level_keywords": ["department"]})
    if "last extraction" in asked:
        return "<|COMPLETE|>"
    if "entity_type" in everything or "<|COMPLETE|>" in everything:
        found = list(dict.fromkeys(re.findall(r"\b[A-Z][a-z]{3,}\b", asked)))[:4] or ["Thing"]
        if as_json or '"relationships"' in everything:
            entities = [{"name": n, "type": "concept", "description": f"{n} is named"} for n in found]
            return json.dumps({"entities": entities, "relationships": []})
        return "\n".join([*(f"entity<|#|>{n}<|#|>concept<|#|>{n} is named" for n in found), "<|COMPLETE|>"])
    return "A sentence."


class Model(ThreadingHTTPServer):
    """``delay``: seconds of each chat call; ``away``: every call fails."""

    daemon_threads = True
    delay, away = 0.0, False


class Handler(BaseHTTPRequestHandler):
    """One call."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Model

    def log_message(self, *args: Any) -> None:
        """Silent."""

    def do_GET(self) -> None:
        """The models there are."""
        self._say(200, {"object": "list", "data": [{"id": "stand-in", "object": "model"}]})

    def do_POST(self) -> None:
        """Chat, embeddings, steering."""
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.path == "/steer":
            self.server.delay, self.server.away = body.get("delay", 0.0), body.get("away", False)
            self._say(200, {})
        elif self.server.away:
            self._say(500, {"error": {"message": "the model is away", "type": "server_error"}})
        elif self.path.endswith("/embeddings"):
            self._say(200, self._embedded(body))
        else:
            time.sleep(self.server.delay)
            self._chat(body)

    def _embedded(self, body: dict[str, Any]) -> dict[str, Any]:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        rows: list[Any] = [vector(str(t)) for t in texts]
        if body.get("encoding_format") == "base64":
            rows = [base64.b64encode(struct.pack(f"<{DIMENSION}f", *row)).decode() for row in rows]
        data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
        return {"object": "list", "model": "stand-in", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    def _chat(self, body: dict[str, Any]) -> None:
        as_json = (body.get("response_format") or {}).get("type") in ("json_object", "json_schema")
        text = reply(body["messages"], as_json)
        facts = {"id": "1", "created": int(time.time()), "model": "stand-in"}
        if not body.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self._say(200, {**facts, "object": "chat.completion", "choices": [choice], "usage": usage})
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for delta, reason in (({"role": "assistant", "content": text}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {**facts, "object": "chat.completion.chunk", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _say(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


if __name__ == "__main__":
    Model(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
