"""The files behind the documents: put in, taken out, fetched."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from ...core.model import Ask, Key, Message, display
from ...core.tables import Source
from ...sources import receiving
from ..asking import DocumentId, asked_by, key_in
from ..document import problems
from ..problems import NotFound
from ..shapes import Requested
from ..shapes_documents import Uploaded
from ..site import Site
from ..uploading import Upload, disk_problem, look_at, told

_PIECE = 256 * 1024
_FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "source": {"type": "string", "description": "the name of a source; default: the first"},
        "folder": {"type": "string", "description": "a folder below it, made if need be"},
        "replace": {"type": "boolean", "default": False, "description": "whether it may take the place of a file"},
        "file": {"type": "string", "format": "binary", "description": "the file; it comes last"},
    },
}
_BODY = {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}}


def router(site: Site) -> APIRouter:
    """The routes."""
    routes = APIRouter(prefix="/api/v1/documents", tags=["documents"])

    @routes.post(
        "", operation_id="upload", status_code=202, response_model=Uploaded, openapi_extra=_BODY,
        responses=problems(409, 415, 507),
    )  # fmt: skip
    async def upload(request: Request) -> dict[str, Any]:
        """Put a file into a source; it becomes searchable at once, also while an update is at work.

        The fields come before the file: they say where it goes.
        """
        stored = await Upload(site).read(request.stream(), request.headers.get("content-type", ""))
        return await to_thread.run_sync(told, site, stored, asked_by(request, Ask("web")))

    @routes.delete(
        "/{document}",
        operation_id="delete_document",
        status_code=202,
        response_model=Requested,
        responses=problems(409),
    )
    def delete(document: DocumentId, request: Request) -> dict[str, str]:
        """Take its file out of the source; searches no longer find it once the request is done."""
        key = key_in(document)
        try:
            receiving.remove(_source(site, key), key.path)
        except (FileNotFoundError, NotADirectoryError):
            if not _held(site, key):
                raise _absent(key) from None
        except OSError as e:
            raise disk_problem(e) from e
        return {"request": look_at(site, key, asked_by(request, Ask("web", released=(key,))))}

    @routes.get(
        "/{document}/download", operation_id="download", response_class=StreamingResponse,
        responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
    )  # fmt: skip
    def download(document: DocumentId) -> StreamingResponse:
        """The file as it lies in the source now."""
        key = key_in(document)
        try:
            fd = receiving.reading(_source(site, key), key.path)
        except (FileNotFoundError, NotADirectoryError):
            raise _absent(key) from None
        except OSError as e:
            raise disk_problem(e) from e
        name = key.path.rpartition("/")[2].encode("utf-8", "replace").decode()
        headers = {
            "content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
            "content-length": str(os.fstat(fd).st_size),
        }
        return StreamingResponse(_Pieces(fd), media_type="application/octet-stream", headers=headers)

    return routes


class _Pieces:
    """A file piece by piece; closed when its reader is done or gone."""

    def __init__(self, fd: int) -> None:
        self._file = open(fd, "rb")  # noqa: SIM115 - closed where it ends
        self._left = os.fstat(fd).st_size

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        try:
            while self._left and (data := await to_thread.run_sync(self._file.read, min(_PIECE, self._left))):
                self._left -= len(data)
                yield data
        finally:
            self._file.close()


def _source(site: Site, key: Key) -> Source:
    for source in site.settings.sources:
        if source.name == key.source:
            return source
    raise _absent(key)


def _absent(key: Key) -> NotFound:
    return NotFound(Message("There is no file {path} in the folder.", {"path": display(str(key))}))


def _held(site: Site, key: Key) -> bool:
    """Whether the file is gone already and only its deletion waits."""
    from ..facts.documents import one

    if site.kb.layout.served() is None:
        return False
    with site.catalog() as catalog:
        try:
            return bool(one(catalog, key, "en", writable=False)["held"])
        except NotFound:
            return False
