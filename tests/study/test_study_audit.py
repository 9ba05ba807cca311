"""The audit as a whole: agents without eyes, Chromium's channels, ranks by meaning, exit status and files."""

from __future__ import annotations

import dataclasses
import json

import pytest
from flask import Flask
from typer.testing import CliRunner

from recallreach.errors import ConfigError
from recallreach.memory.encoders.hashed import HashedTextEncoder
from recallreach.storefront.audit.page import render_audit
from recallreach.storefront.audit.reading import Reading
from recallreach.storefront.audit.report import AuditReport
from recallreach.storefront.audit.semantic import rank_channels
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.catalog_synthetic import Plan, draw_catalog
from recallreach.storefront.pictures.art import Art
from recallreach.study.audit.behaviour import behaviours, with_behaviours
from recallreach.study.audit.browser import read_with_browser
from recallreach.study.cli import app as command

PIECES = tuple(
    (category, style) for category in ("chair", "lamp") for style in ("modern", "rustic", "vintage")
)
OBJECTS = ("wool-scarf", "ceramic-mug", "eye-sleep-mask", "tennis-ball", "stapler", "postcard")


def small(seed: int = 0) -> Catalog:
    return draw_catalog(Plan(Art(), seed, PIECES, 6, OBJECTS))


def talkative(catalog: Catalog) -> Catalog:
    """Every title says the cue."""
    pairs = zip(catalog.products, catalog.cues, strict=True)
    told = tuple(dataclasses.replace(product, title=f"One with a {cue.phrase}") for product, cue in pairs)
    return dataclasses.replace(catalog, products=told)


def quiet(name: str, done: int, total: int) -> None:
    """Progress that nobody hears."""


def test_agents_without_eyes_are_at_chance_in_a_clean_shop():
    found = behaviours(small(), 0.01, 0, quiet)
    assert [entry.system for entry in found] == ["no-memory", "text-only"]
    assert all(entry.probes > 50 and entry.errors == 0 for entry in found)
    assert not any(entry.leaks for entry in found)


def test_a_text_only_agent_that_can_read_the_cue_is_found():
    found = {entry.system: entry for entry in behaviours(talkative(small()), 0.01, 0, quiet)}
    assert found["text-only"].leaks
    report = with_behaviours(AuditReport({}, "", 0.01, ("L1",), 0, (), ()), list(found.values()), 1.0)
    assert "agent with text-only" in {finding.channel for finding in report.of("L4")}
    assert report.levels == ("L1", "L4")


def test_ranks_are_uniform_for_noise_and_not_for_texts_that_say_the_cue():
    catalog = small()
    phrases = [cue.phrase for cue in catalog.cues]
    documents = {
        "noise": [product.description for product in catalog],
        "told": [f"{product.description} {phrase}" for product, phrase in zip(catalog, phrases, strict=True)],
    }
    found = {
        entry.channel: entry for entry in rank_channels(HashedTextEncoder(), documents, phrases, 0.001, 0)
    }
    assert found["noise"].p > 0.01
    assert found["told"].p < 0.001
    assert found["told"].top > 0.5


SHOP_PAGES = 3
PAGE = """<!doctype html><html><head><title>Shop</title><style>h1::after { content: 'mug' }</style></head>
<body><main><h1>Shop</h1><div role="img" aria-label="a stapler"></div>
<script>localStorage.setItem('k', 'a scarf')</script></main></body></html>"""


@pytest.mark.browser
def test_chromium_shows_generated_content_storage_and_the_accessibility_tree():
    catalog = small()
    shop = Flask("other shop")
    shop.add_url_rule("/", "home", lambda: PAGE)
    shop.add_url_rule("/<path:anything>", "page", lambda anything: PAGE)
    reading = Reading(tuple(p.id for p in catalog), tuple(p.collection for p in catalog))
    read_with_browser(reading, shop, 2, 0)
    assert any("mug" in text for text in reading.texts["browser: generated content"])
    assert any("scarf" in text for text in reading.texts["browser: local storage"])
    assert any("stapler" in text for text in reading.texts["browser: accessibility tree"])
    assert len(reading.values["browser: accessibility tree"]) == 2


@pytest.mark.browser
def test_our_own_shop_has_nothing_to_tell_in_chromium(tmp_path):
    small().save(tmp_path / "shop.json")
    options = ["audit", "--catalog", str(tmp_path / "shop.json"), "--no-agents", "--encoder", "none"]
    result = CliRunner().invoke(
        command, [*options, "--browser", "--browser-pages", str(SHOP_PAGES), "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 0, result.output
    assert "with Chromium" in result.output


def test_a_leak_is_exit_status_one_and_a_report(tmp_path):
    talkative(small()).save(tmp_path / "shop.json")
    options = ["audit", "--catalog", str(tmp_path / "shop.json"), "--no-agents", "--encoder", "none"]
    result = CliRunner().invoke(command, [*options, "--out", str(tmp_path / "out")])
    assert result.exit_code == 1, result.output
    assert "page title" in result.output
    report = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert not report["clean"]
    assert report["levels"] == ["L1", "L2"]
    page = (tmp_path / "out" / "audit.html").read_text()
    assert "page title" in page
    assert "<script" not in page
    assert "src=" not in page


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--declare", " "], "a declared phrase holds no word"),
        (["--audit-seed", "-1"], "the seed of the audit is -1"),
        (["--alpha", "2"], "alpha is 2.0"),
        (["--out", "taken"], "taken is no folder"),
    ],
)
def test_what_an_audit_cannot_use_is_told_before_it_reads(tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").touch()
    outcome = CliRunner().invoke(command, ["audit", *arguments])
    assert isinstance(outcome.exception, ConfigError)
    assert told in str(outcome.exception)


def test_a_report_without_results_still_renders():
    facts = {"name": "x", "hash": "0" * 64, "products": 1, "objects": 1, "colours": 1}
    assert "clean" in render_audit(AuditReport(facts, "in process", 0.01, ("L1",), 0, (), ()))
