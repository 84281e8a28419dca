"""A container image and a compose file."""

from __future__ import annotations

import json
import ntpath
import os
import re
import shlex

from .facts import Facts, File, Plan

DATA = "/data"

DOCKERFILE = """\
# Built from the folder with indexer's pyproject.toml.
FROM python:3.12-slim
COPY . /opt/indexer
RUN pip install --no-cache-dir /opt/indexer \\
 && useradd --create-home --uid 1000 indexer \\
 && mkdir -p /data/metadata /data/vectorstore /data/knowledge_base \\
 && chown -R indexer /data
USER indexer
WORKDIR /data
ENV INDEXER_HOME=/data
VOLUME ["/data/metadata", "/data/vectorstore"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=15s --start-period=300s --retries=3 \\
  CMD ["indexer", "status", "--health", "--quiet"]
ENTRYPOINT ["indexer"]
CMD ["run"]
"""

COMPOSE = """\
services:
  {name}:
    image: indexer
    restart: unless-stopped
    init: true
    stop_grace_period: 30s
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: [no-new-privileges:true]
    environment:
{environment}
    volumes:
      - metadata:/data/metadata
      - vectorstore:/data/vectorstore
{binds}
volumes:
  metadata:
  vectorstore:
"""


def plan(facts: Facts) -> Plan:
    """Two files beside indexer.toml; nothing is started."""
    here = ntpath if facts.home[1:2] == ":" else os.path
    files = (
        File(here.join(facts.home, "Dockerfile"), DOCKERFILE),
        File(here.join(facts.home, "compose.yaml"), compose(facts)),
    )
    build = f"docker build --tag indexer --file {shlex.quote(files[0].path)} FOLDER-WITH-PYPROJECT"
    return Plan(files, notes=(build, f"docker compose --file {shlex.quote(files[1].path)} up --detach"))


def compose(facts: Facts) -> str:
    """The state in volumes (SQLite wants a local disk), the documents read-only from this machine."""
    binds = [
        (facts.home + ("\\" if facts.home[1:2] == ":" else "/") + "indexer.toml", f"{DATA}/indexer.toml"),
        *((path, _inside(facts, path)) for path in facts.sources),
    ]
    zone = facts.schedule.time_zone or "Etc/UTC"
    environment = {"TZ": zone, **({"INDEXER_LANG": facts.language} if facts.language else {})}
    return COMPOSE.format(
        name=facts.name,
        environment="\n".join(f"      {name}: {_scalar(value)}" for name, value in environment.items()),
        binds="\n".join(line for source, target in binds for line in _bind(source, target)),
    )


def _inside(facts: Facts, path: str) -> str:
    """Where a source is in the container: where indexer.toml of this home says, as far as that is relative."""
    home, plain = (p.replace("\\", "/").rstrip("/") for p in (facts.home, path))
    if plain.startswith(home + "/"):
        return DATA + plain[len(home) :]
    return plain if not re.match(r"[A-Za-z]:", plain) else f"{DATA}/{plain.rpartition('/')[2]}"


def _bind(source: str, target: str) -> list[str]:
    return [
        "      - type: bind",
        f"        source: {_scalar(source)}",
        f"        target: {_scalar(target)}",
        "        read_only: true",
    ]


def _scalar(text: str) -> str:
    """A text in YAML (JSON is YAML), $ doubled: compose fills in variables."""
    return json.dumps(text.replace("$", "$$"), ensure_ascii=False)
