"""The knowledge bases that the tests and docs/service.md make units for."""

from __future__ import annotations

from indexer.core.tables import ScheduleSettings
from indexer.service_units import Facts

EXAMPLE = Facts(
    name="indexer",
    python="/opt/indexer/bin/python",
    home="/srv/documents",
    metadata="/srv/documents/metadata",
    vectorstore="/srv/documents/vectorstore",
    sources=("/srv/documents/knowledge_base",),
    scope="system",
    user="indexer",
    user_home="/home/indexer",
)
"""What docs/service.md shows."""

MAC = EXAMPLE._replace(
    python="/Users/me/indexer/bin/python", home="/Users/me/documents", metadata="/Users/me/documents/metadata",
    user="me", user_home="/Users/me", scope="user",
)  # fmt: skip
WINDOWS = EXAMPLE._replace(
    python="C:\\indexer\\Scripts\\python.exe", home="C:\\Users\\me\\My documents",
    metadata="C:\\Users\\me\\My documents\\metadata", user="OFFICE\\me", scope="user",
)  # fmt: skip

ODD = "/srv/知识 库 100%h $HOME \"q\" b\\s `x` 'y' & <z>;#"
"""A folder with everything in its name that some format takes for its own."""

AWKWARD = EXAMPLE._replace(
    python=ODD + "/py/bin/python", home=ODD, metadata=ODD + "/metadata", vectorstore=ODD + "/vectorstore",
    sources=(ODD + "/knowledge_base", "/mnt/a:b"), schedule=ScheduleSettings(time_zone="Asia/Shanghai"), language="zh",
)  # fmt: skip
