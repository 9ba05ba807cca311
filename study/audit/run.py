"""One audit from its options to its report."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

from flask import Flask

from recallreach.errors import ConfigError
from recallreach.memory.encoders import text_encoders
from recallreach.storefront.app import create_app
from recallreach.storefront.audit.crawl import crawl
from recallreach.storefront.audit.fetch import HttpFetcher, InProcessFetcher
from recallreach.storefront.audit.levels import ALPHA, Settings, audit_reading
from recallreach.storefront.audit.lexicon import Lexicon
from recallreach.storefront.audit.reading import Reading
from recallreach.storefront.audit.report import AuditReport
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.pictures import Pictures
from recallreach.study.audit.behaviour import behaviours, with_behaviours
from recallreach.study.audit.browser import BROWSED, read_with_browser

Stage = Callable[[str, int, int], None]
"""Told the name of a stage, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Options:
    """What `recallreach audit` was asked for.

    Attributes:
        url: a running shop; "" audits the shop in this process.
        browser: read pages with Chromium, too.
        browsed: product pages that Chromium reads; 0 reads all.
        encoder: name of the sentence encoder of L3, or "none".
        encoder_model: model of that encoder, where it takes one.
        behaviour: run the agents of L4.
        alpha: probability of any false alarm.
        declared: phrases that the shop may say although they hold a cue word.
        seed: of permutations, halves and agents.
    """

    url: str = ""
    browser: bool = False
    browsed: int = BROWSED
    encoder: str = "hashed"
    encoder_model: str = ""
    behaviour: bool = True
    alpha: float = ALPHA
    declared: tuple[str, ...] = ()
    seed: int = 0


def run_audit(catalog: Catalog, options: Options, stage: Stage | None = None) -> AuditReport:
    """Read the shop of `catalog` and judge it on all levels asked for.

    Args:
        catalog: the ground truth.
        options: how.
        stage: told how far it is.

    Raises:
        ConfigError, UnknownNameError: an option cannot be used.
        DataError: the shop does not answer, or shows another catalogue.
    """
    _check(options)
    settings = _settings(options)
    tell = stage or (lambda name, done, total: None)
    started = time.perf_counter()
    app = None if options.url else create_app(catalog, Pictures.of(catalog))
    reading = _read(catalog, options, app, tell)
    read = round(time.perf_counter() - started, 3)
    tell("Judging", 0, 1)
    report = audit_reading(reading, catalog, settings, _source(options))
    report = dataclasses.replace(report, seconds={"reading": read, **report.seconds})
    if options.behaviour and app is not None:
        started = time.perf_counter()
        found = behaviours(catalog, settings.share, options.seed, tell)
        report = with_behaviours(report, found, round(time.perf_counter() - started, 3))
    return report


def _check(options: Options) -> None:
    if not 0 < options.alpha < 0.5:
        raise ConfigError(f"alpha is {options.alpha}; it is a probability of false alarm, for instance 0.01")
    if options.browsed < 0:
        raise ConfigError(f"{options.browsed} pages in the browser; give a number from 1, or 0 for all")
    if options.seed < 0:
        raise ConfigError(f"the seed of the audit is {options.seed}; give a whole number from 0")
    if () in Lexicon.of((), options.declared).declared:
        raise ConfigError('a declared phrase holds no word; give it like --declare "mug stand"')


def _settings(options: Options) -> Settings:
    model = {"model": options.encoder_model} if options.encoder_model else {}
    encoder = None if options.encoder == "none" else text_encoders.make(options.encoder, **model)
    return Settings(options.alpha, options.declared, encoder, options.seed)


def _source(options: Options) -> str:
    read = f"over HTTP at {options.url}" if options.url else "in process"
    return f"{read}, and with Chromium" if options.browser else read


def _read(catalog: Catalog, options: Options, app: Flask | None, tell: Stage) -> Reading:
    fetcher = InProcessFetcher(app) if app is not None else HttpFetcher(options.url)
    reading = crawl(fetcher, catalog, lambda done, total: tell("Reading the shop", done, total))
    if options.browser:
        read_with_browser(
            reading,
            app or options.url,
            options.browsed,
            options.seed,
            lambda done, total: tell("Reading with Chromium", done, total),
        )
    return reading
