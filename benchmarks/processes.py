"""What processes use, from /proc (Linux only): for the benchmarks that start browsers."""

from __future__ import annotations

import os
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """The process and everything below it, from /proc; empty elsewhere."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        parent = fields_of(stat)[1:2]
        children.setdefault(int(parent[0]) if parent else -1, []).append(int(stat.parent.name))
    found: list[int] = []
    todo = [pid] if children else []
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def fields_of(stat: Path) -> list[str]:
    """Fields of a stat file behind the process's name; empty where it has ended."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def cpu_seconds(pid: int | None) -> float:
    """CPU seconds used so far by a process and those below it; of this one alone for itself."""
    if pid is None:
        return 0.0
    if pid == os.getpid():
        return time.process_time()
    used = (fields_of(Path(f"/proc/{entry}/stat"))[11:13] for entry in descendants(pid))
    return sum(int(ticks) for fields in used for ticks in fields) / TICK


def memory_mib(pid: int | None) -> float:
    """Memory that a process and those below it have to themselves: no files, which other browsers share."""
    total = 0
    for entry in descendants(pid or -1):
        try:
            lines = Path(f"/proc/{entry}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))
    return total / 1024
