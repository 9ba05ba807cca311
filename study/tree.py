"""The rollout tree: which sessions there are, and which chain of sessions leads to each.

With branching B and depth J a tree has (B^J - 1) / (B - 1) sessions and B^(J-1) root-to-leaf paths, and every
path is a chain of J sessions (DMV-Bench, arXiv 2606.27499). Paths are numbered as chains; a session belongs
to the first path that leads through it, whose number names its random streams. A first child therefore goes
on with its parent's streams and any other child has streams of its own. B = 1 gives plain chains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from recallreach.env.sessions import Branch

Place = tuple[int, int]
"""Chain that a session belongs to, and its number in the chain, both from 0."""


@dataclass(frozen=True, slots=True)
class Forest:
    """All sessions of a study.

    Attributes:
        trees: number of independent trees, at least 1.
        sessions: sessions on each path (depth J), at least 1.
        branching: children of each session but the last ones (B), at least 1.
        first: number of the first tree.
    """

    trees: int
    sessions: int
    branching: int = 1
    first: int = 0

    @property
    def paths_per_tree(self) -> int:
        """B^(J-1)."""
        return int(self.branching ** (self.sessions - 1))

    @property
    def runs_per_tree(self) -> int:
        """(B^J - 1) / (B - 1) sessions, or J without branching."""
        return sum(int(self.branching**depth) for depth in range(self.sessions))

    @property
    def runs(self) -> int:
        """Sessions to carry out."""
        return self.trees * self.runs_per_tree

    @property
    def paths(self) -> int:
        """Root-to-leaf paths."""
        return self.trees * self.paths_per_tree

    @property
    def flat_runs(self) -> int:
        """Sessions that the same paths would take, each run on its own."""
        return self.paths * self.sessions

    @property
    def saved(self) -> int:
        """Sessions that sharing prefixes saves."""
        return self.flat_runs - self.runs

    def places(self) -> Iterator[Place]:
        """Every session once, tree by tree, parents before their children."""
        for tree in range(self.first, self.first + self.trees):
            yield from self.places_of(tree)

    def places_of(self, tree: int) -> Iterator[Place]:
        """The sessions of one tree, by depth."""
        start = tree * self.paths_per_tree
        for depth in range(self.sessions):
            width = self.branching ** (self.sessions - 1 - depth)
            yield from ((start + step * width, depth) for step in range(self.branching**depth))

    def tree_of(self, chain: int) -> int:
        """The tree that a chain belongs to."""
        return chain // self.paths_per_tree

    def path_to(self, place: Place) -> tuple[Place, ...]:
        """The sessions from the root to `place`, both included."""
        chain, session = place
        return tuple((self._leader(chain, depth), depth) for depth in range(session + 1))

    def children(self, place: Place) -> tuple[Place, ...]:
        """The sessions that continue `place`, in order."""
        chain, session = place
        if session + 1 >= self.sessions:
            return ()
        width = self.branching ** (self.sessions - 2 - session)
        return tuple((chain + step * width, session + 1) for step in range(self.branching))

    def branch(self, place: Place) -> Branch | None:
        """Where `place` stands in its tree; None without branching."""
        if self.branching == 1:
            return None
        chain, session = place
        offset = chain % self.paths_per_tree
        digits = tuple(
            offset // self.branching ** (self.sessions - 1 - depth) % self.branching
            for depth in range(1, session + 1)
        )
        return Branch(self.tree_of(chain) * self.paths_per_tree, digits)

    def _leader(self, chain: int, depth: int) -> int:
        """The first path through the session at `depth` on the way of `chain`."""
        return int(chain - chain % self.branching ** (self.sessions - 1 - depth))


def design(forest: Forest) -> str:
    """How many chains of how many sessions, and what a tree of them shares."""
    depth = many(forest.sessions, "session")
    if forest.branching == 1:
        return f"{many(forest.trees, 'chain')} of {depth}"
    return (
        f"{many(forest.trees, 'tree')} of {many(forest.paths_per_tree, 'chain')} of {depth} (branching "
        f"{forest.branching}): {many(forest.runs, 'session')} instead of {forest.flat_runs:,} run flat"
    )


def many(count: int, name: str) -> str:
    """A number and what it counts: "1 chain", "1,000 chains"."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"
