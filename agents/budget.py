"""What a run may spend on model calls, and what it has spent: limits, prices, and a ledger that survives.

How a run uses it (everything else is done by `recallreach.agents.calls.ModelCalls`, which owns the ledger):

    prices = Prices.load(path) if path else None
    limits = Limits(max_calls=config.max_calls, max_cost=config.max_cost)
    with ModelCalls(folder / "calls.sqlite", replies, limits=limits, prices=prices) as calls:
        agent = calls.govern(make_agent(...))
        ...                      # BudgetSpentError ends the run; the same command goes on with a higher limit
        calls.totals()           # of this run since it was first started, resumed or not

Limits change no result, so a run may be resumed with other values.
"""

from __future__ import annotations

import sqlite3
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from recallreach.agents.errors import CallsFileError
from recallreach.agents.types import Usage
from recallreach.errors import ConfigError, RecallReachError, UnknownNameError

MILLION = 1_000_000


class BudgetSpentError(RecallReachError):
    """The next model call would pass a limit: nothing was sent, and the run can be resumed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend in all, resumes included.

    Attributes:
        max_calls: requests to models, retries included; None for no limit. Replies from the cache are free.
        max_cost: money, in the currency of the price file; None for no limit.
    """

    max_calls: int | None = None
    max_cost: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("max_calls", self.max_calls), ("max_cost", self.max_cost)):
            if value is not None and not value >= 0:
                raise ConfigError(f"{name} is what a run may spend, from 0, got {value}")


class Price(BaseModel):
    """What a model costs.

    Attributes:
        input, output: per million tokens read (text and pictures) and written.
        image: per picture, where a provider charges so.
        hour: per hour of waiting for replies, for a machine of your own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(default=0.0, ge=0)
    output: float = Field(default=0.0, ge=0)
    image: float = Field(default=0.0, ge=0)
    hour: float = Field(default=0.0, ge=0)

    def cost(self, usage: Usage) -> float:
        """The money that `usage` costs; replies from the cache cost nothing."""
        if usage.cached:
            return 0.0
        read = usage.visual_tokens + usage.text_tokens - usage.reply_tokens
        tokens = (self.input * read + self.output * usage.reply_tokens) / MILLION
        return tokens + self.image * usage.images + self.hour * usage.seconds / 3600


class _PriceFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    currency: str = "USD"
    models: dict[str, Price]


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by the name a server has for a model."""

    models: Mapping[str, Price]
    currency: str = "USD"

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a price file: `currency = "USD"` and a table per model, as `[models."gemini-2.5-flash"]`.

        Raises:
            ConfigError: the file is missing, not TOML, or holds something else than prices.
        """
        try:
            found = _PriceFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise ConfigError(f"price file {path} cannot be read: {error.strerror or error}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError(f"price file {path} is not valid TOML: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise ConfigError(
                f"price file {path}: {place}: {first['msg'].lower()}; it holds a table for each model, "
                '[models."name"] with input, output (per million tokens), image or hour'
            ) from error
        return cls(found.models, found.currency)

    def of(self, model: str) -> Price:
        """The price of a model, by its full name ("openai:gpt-x") or the part after the back-end's name.

        Raises:
            UnknownNameError: the file has no price for it.
        """
        short = model.partition(":")[2] or model
        for name in (model, short):
            if name in self.models:
                return self.models[name]
        hint = f'Add [models."{short}"] to the price file; a free one has input = 0.'
        raise UnknownNameError("price of model", short, self.models, hint)


@dataclass(frozen=True, slots=True)
class Totals:
    """What all calls of a run came to.

    Attributes:
        calls: calls that were answered or failed, replies from the cache included.
        requests: requests sent, retries included.
        cached: calls that the cache answered.
        failed: calls without a usable answer, by kind of error.
        images, visual_tokens, text_tokens, reply_tokens: as in `Usage`, over the calls that were not cached.
        seconds: time waited for models.
        cost: money, or None where no prices are known.
    """

    calls: int = 0
    requests: int = 0
    cached: int = 0
    images: int = 0
    visual_tokens: int = 0
    text_tokens: int = 0
    reply_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    failed: Mapping[str, int] = field(default_factory=dict)


_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY,
    model TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('sent', 'answered', 'cached', 'failed')),
    kind TEXT NOT NULL DEFAULT '',
    requests INTEGER NOT NULL DEFAULT 0,
    images INTEGER NOT NULL DEFAULT 0,
    visual_tokens INTEGER NOT NULL DEFAULT 0,
    text_tokens INTEGER NOT NULL DEFAULT 0,
    reply_tokens INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    cost REAL NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS spent (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    requests INTEGER NOT NULL,
    cost REAL NOT NULL
) STRICT;
INSERT OR IGNORE INTO spent VALUES (1, 0, 0);
"""
_TOTALS = """
SELECT count(*), total(requests), total(state = 'cached'), total(images), total(visual_tokens),
       total(text_tokens), total(reply_tokens), total(seconds), total(cost) FROM calls
"""


