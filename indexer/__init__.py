"""A folder of documents in, an always-right vector index out, at the cost of what changed."""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself costs more than a no-change run may spend on it
if TYPE_CHECKING:
    from .api import KnowledgeBase

__version__ = "0.1.0"
__all__ = ["KnowledgeBase", "__version__"]


def __getattr__(name: str) -> object:
    """Loaded on first use: importing a submodule must not cost the whole product."""
    if name == "KnowledgeBase":
        from .api import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(name)
