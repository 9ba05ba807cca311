"""One frozen configuration of a study: the same names in a TOML file, on the command line and in Python."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from recallreach.errors import ConfigError
from recallreach.study.complaints import first_sentence
from recallreach.study.tree import Forest

Count = Annotated[int, Field(strict=True, ge=1)]
Seed = Annotated[int, Field(strict=True, ge=0)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]

MOST_RUNS = 1_000_000
"""Sessions that a study may have at most; more are a slip of the pen."""
MOST_CHAINS = 1_000_000_000
"""Highest number of a chain; the results store counts in 64 bits, over all paths of a tree."""
MOST_RECORDS = 10_000
"""Records retrieved per probe at most."""
MOST_STEPS = 10_000
"""Steps per probe at most."""
MOST_WORKERS = 4096
"""Workers at most, on a cluster."""
LONGEST_LIMIT = 7 * 24 * 3600.0
"""Seconds that a session or a probe may be given at most: a week."""


def _number_or_names(value: object) -> object:
    if value is None or _counts(value):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise ValueError("expected a whole number of at least 1 or a list of names")


Names = Annotated[int | tuple[str, ...] | None, BeforeValidator(_number_or_names)]

UNSETTLING = frozenset(
    {
        "name",
        "out",
        "error_threshold",
        "lengths",
        "engine",
        "workers",
        "time_limit",
        "ray_address",
        "max_calls",
        "max_cost",
        "prices",
        "replay",
    }
)
"""Keys that change no result, so a run may be resumed with other values."""


class Part(BaseModel):
    """A named part of a study: in TOML a name ("dualmem") or a table ({ name = "dualmem", alpha = 0.5 })."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, description="Registered name, or package.module:attribute.")
    label: str = Field(default="", description="Name shown in tables; default: the name and its options.")
    options: dict[str, Any] = Field(default_factory=dict, description="Keyword arguments of the part.")

    @model_validator(mode="before")
    @classmethod
    def _from_name_or_table(cls, value: object) -> object:
        if isinstance(value, str):
            return {"name": value}
        if not isinstance(value, Mapping):
            return value
        own = {key: value[key] for key in ("name", "label") if key in value}
        extra = {key: item for key, item in value.items() if key not in ("name", "label", "options")}
        options = value.get("options", {})
        return {**own, "options": {**options, **extra} if isinstance(options, Mapping) else options}

    @field_validator("label")
    @classmethod
    def _can_be_printed(cls, label: str) -> str:
        if label and not (label.isprintable() and label.strip()):
            raise ValueError(f"a label is printable text, got {label!r}")
        return label

    @property
    def title(self) -> str:
        """The label, or the name followed by its options."""
        if self.label or not self.options:
            return self.label or self.name
        return f"{self.name} ({', '.join(f'{key}={value}' for key, value in sorted(self.options.items()))})"

    def identity(self) -> dict[str, Any]:
        """What decides the part's behaviour: name and options, not the label."""
        return {"name": self.name, "options": self.options}


def _session_numbers(value: object) -> object:
    if value in ("every", ["every"]):
        return "every"
    if _counts(value):
        return (value,)
    if isinstance(value, (list, tuple)) and value and all(map(_counts, value)):
        return tuple(value)
    raise ValueError('expected "every" or a list of session numbers from 1')


def _lengths(value: object) -> object:
    if _counts(value):
        return (value,)
    if isinstance(value, (list, tuple)) and all(map(_counts, value)):
        return tuple(value)
    raise ValueError("expected one number of sessions from 1, or a list of them such as [5, 10]")


