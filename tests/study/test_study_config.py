from __future__ import annotations

from pathlib import Path

import pytest

from recallreach.errors import ConfigError
from recallreach.study.config import Part, StudyConfig, put
from recallreach.study.options import parse_value


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"chain": 3}, ["unknown key 'chain'", "Did you mean 'chains'?"]),
        ({"catalog": {"sed": 1}}, ["unknown key 'catalog.sed'", "Did you mean 'seed'?"]),
        ({"zzzz": 1}, ["unknown key 'zzzz'", "Known keys: agent, ask_after"]),
        ({"chains": 0}, ["chains = 0", "at least 1"]),
        ({"chains": "six"}, ["chains = 'six'", "a whole number"]),
        ({"chains": True}, ["chains = True", "a whole number"]),
        ({"k": 1.5}, ["k = 1.5", "a whole number"]),
        ({"transport": "chrome"}, ["transport = 'chrome'", "'chromium' or 'in_process'", "did you mean"]),
        ({"memories": "dualmem"}, ["memories = 'dualmem'", "a list"]),
        ({"memories": []}, ["memories = []", "at least one entry"]),
        ({"memories": [{"alpha": 1}]}, ["memories.0.name is missing"]),
        ({"memories": ["caption", "caption"]}, ["lists 'caption' twice"]),
        ({"agent": 3}, ["agent = 3", "a name or a table"]),
        ({"probes": "all"}, ["probes = 'all'", '"exhaustive" or a whole number']),
        ({"probes": 0}, ["probes = 0", "at least 1"]),
        ({"error_threshold": 2}, ["error_threshold = 2", "at most 1"]),
        ({"replay": "yes"}, ["replay = 'yes'", "true or false"]),
        ({"chains": 10**11}, ["chains = 100000000000", "more than 1,000,000 sessions", "lower one"]),
        ({"sessions": 300_000}, ["sessions = 300000", "more than 1,000,000 sessions"]),
        ({"branching": 9, "sessions": 40}, ["branching = 9", "more than 1,000,000 sessions"]),
        ({"workers": 100_000}, ["workers = 100000", "at most 4,096"]),
        ({"time_limit": float("inf")}, ["time_limit = inf", "at most 604,800"]),
        ({"time_limit": float("nan")}, ["time_limit = nan", "at most 604,800"]),
        ({"max_cost": float("inf")}, ["max_cost = inf", "finite; leave the key out"]),
        ({"k": 10**9}, ["k = 1000000000", "at most 10,000"]),
        ({"budget": 10**9}, ["budget = 1000000000", "at most 10,000"]),
        ({"first_chain": 10**30}, ["first_chain = 1", "at most 1,000,000,000"]),
        ({"lengths": 0}, ["lengths = 0", "from 1, or a list of them such as [5, 10]"]),
        ({"lengths": "all"}, ["lengths = 'all'", "such as [5, 10]"]),
        ({"name": "a/b"}, ["name = 'a/b'", "letters, digits"]),
        ({"catalog": {"categories": "x"}}, ["catalog.categories = 'x'", "a list of names"]),
    ],
)
def test_a_wrong_value_is_told_in_one_sentence(values: dict[str, object], told: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        StudyConfig.parse(values, "study.toml")
    message = str(caught.value)
    assert message.startswith("study.toml: ")
    assert "\n" not in message
    for part in told:
        assert part in message


def test_a_file_and_python_give_the_same_configuration(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'seed = 3\nmemories = ["caption", { name = "dualmem", alpha = 0.5 }]\n'
        "[catalog]\nseed = 9\nvariants = 2\n"
    )
    same = StudyConfig.parse(
        {
            "name": "sweep",
            "seed": 3,
            "memories": ["caption", Part(name="dualmem", options={"alpha": 0.5})],
            "catalog": {"seed": 9, "variants": 2},
        }
    )
    assert StudyConfig.load(file) == same
    assert [part.title for part in same.memories] == ["caption", "dualmem (alpha=0.5)"]


@pytest.mark.parametrize(
    ("given", "held"), [(3, (3,)), ([2, 4], (2, 4)), ([], ())], ids=["one", "several", "none"]
)
def test_lengths_are_one_number_or_a_list(given: object, held: tuple[int, ...]) -> None:
    assert StudyConfig.parse({"lengths": given}).lengths == held


def test_options_win_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text("seed = 3\nchains = 2\n[catalog]\nseed = 9\n")
    config = StudyConfig.load(file, {"chains": 7, "catalog.seed": 4})
    assert (config.seed, config.chains, config.catalog.seed) == (3, 7, 4)


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "does not exist"), (b"seed = = 3", "not valid TOML"), (b"\xff\xfe", "not UTF-8")],
)
def test_an_unreadable_file_is_told(tmp_path: Path, content: bytes | None, told: str) -> None:
    file = tmp_path / "study.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=told):
        StudyConfig.load(file)


def test_settings_leave_out_what_changes_no_result() -> None:
    one = StudyConfig(name="a", out="x", error_threshold=0.5)
    assert one.settings() == StudyConfig().settings()
    assert StudyConfig(seed=1).settings() != one.settings()


def test_settings_survive_the_round_trip_through_the_manifest() -> None:
    config = StudyConfig.parse(
        {
            "memories": [{"name": "dualmem", "alpha": 0.5, "label": "half"}],
            "probes": 3,
            "catalog": {"categories": ["chair"], "styles": 2},
        }
    )
    assert StudyConfig.parse(config.model_dump(mode="json")) == config


@pytest.mark.parametrize("label", ["a\nb", "\x1b[31mred", "\t", "   ", "\u202egnp"])
def test_a_label_is_printable_text(label: str) -> None:
    with pytest.raises(ConfigError, match="a label is printable text, got"):
        StudyConfig.parse({"memories": [{"name": "dualmem", "label": label}]})


def test_putting_into_something_that_is_no_table_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"catalog is 3, not a table, so catalog\.seed cannot be set"):
        put({"catalog": 3}, "catalog.seed", 1)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("chains", "3", 3),
        ("error_threshold", "0.5", 0.5),
        ("name", "2026", "2026"),
        ("transport", "in_process", "in_process"),
        ("probes", "exhaustive", "exhaustive"),
        ("memories", "caption", ["caption"]),
        ("memories", "caption, dualmem", ["caption", "dualmem"]),
        ("memories", '[{ name = "dualmem", alpha = 0.5 }]', [{"name": "dualmem", "alpha": 0.5}]),
        ("catalog__styles", "2", 2),
    ],
)
def test_option_texts_are_read_like_toml(name: str, text: str, value: object) -> None:
    assert parse_value(name, text) == value
