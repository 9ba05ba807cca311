"""The first three levels over one reading of the shop: words, statistics, meaning."""

from __future__ import annotations

import dataclasses
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

from recallreach.storefront.audit.attacker import Attack, attack
from recallreach.storefront.audit.digests import fingerprints
from recallreach.storefront.audit.features import Feature, features_of
from recallreach.storefront.audit.information import Labels, holm, measure
from recallreach.storefront.audit.lexicon import Hit, Lexicon
from recallreach.storefront.audit.power import detectable
from recallreach.storefront.audit.reading import Reading
from recallreach.storefront.audit.report import AuditReport, ChannelReport, Finding, Held, Level, Power
from recallreach.storefront.audit.semantic import Ranking, SentenceEncoder, rank_channels
from recallreach.storefront.catalog import Catalog

ALPHA = 0.01
"""Probability of any false alarm in one audit, shared equally by the statistical tests of L2 (two), L3 and
L4."""

SHARES = 4
TEXT_CHANNELS = (
    "page title", "visible text", "JSON-LD", "comment", "inline script", "attribute alt", "attribute title",
    "attribute aria-label", "meta description", "listing visible text", "listing attribute alt", "price",
    "picture file name", "browser: accessibility tree", "browser: visible text",
)  # fmt: skip
"""Channels whose text is also ranked by itself; everything said of a product together always is."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How an audit is done.

    Attributes:
        alpha: probability of any false alarm over all four levels.
        declared: phrases that this shop may say although they hold a cue word.
        encoder: sentence encoder of L3; None leaves L3 out.
        seed: of permutations and halves.
    """

    alpha: float = ALPHA
    declared: tuple[str, ...] = ()
    encoder: SentenceEncoder | None = None
    seed: int = 0

    @property
    def share(self) -> float:
        """The alpha of one statistical test family."""
        return self.alpha / SHARES


@dataclass
class _Draft:
    findings: list[Finding] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def timed(self, name: str, since: float) -> float:
        now = time.perf_counter()
        self.seconds[name] = round(now - since, 3)
        return now


def audit_reading(reading: Reading, catalog: Catalog, settings: Settings, source: str) -> AuditReport:
    """Judge what was read, on levels L1 to L3.

    Args:
        reading: of the shop of `catalog`.
        catalog: the ground truth.
        settings: how.
        source: how the shop was read, for the report.
    """
    draft, started = _Draft(), time.perf_counter()
    words, declared = _lexical(reading, catalog, settings, draft)
    _search_hits(reading, catalog, settings, draft)
    started = draft.timed("L1", started)
    held, attacks, power, tests = _statistical(reading, catalog, settings, draft)
    started = draft.timed("L2", started)
    rankings = _semantic(reading, catalog, settings, draft)
    draft.timed("L3", started)
    channels = [
        ChannelReport(name, reading.coverage(name), words[name], held.get(name, ()))
        for name in reading.channels()
    ]
    levels: tuple[Level, ...] = ("L1", "L2", "L3") if settings.encoder else ("L1", "L2")
    return AuditReport(
        catalog=_facts(catalog),
        source=source,
        alpha=settings.alpha,
        levels=levels,
        tests=tests,
        channels=tuple(channels),
        findings=tuple(draft.findings),
        attacks=attacks,
        rankings=rankings,
        power=dataclasses.replace(power, phrases=_phrases_needed(len(catalog), settings, len(rankings))),
        declared=declared,
        answers=dict(reading.answers),
        notes=tuple(reading.notes),
        encoder=settings.encoder.name if settings.encoder else "",
        seconds=draft.seconds,
    )


def _facts(catalog: Catalog) -> dict[str, object]:
    objects, colors = {cue.object for cue in catalog.cues}, {cue.color for cue in catalog.cues}
    counts = {"products": len(catalog), "objects": len(objects), "colours": len(colors)}
    return {"name": catalog.name, "hash": catalog.hash, "seed": catalog.seed, **counts}


# L1.


def _lexical(
    reading: Reading, catalog: Catalog, settings: Settings, draft: _Draft
) -> tuple[Counter[str], tuple[tuple[str, str, int], ...]]:
    lexicon = Lexicon.of(catalog.cues, settings.declared)
    cues = {product: catalog.cue_of(product) for product in reading.products}
    known: dict[str, list[Hit]] = {}
    words: Counter[str] = Counter()
    declared: Counter[str] = Counter()
    for channel in reading.channels():
        found: dict[str, list[tuple[Hit, str]]] = defaultdict(list)
        for text, place in reading.texts[channel].items():
            if text not in known:
                known[text] = lexicon.hits(text)
                declared.update(lexicon.declared_in(text))
            words[channel] += bool(known[text])
            for hit in known[text]:
                found[hit.form].append((hit, place))
        draft.findings += [_word_finding(channel, form, hits) for form, hits in found.items()]
        for print_ in fingerprints(reading.values.get(channel, {}), cues):
            words[channel] += 1
            product, matched = print_.example
            what = f"holds {matched}, the {print_.recipe} of the cue, for {_products(print_.products)}"
            draft.findings.append(Finding("L1", channel, what, f"/product/{product}"))
    reasons = {" ".join(phrase): reason for phrase, reason in lexicon.declared.items()}
    return words, tuple((phrase, reasons[phrase], count) for phrase, count in sorted(declared.items()))


def _word_finding(channel: str, form: str, hits: Sequence[tuple[Hit, str]]) -> Finding:
    said = Counter(hit.word for hit, _ in hits)
    listed = ", ".join(repr(word) for word, _ in said.most_common(5))
    more = f" and {len(said) - 5} more" if len(said) > 5 else ""
    how = "" if form == "word" else f" ({form})"
    return Finding("L1", channel, f"says {listed}{more}{how} in {_texts(len(hits))}", hits[0][1])