def _counts(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _probe_number(value: object) -> object:
    if value == "exhaustive" or _counts(value):
        return value
    raise ValueError('expected "exhaustive" or a whole number of at least 1 (probes per session and reach)')


class CatalogChoice(BaseModel):
    """Which products the shop sells."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(
        default="synthetic", min_length=1, description='"synthetic", or the folder of a saved catalogue.'
    )
    seed: Seed = Field(default=0, description="Seed of the synthetic catalogue.")
    categories: Names = Field(
        default=None,
        description="How many categories, or their names; default: all with art for three collections.",
    )
    styles: Names = Field(default=None, description="How many styles, or their names; default: all.")
    variants: Count | None = Field(
        default=None, description="Products per collection; default: 10, or fewer where cues would run out."
    )
    objects: Names = Field(
        default=None,
        description="How many cue objects, or their names; default: all that the embedded encoders know.",
    )
    cue_fraction: Annotated[float, Field(strict=True, gt=0, le=0.2)] = Field(
        default=0.017, description="Area of the cue as a share of the picture (published median: 0.017)."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_source_or_table(cls, value: object) -> object:
        return {"source": value} if isinstance(value, str) else value


class StudyConfig(BaseModel):
    """Everything that decides what a study does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(
        default="study",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        description="Name of the run; its folder is <out>/<name>.",
    )
    seed: Seed = Field(default=0, description="Seed of every random draw of the study.")
    chains: Count = Field(
        default=6,
        description="Independent chains of sessions, or trees of them; intervals are taken over these.",
    )
    first_chain: Annotated[Seed, Field(le=MOST_CHAINS)] = Field(
        default=0, description="Number of the first one, so that a study can be split and merged."
    )
    sessions: Count = Field(
        default=5, description="Browsing sessions per chain (J); context is wiped after each."
    )
    branching: Count = Field(
        default=1, description="Sessions that go on from each session (B); 1 gives plain chains."
    )
    lengths: Annotated[tuple[Count, ...], BeforeValidator(_lengths)] = Field(
        default=(), description="Chain lengths to report beside the full one; chains share their prefixes."
    )
    ask_after: Annotated[Literal["every"] | tuple[int, ...], BeforeValidator(_session_numbers)] = Field(
        default="every", description='Sessions, from 1, after which probes are asked, or "every".'
    )
    catalog: CatalogChoice = Field(default=CatalogChoice(), description="The shop's products.")
    transport: Literal["chromium", "in_process"] = Field(
        default="chromium",
        description="Real pages in headless Chromium, or the same pages without a browser (fast).",
    )
    shopper: Part = Field(
        default=Part(name="shopper"), description="Agent that browses; its sessions are recorded once."
    )
    agent: Part = Field(default=Part(name="matcher"), description="Agent that answers the recall probes.")
    memories: Annotated[tuple[Part, ...], Field(min_length=1)] = Field(
        default=tuple(Part(name=name) for name in ("no-memory", "text-only", "caption", "dualmem")),
        description="Memory systems under test; each replays the same recorded sessions.",
    )
    deliveries: Annotated[tuple[Part, ...], Field(min_length=1)] = Field(
        default=(Part(name="default"),),
        description='How hits reach the agent; "default" is each memory\'s own.',
    )
    encoder: Part = Field(
        default=Part(name="embedded"),
        description="Encoder of pictures and texts for memories; an entry of memories may name another.",
    )
    text_encoder: Part = Field(
        default=Part(name="hashed"),
        description="Encoder of texts for memories; an entry of memories may name another.",
    )
    captioner: Part = Field(
        default=Part(name="embedded"),
        description="Describes pictures for memories; an entry of memories may name another.",
    )
    memory_model: Part | None = Field(
        default=None, description="Chat model for memories that are managed by one; default: by rules."
    )
    k: Annotated[Count, Field(le=MOST_RECORDS)] = Field(
        default=5, description="Number of records retrieved per probe."
    )
    probes: Annotated[Literal["exhaustive"] | int, BeforeValidator(_probe_number)] = Field(
        default="exhaustive", description='"exhaustive", or how many probes per session and reach.'
    )
    reach: Literal["last_seen", "first_seen"] = Field(
        default="last_seen",
        description="Reach counts from the last view (the paper) or the first (its published code).",
    )
    budget: Annotated[Count, Field(le=MOST_STEPS)] = Field(
        default=8, description="Steps allowed per recall probe."
    )
    trial: Seed = Field(
        default=0, description="Number of the repetition; another one draws sampled model replies anew."
    )
    error_threshold: Share = Field(
        default=0.02, description="Share of technical errors above which the run stops."
    )
    out: str = Field(default="runs", min_length=1, description="Folder that holds the run folders.")
    engine: Literal["auto", "inline", "local", "ray"] = Field(
        default="auto",
        description="What carries the work: this process (inline), processes of this machine (local), a Ray "
        "cluster (ray); auto is inline with one worker and local with more.",
    )
    workers: Annotated[Count, Field(le=MOST_WORKERS)] | None = Field(
        default=None,
        description="Workers, each with a browser of its own; default: 1 in process, else one per core, at "
        "most 4.",
    )
    time_limit: Annotated[float, Field(strict=True, gt=0, le=LONGEST_LIMIT)] = Field(
        default=900.0,
        description="Seconds that a session or a probe may take before its worker is replaced (not inline).",
    )
    ray_address: str = Field(
        default="", description='Address of a Ray cluster, for instance "auto"; "" starts one here.'
    )
    max_calls: Seed | None = Field(
        default=None, description="Requests to models that the run may send in all, resumes included."
    )
    max_cost: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] | None = Field(
        default=None, description="Money that the run may spend on models in all; needs prices."
    )
    prices: str | None = Field(default=None, description="Price file of the models (TOML).")
    replay: Annotated[bool, Field(strict=True)] = Field(
        default=False, description="Answer from kept model replies alone, at no cost."
    )

    @classmethod
    def parse(cls, values: Mapping[str, Any], source: str = "configuration") -> Self:
        """Validate `values`; `source` names their origin in messages.

        Raises:
            ConfigError: the first thing that is wrong, in one sentence.
        """
        try:
            config = cls.model_validate(dict(values))
        except ValidationError as error:
            raise ConfigError(first_sentence(error, cls, source)) from error
        config.check_labels(source)
        config.check_sessions(source)
        return config

    @classmethod
    def load(cls, path: Path, overrides: Mapping[str, Any] | None = None) -> Self:
        """Read a TOML study file; `overrides` (dotted keys) win over it.

        Raises:
            ConfigError: the file is missing, not TOML, or holds a wrong key or value.
        """
        values = _read_toml(path)
        values.setdefault("name", path.stem)
        for key, value in (overrides or {}).items():
            put(values, key, value)
        return cls.parse(values, str(path))

    def check_labels(self, source: str) -> None:
        """Refuse two systems that would share one label."""
        for key in ("memories", "deliveries"):
            titles = [part.title for part in getattr(self, key)]
            doubled = sorted({title for title in titles if titles.count(title) > 1})
            if doubled:
                raise ConfigError(
                    f"{source}: {key} lists {doubled[0]!r} twice; give one of them another label."
                )

    def check_sessions(self, source: str) -> None:
        """Refuse session numbers beyond the last session, and studies beyond all measure."""
        numbers = () if self.ask_after == "every" else self.ask_after
        for key, listed in (("ask_after", numbers), ("lengths", self.lengths)):
            beyond = [number for number in listed if not 1 <= number <= self.sessions]
            if beyond:
                raise ConfigError(
                    f"{source}: {key} names session {beyond[0]}; a chain has {self.sessions}, counted from 1."
                )
        leaves = self.branching ** min(self.sessions, 64)
        if self.chains * max(self.sessions, leaves) > MOST_RUNS:
            raise ConfigError(
                f"{source}: chains = {self.chains}, sessions = {self.sessions} and branching = "
                f"{self.branching} make more than {MOST_RUNS:,} sessions; lower one of them."
            )

    @property
    def forest(self) -> Forest:
        """All sessions of the study."""
        return Forest(self.chains, self.sessions, self.branching, self.first_chain)

    @property
    def in_process(self) -> bool:
        """Whether the shop is visited without a browser."""
        return self.transport == "in_process"

    def settings(self) -> dict[str, Any]:
        """All keys that change results, as plain JSON values; equal for runs that may resume each other."""
        return self.model_dump(mode="json", exclude=set(UNSETTLING))

    @property
    def folder(self) -> Path:
        """The run folder."""
        return Path(self.out) / self.name


def put(values: dict[str, Any], dotted: str, value: object) -> None:
    """Set `values["a"]["b"]` for the key "a.b", making tables as needed."""
    *tables, last = dotted.split(".")
    for table in tables:
        inner = values.setdefault(table, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{table} is {inner!r}, not a table, so {dotted} cannot be set.")
        values = inner
    values[last] = value


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"study file {path} does not exist.") from error
    except OSError as error:
        raise ConfigError(f"study file {path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"study file {path} is not UTF-8 text.") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"study file {path} is not valid TOML: {error}.") from error
