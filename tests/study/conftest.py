"""Units by the dozen, and the command in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from recallreach.study import cli
from recallreach.study.store import Unit

PLAIN = Unit(
    key="",
    system="dualmem",
    tree=0,
    chain=0,
    session=0,
    probe="",
    target="aaaaaaaa",
    phrase="red mug",
    first_seen=0,
    last_seen=0,
    reach=0,
    place=0,
    places=12,
    seen=10,
    bank=12,
    status="ok",
    correct=True,
    answer="aaaaaaaa",
    kind="",
    reason="",
    stage="",
    rank=1,
    steps=2,
    actions=('navigate("/product/aaaaaaaa")', "add_to_wishlist"),
    calls=2,
    images=5,
    visual_tokens=1000,
    text_tokens=300,
    reply_tokens=40,
    seconds=0.25,
    finished_at="2026-01-01T00:00:00+00:00",
)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Pictures are cached in a folder of the test session, not in the user's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECALLREACH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def make_unit() -> Callable[..., Unit]:
    """A unit whose key and probe name come from what is given."""

    def make(number: int = 0, **changes: object) -> Unit:
        unit = replace(PLAIN, **changes)  # type: ignore[arg-type]
        if "tree" not in changes:
            unit = replace(unit, tree=unit.chain)
        probe = unit.probe or f"c{unit.chain}-s{unit.session}-{unit.reach}-{number}"
        return replace(unit, probe=probe, key=unit.key or f"{unit.system}/{probe}")

    return make


@pytest.fixture
def recallreach(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """The command in this process; gives exit status, standard output and standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["recallreach", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return int(left.value.code or 0), *capsys.readouterr()

    return call
