"""The OpenAPI document is complete, its examples fit, and the service keeps to it whatever is sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from serving import Running

from indexer.web import shapes, shapes_ask, shapes_documents, shapes_state
from indexer.web.app import create_app

EXAMPLES = os.environ.get("INDEXER_TEST_API", "")
"""Of each operation; with them come the systematic cases of every field (`make api`)."""
CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
    "response_headers_conformance", "negative_data_rejection", "unsupported_method", "missing_required_header",
)  # fmt: skip
# a list can be longer than the items allow and larger than a request may be: 413 is a refusal too
CONFIG = """
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
"""


@pytest.fixture(scope="module")
def document(web: Running) -> dict[str, Any]:
    """What GET /api/v1/openapi.json tells."""
    found: dict[str, Any] = web.client.get("/api/v1/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each with its name."""
    for path, ops in document["paths"].items():
        for method, operation in ops.items():
            yield f"{method.upper()} {path}", operation


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    """A name of its own, a sentence, a success and every error that all have."""
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(names) == len(set(names)) > 30
    for name, operation in operations(document):
        assert operation["description"].strip(), name
        assert any(status.startswith("2") for status in operation["responses"]), name
        assert {"400", "403", "413", "421", "422", "429", "500", "503"} <= set(operation["responses"]), name
        assert ("401" in operation["responses"]) == ("security" in operation or "/login" in name), name


def test_every_request_has_an_example(document: dict[str, Any]) -> None:
    """In its JSON body."""
    for name, operation in operations(document):
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            if kind == "application/json":
                schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
                assert schema["examples"], name


def test_examples_are_what_they_are_examples_of() -> None:
    """Each fits its own shape."""
    modules = (shapes, shapes_ask, shapes_documents, shapes_state)
    found = {
        kind for m in modules for kind in vars(m).values() if isinstance(kind, type) and issubclass(kind, BaseModel)
    }
    checked = 0
    for kind in found:
        extra = kind.model_config.get("json_schema_extra")
        for example in extra["examples"] if isinstance(extra, dict) else ():  # type: ignore[union-attr]
            kind.model_validate(example)
            checked += 1
    assert checked > 20


def test_the_document_is_made_of_the_routes(web: Running, document: dict[str, Any]) -> None:
    """What is served is what is told, and nothing is told that is not there."""
    assert create_app(web.site).app.openapi() == document  # type: ignore[attr-defined]


def test_whatever_is_sent(web: Running, document: dict[str, Any], tmp_path: Path) -> None:
    """schemathesis: no internal error, no status, type or shape that is not in the document."""
    told = {**document, "paths": {p: o for p, o in document["paths"].items() if p not in ("/api/v1/events", "/login")}}
    (tmp_path / "openapi.json").write_text(json.dumps(told))
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    words = (
        "run", "openapi.json", "--url", web.served.address, "--checks", ",".join(CHECKS), "--max-examples", EXAMPLES or "2",
        "--phases", "examples,coverage,fuzzing" if EXAMPLES else "examples,fuzzing", "--generation-deterministic", "--request-timeout", "60", "--no-color",
    )  # fmt: skip
    command = [str(Path(sys.executable).with_name("schemathesis")), *words]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1500, check=False)
    assert made.returncode == 0, "\n".join(line[:500] for line in (made.stdout + made.stderr).splitlines()[-200:])
    assert "Tested: " in made.stdout
