"""`products.csv`: one row a product, checked cell by cell."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from recallreach.errors import DataError, close_matches
from recallreach.storefront.data import COLORS
from recallreach.storefront.importers.sources import read_bytes

REQUIRED = ("picture", "title", "category")
OPTIONAL = ("id", "collection", "price", "description", "license", "source", "cue_object", "cue_color")
MOST_CELL = 4000
MOST_PRICE = 10_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """One product as the table tells it.

    Attributes:
        where: file and row, for messages.
        picture: path below the folder.
        title, category, collection, description, license, source: as written; "" where empty.
        id: the user's own key; never shown by the shop.
        price_cents: None where the table has none.
        cue: slug and colour of the cue asked for; None lets it be drawn.
    """

    where: str
    picture: str
    title: str
    category: str
    collection: str
    description: str
    license: str
    source: str
    id: str
    price_cents: int | None
    cue: tuple[str, str] | None


def read_table(path: Path, cue_names: Mapping[str, str]) -> list[Row]:
    """Read and check the table.

    Args:
        path: a UTF-8 CSV file with a header.
        cue_names: slug and name of every cue object there is art for.

    Raises:
        DataError: names file, row and column of what is wrong.
    """
    rows = [_row(where, cells, cue_names) for where, cells in _cells(path)]
    if not rows:
        raise DataError(f"{path} has a header and no products")
    _distinct(rows, "picture", lambda row: row.picture)
    _distinct(rows, "id", lambda row: row.id)
    _distinct(rows, "cue", lambda row: " ".join(reversed(row.cue)) if row.cue else "")
    return rows


def _cells(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        header = [name.strip().casefold() for name in next(reader, [])]
        _check_header(path, header)
        for cells in reader:
            where = f"{path}, row {reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise DataError(f"{where}: has {len(cells)} cells, the header has {len(header)} columns")
            yield where, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    except csv.Error as error:
        raise DataError(f"{path}, row {reader.line_num}: is not valid CSV: {error}") from error


def _text(path: Path) -> str:
    data = read_bytes(path, "the table of products")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path}, row {row}: is not UTF-8 text (byte 0x{data[error.start]:02x}); "
            "save the table as UTF-8 CSV"
        ) from error


def _check_header(path: Path, header: list[str]) -> None:
    known = (*REQUIRED, *OPTIONAL)
    for name in header:
        if name not in known:
            near = close_matches(name, known)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
            raise DataError(f"{path}, row 1: unknown column {name!r}; {hint}")
        if header.count(name) > 1:
            raise DataError(f"{path}, row 1: the column {name!r} is there twice")
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        raise DataError(
            f"{path}, row 1: lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        )
    if ("cue_object" in header) != ("cue_color" in header):
        raise DataError(f"{path}, row 1: cue_object and cue_color come together or not at all")


def _row(where: str, cells: Mapping[str, str], cue_names: Mapping[str, str]) -> Row:
    for name, cell in cells.items():
        if len(cell) > MOST_CELL:
            raise DataError(f"{where}: {name} has {len(cell):,} letters; at most {MOST_CELL:,} are taken")
        if name in REQUIRED and not cell:
            raise DataError(f"{where}: {name} is empty")
    return Row(
        where=where,
        picture=cells["picture"],
        title=cells["title"],
        category=cells["category"],
        collection=cells.get("collection", ""),
        description=cells.get("description", ""),
        license=cells.get("license", ""),
        source=cells.get("source", ""),
        id=cells.get("id", ""),
        price_cents=_price(where, cells.get("price", "")),
        cue=_cue(where, cells.get("cue_object", ""), cells.get("cue_color", ""), cue_names),
    )


def _price(where: str, cell: str) -> int | None:
    if not cell:
        return None
    digits = re.sub(r"[,$€£\s]", "", cell)
    try:
        price = float(digits)
    except ValueError:
        raise DataError(f"{where}: price {cell!r} is no number; write it like 249.00") from None
    if not math.isfinite(price) or not 0 <= price <= MOST_PRICE:
        raise DataError(f"{where}: price {cell!r} must lie between 0 and {MOST_PRICE:,}")
    return round(100 * price)


def _cue(where: str, name: str, color: str, cue_names: Mapping[str, str]) -> tuple[str, str] | None:
    if not name and not color:
        return None
    if not (name and color):
        raise DataError(f"{where}: cue_object and cue_color are both needed, or neither")
    slugs = {written.casefold(): slug for slug, said in cue_names.items() for written in (slug, said)}
    if name.casefold() not in slugs:
        raise DataError(f"{where}: unknown cue object {name!r}{_near(name, slugs)}")
    if color.casefold() not in COLORS:
        raise DataError(f"{where}: unknown cue colour {color!r}; known are {', '.join(COLORS)}")
    return slugs[name.casefold()], color.casefold()


def _near(name: str, known: Mapping[str, str]) -> str:
    near = close_matches(name, known)
    return f"; did you mean {near[0]!r}?" if near else "; `recallreach catalog show` lists cues"


def _distinct(rows: list[Row], kind: str, key: object) -> None:
    assert callable(key)
    first: dict[str, str] = {}
    for row in rows:
        value = key(row)
        if value and value in first:
            raise DataError(
                f"{row.where}: the {kind} {value!r} is in {first[value].rpartition(', ')[2]} already"
            )
        first[value] = row.where
