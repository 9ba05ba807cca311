"""The pictures of a run: where a delivered or chosen one is kept, and how it is found again."""

from __future__ import annotations

from collections.abc import Iterable

from recallreach.env.trajectory import PictureStore
from recallreach.files import sha256
from recallreach.study.reading import StoreReader


class Kept:
    """Tells which pictures of a probe are to be written with it: those that no earlier one brought.

    Args:
        recorded: pictures of the recorded sessions, which are not kept twice.
        known: SHA-256 of the pictures that the result store holds.
    """

    def __init__(self, recorded: PictureStore, known: Iterable[str] = ()) -> None:
        self._recorded, self._known = recorded, set(known)

    def new(self, pictures: Iterable[bytes]) -> dict[str, bytes]:
        """The pictures that are kept nowhere yet, by their SHA-256; from now on they count as kept."""
        by_digest = {sha256(picture): picture for picture in pictures}
        found = {
            digest: picture
            for digest, picture in by_digest.items()
            if digest not in self._known and digest not in self._recorded
        }
        self._known.update(found)
        return found


class RunPictures:
    """Every picture of a run by its SHA-256, as it was seen, delivered or chosen."""

    def __init__(self, store: StoreReader, recorded: PictureStore) -> None:
        self._store, self._recorded = store, recorded

    def get(self, digest: str) -> bytes | None:
        """Encoded bytes, or None where the run holds no such picture.

        Raises:
            DataError: the picture is damaged.
        """
        if digest in self._recorded:
            return self._recorded.get(digest)
        return self._store.picture(digest)