def _search_hits(reading: Reading, catalog: Catalog, settings: Settings, draft: _Draft) -> None:
    """A query for a cue word must list nothing, unless each of its words is in a declared phrase."""
    allowed = {word for phrase in Lexicon.of((), settings.declared).declared for word in phrase}
    bad = {query: found for query, found in reading.hits.items() if not set(query.split()) <= allowed}
    if not bad:
        return
    targets = sum(any(catalog.cue_of(p).phrase == query for p in found) for query, found in bad.items())
    query, found = next(iter(bad.items()))
    what = (
        f"{len(bad)} searches for cue words list products, {targets} of them the target; "
        f"{query!r} lists {len(found)}"
    )
    draft.findings.append(Finding("L1", "search results", what, f"search for {query!r}"))


# L2.


def _statistical(
    reading: Reading, catalog: Catalog, settings: Settings, draft: _Draft
) -> tuple[dict[str, tuple[Held, ...]], tuple[Attack, ...], Power, int]:
    features = {name: found for name in reading.channels() if (found := _features(reading, name))}
    targets = [Labels(name, [getattr(cue, kind) for cue in catalog.cues], settings.seed)
               for name, kind in (("colour", "color"), ("object", "object"))]  # fmt: skip
    tests = max(1, len(features) * len(targets))
    threshold = settings.share / tests
    keys = [(name, labels) for name in features for labels in targets]
    measured = [measure(features[name], labels, threshold) for name, labels in keys]
    adjusted = holm([1.0 if found is None else found.p for found in measured])
    held: dict[str, list[Held]] = defaultdict(list)
    for (name, labels), told, p in zip(keys, measured, adjusted, strict=True):
        held[name].append(Held(labels.name, labels.entropy, told, p, p <= settings.share))
    draft.findings += [
        _told(name, entry) for name, entries in held.items() for entry in entries if entry.leaks
    ]
    attacks = attack(_distinct(features.values()), catalog.cues, settings.share, settings.seed)
    draft.findings += [_attacked(entry) for entry in attacks if entry.leaks]
    power = detectable(targets, threshold, settings.seed)
    return {name: tuple(entries) for name, entries in held.items()}, tuple(attacks), power, tests


def _features(reading: Reading, channel: str) -> list[Feature]:
    return features_of(reading.column(channel), reading.groups)


def _distinct(listed: Iterable[Sequence[Feature]]) -> list[Feature]:
    return list({feature.codes.tobytes(): feature for features in listed for feature in features}.values())


def _told(channel: str, entry: Held) -> Finding:
    found = entry.information
    assert found is not None, "a channel that was not measured has p = 1"
    what = (
        f"{found.feature} tells {found.bits:.2f} of {entry.entropy:.2f} bits of the {entry.target} "
        f"(by chance {found.chance:.2f}; adjusted p {_p(entry.adjusted)})"
    )
    return Finding("L2", channel, what, bits=found.bits, target=entry.target)


def _attacked(entry: Attack) -> Finding:
    what = (
        f"a text-only attacker names the {entry.target} {entry.right} times in {entry.asked} "
        f"(a guess: {entry.chance * entry.asked:.1f}, at most {entry.bound})"
    )
    return Finding("L2", "all channels together", what, target=entry.target)


# L3.


def _semantic(reading: Reading, catalog: Catalog, settings: Settings, draft: _Draft) -> tuple[Ranking, ...]:
    if settings.encoder is None:
        return ()
    documents = {"all text of a product": reading.documents(_worded(reading))}
    documents |= {name: reading.documents([name]) for name in TEXT_CHANNELS if name in reading.values}
    phrases = [cue.phrase for cue in catalog.cues]
    threshold = settings.share / max(1, len(documents))
    rankings = rank_channels(settings.encoder, documents, phrases, threshold, settings.seed)
    for ranking, p in zip(rankings, holm([entry.p for entry in rankings]), strict=True):
        if p <= settings.share:
            what = (
                f"ranks of the target are not uniform: first for {ranking.top:.1%} of the phrases, mean rank "
                f"{ranking.mean_rank:.2f} of 1 (adjusted p {_p(p)})"
            )
            draft.findings.append(Finding("L3", ranking.channel, what, target="product"))
    return tuple(rankings)


def _worded(reading: Reading) -> list[str]:
    """Channels that say words and do not say the same of every product."""
    wordless = (
        "markup",
        "listing markup",
        "invisible signs",
        "header ",
        "picture header ",
        "status",
        "position ",
    )
    return [name for name in reading.channels()
            if not name.startswith(wordless) and reading.coverage(name).distinct > 1]  # fmt: skip


def _phrases_needed(products: int, settings: Settings, tests: int) -> float | None:
    """Share of targets at rank 1 that shifts the mean of -ln(rank) past its critical value."""
    if not tests:
        return None
    critical = NormalDist().inv_cdf(1 - settings.share / tests / 2) + NormalDist().inv_cdf(0.9)
    return min(1.0, critical / (math.sqrt(products) * max(0.1, math.log(2 * products) - 1)))


def _products(count: int) -> str:
    return f"{count} product{'s' if count != 1 else ''}"


def _texts(count: int) -> str:
    return f"{count} text{'s' if count != 1 else ''}"


def _p(value: float) -> str:
    return f"{value:.1e}" if value < 0.001 else f"{value:.3f}"


def levels_run(report: AuditReport) -> Mapping[Level, int]:
    """Findings by level, for the levels that ran."""
    return {level: len(report.of(level)) for level in report.levels}
