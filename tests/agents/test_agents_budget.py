from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from recallreach.agents.budget import BudgetSpentError, Ledger, Limits, Price, Prices, spent_as_json
from recallreach.agents.errors import CallsFileError
from recallreach.agents.types import Usage
from recallreach.errors import ConfigError, UnknownNameError

PRICES = Prices({"tiny": Price(input=1.0, output=10.0)}, "EUR")
MOST = Usage(calls=1, text_tokens=300_000, reply_tokens=100_000)
"""At these prices: 0.2 for what is read and 1.0 for the reply."""
TAKEN = Usage(calls=1, images=2, visual_tokens=50_000, text_tokens=60_000, reply_tokens=10_000, seconds=2.0)
"""0.1 for what is read (pictures and text) and 0.1 for the reply."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


def test_what_was_spent_survives_a_new_start(path: Path) -> None:
    first = Ledger(path, prices=PRICES)
    first.end(first.begin("openai:tiny", MOST), TAKEN)
    first.cached("openai:tiny")
    first.end(first.begin("openai:tiny", MOST), Usage(seconds=1.0), failed="refusal")
    first.close()
    again = Ledger(path, prices=PRICES)
    totals = again.totals()
    again.close()
    assert (totals.calls, totals.requests, totals.cached) == (3, 2, 1)
    assert (totals.images, totals.visual_tokens, totals.text_tokens) == (2, 50_000, 60_000)
    assert totals.cost == pytest.approx(0.2)
    assert totals.seconds == pytest.approx(3.0)
    assert totals.failed == {"refusal": 1}
    assert spent_as_json(totals, "EUR")["currency"] == "EUR"
    assert spent_as_json(totals)["failed"] == {"refusal": 1}


def test_calls_are_limited_over_all_processes(path: Path) -> None:
    one, other = (Ledger(path, Limits(max_calls=3)) for _ in range(2))
    call = one.begin("tiny", MOST)
    one.again(call)
    other.begin("tiny", MOST)
    with pytest.raises(BudgetSpentError, match=r"3 requests were sent and max_calls is 3.*higher max_calls"):
        one.begin("tiny", MOST)
    with pytest.raises(BudgetSpentError):
        other.again(call)
    assert one.totals().requests == 3
    one.close()
    other.close()
    higher = Ledger(path, Limits(max_calls=4))
    higher.begin("tiny", MOST)
    higher.close()


def test_money_is_reserved_before_it_is_spent(path: Path) -> None:
    ledger = Ledger(path, Limits(max_cost=1.5), PRICES)
    call = ledger.begin("tiny", MOST)
    with pytest.raises(BudgetSpentError, match=r"1\.20 EUR are spent and the next call may cost 1\.2000"):
        ledger.begin("tiny", MOST)
    ledger.end(call, TAKEN)
    ledger.end(ledger.begin("tiny", MOST), TAKEN)
    with pytest.raises(BudgetSpentError, match=r"max_cost is 1\.5"):
        ledger.begin("tiny", MOST)
    assert ledger.totals().cost == pytest.approx(0.4)
    ledger.close()


def test_a_killed_call_stays_reserved(path: Path) -> None:
    Ledger(path, prices=PRICES).begin("tiny", MOST)
    after = Ledger(path, Limits(max_cost=2.0), PRICES)
    with pytest.raises(BudgetSpentError):
        after.begin("tiny", MOST)
    assert after.totals().requests == 1
    after.close()


def test_prices_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        'currency = "EUR"\n[models."gemini-x"]\ninput = 0.3\noutput = 2.5\n[models.own]\nhour = 3.6\n'
    )
    prices = Prices.load(file)
    assert prices.currency == "EUR"
    assert prices.of("openai:gemini-x") == prices.of("gemini-x") == Price(input=0.3, output=2.5)
    assert prices.of("own").cost(Usage(seconds=10.0)) == pytest.approx(0.01)
    assert prices.of("own").cost(Usage(seconds=10.0, cached=1)) == 0.0
    with pytest.raises(UnknownNameError, match=r"'gemini-y'.*Did you mean 'gemini-x'.*models.\"gemini-y\""):
        prices.of("openai:gemini-y")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[models.a]\ninput = -1\n", "models.a.input"),
        ("[models.a]\nprice = 1\n", "models.a.price"),
        ("[models.a]\ninput = nan\n", "models.a.input"),
        ("models = 3\n", "models"),
        ("= 3", "not valid TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_wrong_price_file_is_named(tmp_path: Path, text: str | None, told: str) -> None:
    file = tmp_path / "prices.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=told) as caught:
        Prices.load(file)
    assert str(file) in str(caught.value)


def test_wrong_limits_and_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="max_calls"):
        Limits(max_calls=-1)
    with pytest.raises(ConfigError, match="max_cost"):
        Limits(max_cost=float("nan"))
    with pytest.raises(ConfigError, match="prices"):
        Ledger(tmp_path / "calls.sqlite", Limits(max_cost=1.0))
    broken = tmp_path / "broken.sqlite"
    broken.write_text("this is no database, and long enough to be taken for one" * 40)
    with pytest.raises(CallsFileError, match=r"broken\.sqlite"):
        Ledger(broken)
    with pytest.raises(CallsFileError):
        Ledger(tmp_path / "nowhere" / "calls.sqlite")


def test_a_write_that_fails_stops_and_changes_nothing(path: Path) -> None:
    ledger = Ledger(path, Limits(max_calls=5))
    ledger.begin("tiny", MOST)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER full BEFORE INSERT ON calls BEGIN SELECT raise(ABORT, 'disk full'); END")
    with pytest.raises(CallsFileError, match="disk full"):
        ledger.begin("tiny", MOST)
    assert ledger.totals().requests == 1
    ledger.close()