class Ledger:
    """All model calls of a run, one row each, in one SQLite file that several processes may share.

    Args:
        path: the file, made if missing.
        limits: what may be spent in all.
        prices: what models cost; needed where money is limited.

    Raises:
        ConfigError: `max_cost` without prices.
        CallsFileError: the file cannot be written or is no ledger.
    """

    def __init__(self, path: Path, limits: Limits | None = None, prices: Prices | None = None) -> None:
        self.path, self.limits, self.prices = path, limits or Limits(), prices
        if self.limits.max_cost is not None and prices is None:
            raise ConfigError("max_cost needs a price file: name one with prices, for instance prices.toml")
        self._lock = threading.Lock()
        self._unwritten: list[tuple[str]] = []
        with self._guard():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=60.0, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_SCHEMA)

    def price(self, model: str) -> Price | None:
        """The model's price, or None where no prices are known.

        Raises:
            UnknownNameError: there is a price file, and it does not know the model.
        """
        return self.prices.of(model) if self.prices else None

    def begin(self, model: str, most: Usage) -> int:
        """Enter a call before its first request is sent.

        Args:
            model: its name.
            most: the most that one request may take; reserved until the call ends.

        Returns:
            The number of the call.

        Raises:
            BudgetSpentError: a limit would be passed; nothing was entered.
        """
        price = self.price(model)
        reserved = price.cost(most) if price else 0.0
        with self._transaction() as db:
            self._allow(1, reserved)
            db.execute("UPDATE spent SET requests = requests + 1, cost = cost + ?", (reserved,))
            row = db.execute(
                "INSERT INTO calls (model, state, requests, cost) VALUES (?, 'sent', 1, ?)", (model, reserved)
            )
            return int(row.lastrowid or 0)

    def again(self, call: int) -> None:
        """Enter a further request of a call.

        Raises:
            BudgetSpentError: `max_calls` would be passed.
        """
        with self._transaction() as db:
            self._allow(1, 0.0)
            db.execute("UPDATE spent SET requests = requests + 1")
            db.execute("UPDATE calls SET requests = requests + 1 WHERE id = ?", (call,))

    def end(self, call: int, usage: Usage, failed: str = "") -> None:
        """Enter what a call came to: its usage, or the kind of error it failed with."""
        with self._transaction() as db:
            model, reserved = db.execute("SELECT model, cost FROM calls WHERE id = ?", (call,)).fetchone()
            price = self.price(model)
            cost = price.cost(usage) if price else 0.0
            db.execute("UPDATE spent SET cost = cost + ?", (cost - reserved,))
            facts = (usage.images, usage.visual_tokens, usage.text_tokens, usage.reply_tokens, usage.seconds)
            state = "failed" if failed else "answered"
            db.execute(
                "UPDATE calls SET state = ?, kind = ?, images = ?, visual_tokens = ?, text_tokens = ?, "
                "reply_tokens = ?, seconds = ?, cost = ? WHERE id = ?",
                (state, failed, *facts, cost, call),
            )

    def cached(self, model: str) -> None:
        """Enter a call that the cache answered; written with the next entry, or when the books are closed."""
        with self._lock:
            self._unwritten.append((model,))

    def totals(self) -> Totals:
        """The sums over all calls so far. A call whose process was killed counts as sent."""
        self._write_cached()
        with self._lock, self._guard():
            counts = self._db.execute(_TOTALS).fetchone()
            failed = dict(
                self._db.execute("SELECT kind, count(*) FROM calls WHERE state = 'failed' GROUP BY kind")
            )
        calls, requests, cached, images, visual, text, reply = (int(number) for number in counts[:7])
        cost = float(counts[8]) if self.prices else None
        spent = (images, visual, text, reply, float(counts[7]), cost)
        return Totals(calls, requests, cached, *spent, failed=failed)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._unwritten:
            self._write_cached()
        self._db.close()

    def _write_cached(self) -> None:
        with self._transaction():
            pass

    def _allow(self, requests: int, cost: float) -> None:
        sent, spent = self._db.execute("SELECT requests, cost FROM spent").fetchone()
        limits = self.limits
        if limits.max_calls is not None and sent + requests > limits.max_calls:
            raise BudgetSpentError(
                f"stopped: {sent} requests were sent and max_calls is {limits.max_calls}. Nothing answered "
                "is lost; run the same command with a higher max_calls to go on."
            )
        if limits.max_cost is not None and spent + cost > limits.max_cost:
            currency = self.prices.currency if self.prices else ""
            raise BudgetSpentError(
                f"stopped: {spent:.2f} {currency} are spent and the next call may cost {cost:.4f}; "
                f"max_cost is {limits.max_cost:g}. Nothing answered is lost; run the same command with a "
                "higher max_cost to go on."
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._guard():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.executemany("INSERT INTO calls (model, state) VALUES (?, 'cached')", self._unwritten)
                yield self._db
            except BaseException:
                self._db.rollback()
                raise
            self._db.commit()
            self._unwritten.clear()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CallsFileError(f"the ledger of model calls {self.path} cannot be used: {error}") from error


def spent_as_json(totals: Totals, currency: str = "") -> dict[str, Any]:
    """Totals as plain JSON values, for a manifest or a report."""
    return {
        "calls": totals.calls,
        "requests": totals.requests,
        "cached": totals.cached,
        "failed": dict(totals.failed),
        "images": totals.images,
        "visual_tokens": totals.visual_tokens,
        "text_tokens": totals.text_tokens,
        "reply_tokens": totals.reply_tokens,
        "seconds": round(totals.seconds, 1),
        "cost": None if totals.cost is None else round(totals.cost, 6),
        "currency": currency if totals.cost is not None else "",
    }
