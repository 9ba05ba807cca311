"""Kill a study at random moments, resume it, and compare its store with that of an undisturbed run.

Each round starts the study in a process of its own, waits a random time, and kills with signal 9 what the
round is about: the run itself, one of its worker processes, a browser, a worker of Ray, or Ray's own process
on this machine (node), which stops the run. A study that came to its end is compared with the undisturbed
one, in everything but times, and begun anew.

    python tools/faults.py --kills 30 --kinds runner,worker,browser,ray,node --seed 0

It goes on until so many kills have landed, prints one line a round, and ends with status 1 where a store
differs or too few kills have landed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from recallreach.study.config import StudyConfig
from recallreach.study.manifest import FILE, read_manifest
from recallreach.study.reading import Filter, StoreReader

ROUNDS_A_KILL = 5
"""Rounds after which the campaign gives up, for each wanted kill: a study may end before its moment."""
KINDS = ("runner", "worker", "browser", "ray", "node")
MARKS = {
    "worker": "recallreach.study.engines.worker",
    "browser": "chrom",
    "ray": "ray::Workplace",
    "node": "raylet/raylet",
}
STUDY: dict[str, Any] = {
    "chains": 2,
    "sessions": 2,
    "probes": 1,
    "memories": ["no-memory", "caption", "dualmem"],
    "catalog": {
        "categories": ["bookshelf", "chair"],
        "styles": ["modern"],
        "objects": ["ceramic-mug", "plush-teddy", "wool-scarf"],
    },
}
RUN = """
import json, sys
from recallreach.study.config import StudyConfig
from recallreach.study.run import run_study
run_study(StudyConfig.parse(json.loads(sys.argv[1])))
"""


def main() -> int:
    """Run all rounds; 0 where every store that came to its end equals the undisturbed one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=30, help="kills in all")
    parser.add_argument("--kinds", default=",".join(KINDS), help="what is killed, in turn")
    parser.add_argument("--seed", type=int, default=0, help="seed of the moments")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        kinds = arguments.kinds.split(",")
        if unknown := sorted(set(kinds) - set(KINDS)):
            parser.error(f"unknown kind {unknown[0]!r}; known: {', '.join(KINDS)}")
        campaign = Campaign(Path(place), kinds, random.Random(arguments.seed))
        for _ in range(ROUNDS_A_KILL * arguments.kills):
            if sum(campaign.landed.values()) < arguments.kills:
                print(campaign.round(), flush=True)
        campaign.close()
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(campaign.landed.items()))
        print(f"killed: {told}; {campaign.equal} of {campaign.finished} stores equal the undisturbed one")
        enough = sum(campaign.landed.values()) >= arguments.kills
        return 0 if enough and campaign.equal == campaign.finished > 0 else 1


class Campaign:
    """Rounds of kills on one study after the other; a study that is finished is compared and begun anew."""

    def __init__(self, place: Path, kinds: list[str], draws: random.Random) -> None:
        self._place, self._kinds, self._draws = place, kinds, draws
        self.landed: Counter[str] = Counter()
        self.finished = self.equal = self._rounds = 0
        begun = time.monotonic()
        finish(self._config("peace", "runner"))
        self._longest = time.monotonic() - begun
        self._expected = contents(place / "peace")

    def round(self) -> str:
        """Start or resume the study, kill something, and say what happened."""
        kind = self._kinds[self._rounds % len(self._kinds)]
        self._rounds += 1
        moment = self._draws.uniform(0.1, 1.0) * self._longest
        begun = time.monotonic()
        hit = disturb(self._config(self._name, kind), kind, moment, self._draws)
        self.landed[kind] += hit
        if not hit:
            self._longest = min(self._longest, time.monotonic() - begun)
        self._compare()
        told = "killed" if hit else "it had ended"
        return f"round {self._rounds}: {kind} after {moment:.1f} s: {told}"

    def close(self) -> None:
        """Finish what is unfinished and compare it."""
        if (self._place / self._name / FILE).exists():
            finish(self._config(self._name, "runner"))
            self._compare()

    @property
    def _name(self) -> str:
        return f"study-{self.finished}"

    def _compare(self) -> None:
        folder = self._place / self._name
        if (folder / FILE).exists() and read_manifest(folder)["finished_at"] is not None:
            if failed(folder):
                finish(self._config(self._name, "runner"))
            self.equal += contents(folder) == self._expected
            self.finished += 1

    def _config(self, name: str, kind: str) -> StudyConfig:
        """The study on the engine that has what is to be killed; through a browser where one is killed."""
        values = {
            "engine": "ray" if kind in ("ray", "node") else "local",
            "workers": 2,
            "transport": "chromium" if "browser" in self._kinds else "in_process",
        }
        return StudyConfig.parse({"name": name, "out": str(self._place), **STUDY, **values})


def finish(config: StudyConfig) -> None:
    """Run or resume to the end; errors of earlier rounds are asked again."""
    started(config).wait()
    if read_manifest(config.folder)["finished_at"] is None:
        raise SystemExit(f"{config.folder} did not come to its end")


def started(config: StudyConfig) -> subprocess.Popen[bytes]:
    """The study in a process of its own, which leads its own group."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, config.model_dump_json()],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def disturb(config: StudyConfig, kind: str, moment: float, draws: random.Random) -> bool:
    """Start or resume the study and kill once; let it end by itself unless it was the run that was killed."""
    run = started(config)
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(moment)
    while not (victims := targets(run, kind)) and run.poll() is None:
        time.sleep(0.05)
    hit = run.poll() is None
    if hit:
        with contextlib.suppress(ProcessLookupError):
            os.kill(draws.choice(victims), signal.SIGKILL)
    if kind == "runner":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return hit


def targets(run: subprocess.Popen[bytes], kind: str) -> list[int]:
    """The processes of a run that a round of this kind may kill; none before they have started."""
    if kind == "runner":
        return [run.pid]
    return [pid for pid in below(run.pid) if named(pid, MARKS[kind])]


def below(root: int) -> list[int]:
    """All processes that descend from `root`."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found += mine
        waiting += mine
    return found


def named(pid: int, mark: str) -> bool:
    """Whether a process is called so."""
    with contextlib.suppress(OSError):
        return mark.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def failed(folder: Path) -> int:
    """How many units ended in an error, which a resume asks again."""
    with StoreReader(folder / "results.sqlite") as store:
        return store.count(Filter(statuses=("error",)))


def contents(folder: Path) -> dict[str, Any]:
    """Everything in a store but times: units by key, with their events."""
    with StoreReader(folder / "results.sqlite") as store:
        units = {unit.key: dataclasses.replace(unit, seconds=0.0, finished_at="") for unit in store.units()}
        traces = {key: store.trace(key) for key in units}
    for trace in traces.values():
        trace["seconds"] = trace["usage"]["seconds"] = 0.0
    return {key: (unit, traces[key]) for key, unit in units.items()}


if __name__ == "__main__":
    begun = time.monotonic()
    status = main()
    print(f"{time.monotonic() - begun:.0f} s")
    sys.exit(status)
