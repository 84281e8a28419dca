"""A folder of documents in, an always-right vector index out, at the cost of what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import KnowledgeBase

__version__ = "0.1.0"
__all__ = ["KnowledgeBase", "__version__"]


def __getattr__(name: str) -> Any:
    """Loaded on first use: importing a submodule must not cost the whole product."""
    if name == "KnowledgeBase":
        from .api import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(name)
