"""Baking many assets in several processes, a few assets to a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from .assets import TOOL, Asset

CHUNK = 6


def run_chunks(assets: Sequence[Asset], jobs: int, threads: int) -> int:
    """Bake ``assets`` in ``jobs`` processes at a time; returns 1 when any failed, else 0."""
    chunks = [
        c for kind in ("cue", "furniture") for c in _chunks([a.slug for a in assets if a.kind == kind], kind)
    ]
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        statuses = list(pool.map(lambda c: _run(c[0], c[1], threads), chunks))
    return 1 if any(statuses) else 0


def _chunks(slugs: list[str], kind: str) -> list[tuple[str, list[str]]]:
    return [(kind, slugs[i : i + CHUNK]) for i in range(0, len(slugs), CHUNK)]


def _run(kind: str, slugs: list[str], threads: int) -> int:
    command = [sys.executable, str(TOOL / "bake.py"), kind, *slugs, "--fresh-only", "--threads", str(threads)]
    status = subprocess.run(command, check=False).returncode
    if status:
        print(f"A process baking {', '.join(slugs)} ended with status {status}.", file=sys.stderr, flush=True)
    return status
