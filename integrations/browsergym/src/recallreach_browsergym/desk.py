"""Where tasks come from: a running shop and its task port, or one that is started on first use."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

PYTHON = "RECALLREACH_PYTHON"
ADDRESS = "RECALLREACH_TASKS"
_SHOP_SIDE = Path(__file__).with_name("shop_side.py")
_SECONDS = 60


class DeskError(RuntimeError):
    """The shop and its tasks cannot be had; says what to do."""


@dataclass(frozen=True)
class Desk:
    """A running shop with its tasks.

    Attributes:
        shop: root of the shop, for instance "http://127.0.0.1:8080".
        tasks: root of the task port.
        token: what the task port asks for.
    """

    shop: str
    tasks: str
    token: str

    @property
    def address(self) -> str:
        """One line of JSON that other processes find in RECALLREACH_TASKS."""
        return json.dumps({"shop": self.shop, "tasks": self.tasks, "token": self.token})

    def listing(self) -> list[dict[str, Any]]:
        """Name, kind ("session" or "probe"), chain, session and budget of every task. Raises DeskError."""
        return list(self._ask("GET", "/tasks"))

    def open(self, task: str) -> dict[str, Any]:
        """Goal and budget of a task. Raises DeskError."""
        return dict(self._ask("GET", f"/tasks/{task}"))

    def grade(self, task: str, url: str, cookies: Mapping[str, str]) -> dict[str, Any]:
        """What the visitor with these cookies, now at `url`, would be graded. Raises DeskError."""
        return dict(self._ask("POST", f"/tasks/{task}/grade", {"url": url, "cookies": dict(cookies)}))

    def _ask(self, method: str, path: str, content: object = None) -> Any:
        connection = HTTPConnection(urlsplit(self.tasks).netloc, timeout=_SECONDS)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(content) if content else None, headers)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, HTTPException) as error:
            raise DeskError(
                f"the task port {self.tasks} does not answer ({error}): is it still running?"
            ) from error
        finally:
            connection.close()
        if answer.status == 404:
            raise DeskError(f"there is no task {path.split('/')[2]!r} there; its list is Desk.listing()")
        if answer.status != 200:
            raise DeskError(f"the task port {self.tasks} answered {answer.status} to {path}")
        return json.loads(body)


def find_desk() -> Desk:
    """The desk that RECALLREACH_TASKS names, else one that is started now and ends with this process.

    Raises:
        DeskError: the address cannot be read, or the shop does not start.
    """
    address = os.environ.get(ADDRESS)
    return parse_address(address) if address else start_desk()


def parse_address(address: str) -> Desk:
    """A desk from `Desk.address`. Raises DeskError."""
    try:
        return Desk(**json.loads(address))
    except (TypeError, ValueError) as error:
        example = '{"shop": "http://127.0.0.1:1", "tasks": "http://127.0.0.1:2", "token": "..."}'
        raise DeskError(f"{ADDRESS} holds {address[:80]!r}; it must look like {example}") from error


@lru_cache(maxsize=1)
def start_desk(options: Sequence[str] = ()) -> Desk:
    """Start shop and tasks in recallreach's own Python; they end with this process.

    Args:
        options: of `shop_side.py`, for instance ("--chains", "2").

    Raises:
        DeskError: there is no such Python, or it reports an error.
    """
    with tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [python(), str(_SHOP_SIDE), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            process.wait()
            complaints.seek(0)
            said = complaints.read().strip().splitlines()[-1:] or ["it said nothing"]
            raise DeskError(f"the shop did not start: {said[0]}")
    atexit.register(_end, process)
    return parse_address(line)


def python() -> str:
    """The Python that has recallreach: RECALLREACH_PYTHON, or the one beside the command `recallreach`.

    Raises:
        DeskError: neither is there.
    """
    named = os.environ.get(PYTHON)
    if named:
        if not os.access(named, os.X_OK):
            raise DeskError(f"{PYTHON}={named!r} is not an executable file")
        return named
    command = shutil.which("recallreach")
    beside = Path(command).resolve().with_name("python") if command else None
    if beside is None or not beside.exists():
        raise DeskError(
            f"set {PYTHON} to the Python that recallreach is installed for, as in .venv/bin/python"
        )
    return str(beside)


def _end(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
