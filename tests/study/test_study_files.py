"""The documentation names every key, and every ready study file is one that this version can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from recallreach.agents.registry import agents
from recallreach.memory.encoders import encoders
from recallreach.study.assembly import check_names
from recallreach.study.config import UNSETTLING, CatalogChoice, StudyConfig
from recallreach.study.work import Ask

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples" / "studies").glob("*.toml"))
CONTROLS = (
    *("recall-reach", "chain-length", "bank-size", "encoding-position"),
    *("alpha-sweep", "encoder-swap", "image-or-caption", "rollout-tree"),
)


def test_the_documentation_has_every_key_with_its_sentence() -> None:
    text = (ROOT / "docs" / "studies.md").read_text()
    for model, prefix in ((StudyConfig, ""), (CatalogChoice, "catalog.")):
        for name, field in model.model_fields.items():
            if name != "catalog":
                line = next((row for row in text.splitlines() if row.startswith(f"| `{prefix}{name}` |")), "")
                assert line.endswith(f"| {field.description} |"), name
    assert all(f"`{key}`" in text for key in UNSETTLING)


def test_every_control_has_a_file_for_the_embedded_default_and_one_for_real_models() -> None:
    controls = {name + end for name in CONTROLS for end in ("", "-paper")}
    assert {path.stem for path in FILES} == controls | {"all-systems"}
    text = (ROOT / "docs" / "studies.md").read_text()
    assert all(f"`{name}.toml`" in text for name in CONTROLS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_ready_study_file_names_what_there_is(path: Path) -> None:
    config = StudyConfig.load(path)
    check_names(config, str(path))
    assert config.name == path.stem
    paper = path.stem.endswith("-paper")
    assert (config.agent.name, config.transport) == (
        ("react", "chromium") if paper else ("matcher", "in_process")
    )
    assert (config.k, config.budget) == (5, 8)
    assert set(agents.names()) >= {config.agent.name, config.shopper.name}
    assert config.encoder.name in encoders.names()


def test_the_tree_is_the_one_that_the_documentation_counts() -> None:
    config = StudyConfig.load(ROOT / "examples" / "studies" / "rollout-tree.toml")
    forest = config.forest
    assert (forest.runs, forest.paths, forest.flat_runs, forest.saved) == (121, 81, 405, 284)


def test_a_task_says_what_it_is() -> None:
    assert str(Ask(StudyConfig().memories[0], 3, ())) == "0 questions of tree 3 to no-memory"
