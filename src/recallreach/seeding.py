"""One tree of random streams: every draw is named by its purpose, so adding one never shifts another."""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, *purpose: str | int) -> np.random.Generator:
    """The random generator of one named purpose.

    Args:
        seed: the study's or the catalogue's seed, a non-negative integer.
        purpose: the path in the tree, for instance `("chain", 3, "session", 0, "budget")`.

    Returns:
        A PCG64 generator that depends on `seed` and `purpose` only.
    """
    path = "/".join(f"{type(part).__name__}:{part}" for part in purpose)
    digest = hashlib.sha256(path.encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))
