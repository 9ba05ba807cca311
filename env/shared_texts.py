"""Texts that reach the parent of Gymnasium's `AsyncVectorEnv` through shared memory.

Gymnasium 1.x reads its own `Text` from shared memory once, before anything was written, so that every text of
every observation would come out as padding. `PageText` hands out a view instead.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory
from numpy.typing import NDArray

_CODE_POINT = np.dtype("<i4")


class PageText(spaces.Text):
    """A `Text` space whose values survive shared memory; in everything else Gymnasium's own."""


class SharedTexts(Sequence[str]):
    """One text per environment, as they are in shared memory now; a deep copy is a tuple of strings.

    Args:
        rows: (environments, 1 + longest text) int32: the length of each text, then its code points.
    """

    def __init__(self, rows: NDArray[np.int32]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        row = self._rows[index]
        codes: bytes = row[1 : 1 + int(row[0])].astype(_CODE_POINT).tobytes()
        return codes.decode("utf-32-le")

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return repr(tuple(self))


@create_shared_memory.register(PageText)
def _create(space: PageText, n: int = 1, ctx: Any = multiprocessing) -> Any:
    return ctx.Array("i", n * (1 + space.max_length))


@write_to_shared_memory.register(PageText)
def _write(space: PageText, index: int, value: str, shared_memory: Any) -> None:
    row = _rows(space, shared_memory)[index]
    codes = np.frombuffer(value.encode("utf-32-le"), _CODE_POINT)
    row[0] = len(codes)
    row[1 : 1 + len(codes)] = codes


@read_from_shared_memory.register(PageText)
def _read(space: PageText, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(_rows(space, shared_memory))


def _rows(space: PageText, shared_memory: Any) -> NDArray[np.int32]:
    return np.frombuffer(shared_memory.get_obj(), np.int32).reshape(-1, 1 + space.max_length)
