"""Designs: which systems are put to one fixed set of probes, and which of them are compared.

Every design is an ordinary study, so that it resumes, reports and is viewed like any other. Each varies one
argument at a time from a corner (DeliverMem, arXiv 2609.32590).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from recallreach.errors import ConfigError
from recallreach.memory.delivery.controls import Pictures
from recallreach.memory.delivery.decisions import Dates, Tags
from recallreach.study.config import Part, StudyConfig
from recallreach.study.decompose import gold
from recallreach.study.decompose.conditions import Decision

GOLD = "gold"
RETRIEVER, CORNER, PROXY = Part(name="delivermem"), Part(name="delivermem", label="pixels"), Part(name="text")
GRIDS = (1, 2, 3, 4)
ALPHAS = (0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Family:
    """Comparisons that are corrected together.

    Attributes:
        title: what varies.
        corner: label of the system that every other is held against.
        others: their labels, in order.
        decision: the decision of delivery that varies, where the family is about one.
    """

    title: str
    corner: str
    others: tuple[str, ...]
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Design:
    """What a study of the delivery stage asks.

    Attributes:
        title: heading of its table.
        memories, deliveries: what the study crosses.
        families: the comparisons, in order.
    """

    title: str
    memories: tuple[Part, ...]
    deliveries: tuple[Part, ...]
    families: tuple[Family, ...]

    def of(self, config: StudyConfig) -> StudyConfig:
        """The study: `config` with the systems of this design."""
        return config.model_copy(update={"memories": self.memories, "deliveries": self.deliveries})


def terms(
    retrievers: Sequence[Part] = (RETRIEVER,),
    deliveries: Sequence[Part] = (CORNER, PROXY),
    place: gold.Place = "kept",
) -> Design:
    """The decomposition: from the corner (gold retrieval, first delivery), other deliveries, own retrieval.

    Args:
        retrievers: the first one's items surround the gold item; each is one retrieval term.
        deliveries: the first one is the corner's; each other is one delivery term.
        place: where the gold item stands.

    Raises:
        ConfigError: one delivery alone gives no delivery term.
    """
    if len(deliveries) < 2:
        raise ConfigError(
            "a decomposition needs two deliveries or more: the corner's, and what to hold it against"
        )
    memories = (golden(retrievers[0], place), *(_own(part) for part in retrievers))
    first, *others = (part.title for part in deliveries)
    corner = f"{GOLD} + {first}"
    delivery = Family("delivery term", corner, tuple(f"{GOLD} + {other}" for other in others), "modality")
    own = tuple(f"{memory.title} + {first}" for memory in memories[1:])
    return Design(
        "Decomposition", memories, tuple(deliveries), (delivery, Family("retrieval term", corner, own))
    )


def ladder(retriever: Part = RETRIEVER, place: gold.Place = "kept", delivery: str = "delivermem") -> Design:
    """Every matched control of the three decisions, with gold retrieval, against the delivery as it is."""
    steps: dict[Decision, list[Part]] = {
        "modality": [_control(delivery, "pictures", value) for value in get_args(Pictures)[1:]],
        "identity": [_control(delivery, "tags", value) for value in get_args(Tags)[1:]],
        "time": [_control(delivery, "dates", value) for value in get_args(Dates)[1:]],
    }
    corner = Part(name=delivery, label="as it is")
    families = tuple(
        Family(f"D{number}, {decision}", f"{GOLD} + {corner.title}", _labels(parts), decision)
        for number, (decision, parts) in enumerate(steps.items(), 1)
    )
    controls = [part for parts in steps.values() for part in parts]
    return Design("Control ladder", (golden(retriever, place),), (corner, *controls), families)


def tiles(grids: Sequence[int] = GRIDS, alphas: Sequence[float] = ALPHAS) -> Design:
    """Own retrieval at each granularity, with the caption channel and by pictures alone."""
    delivery = Part(name="delivermem", label="delivermem")
    memories = tuple(
        Part(name="dualmem", label=f"{grid}x{grid}, alpha {alpha}", options={"tiles": grid, "alpha": alpha})
        for alpha in alphas
        for grid in grids
    )
    families = []
    for number, alpha in enumerate(alphas):
        mine = [f"{part.title} + {delivery.title}" for part in memories[number * len(grids) :][: len(grids)]]
        families.append(Family(f"tiles, alpha {alpha}", mine[0], tuple(mine[1:])))
    return Design("Tile granularity", memories, (delivery,), tuple(families))


def golden(retriever: Part, place: gold.Place) -> Part:
    """Gold retrieval around a retriever's own items."""
    options: dict[str, Any] = {"memory": retriever.name, "place": place, **retriever.options}
    return Part(name=gold.NAME, label=GOLD, options=options)


def _own(retriever: Part) -> Part:
    return retriever if retriever.label else retriever.model_copy(update={"label": f"own {retriever.title}"})


def _control(delivery: str, option: str, value: str) -> Part:
    return Part(name=delivery, label=f"{option}={value}", options={option: value})


def _labels(parts: Sequence[Part]) -> tuple[str, ...]:
    return tuple(f"{GOLD} + {part.title}" for part in parts)
