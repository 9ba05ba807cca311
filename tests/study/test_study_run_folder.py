"""What a run folder holds after a first start that went wrong."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from recallreach.errors import ConfigError, DataError
from recallreach.study import manifest
from recallreach.study.config import StudyConfig
from recallreach.study.report import Results, write_report
from recallreach.study.run import run_study
from recallreach.study.summary import print_summary

TINY: dict[str, Any] = {
    "chains": 1,
    "sessions": 1,
    "transport": "in_process",
    "probes": 1,
    "memories": ["no-memory"],
    "catalog": {"variants": 1},
}


def test_a_wrong_agent_option_leaves_no_folder_that_refuses_the_corrected_study(tmp_path: Path) -> None:
    config = StudyConfig.parse({**TINY, "out": str(tmp_path), "agent": {"name": "matcher", "bogus": 1}})
    with pytest.raises(ConfigError, match="bogus"):
        run_study(config)
    assert not config.folder.exists()


def test_a_start_killed_before_its_catalogue_was_saved_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recallreach.storefront.catalog import Catalog

    config = StudyConfig.parse({**TINY, "out": str(tmp_path)})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Catalog, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            run_study(config)
    run_study(config)
    assert (config.folder / "catalog.json").is_file()
    assert manifest.read_manifest(config.folder)["finished_at"]


def test_the_summary_of_an_unfinished_run_says_so(tmp_path: Path) -> None:
    config = StudyConfig.parse({**TINY, "out": str(tmp_path)})
    results = run_study(config)
    assert "Not complete" not in _summary(results)
    manifest.reopen(config.folder)
    assert (
        f"Not complete: some probes are still to be asked; go on with: recallreach resume {config.folder}"
        in (_summary(write_report(config.folder)))
    )


def _summary(results: Results) -> str:
    console = Console(file=StringIO(), width=60)
    print_summary(console, results)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("text", ['{"format": 1}', '{"format": 1, "config": 3}'])
def test_a_manifest_without_configuration_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / manifest.FILE).write_text(text)
    with pytest.raises(DataError, match="damaged"):
        manifest.read_manifest(tmp_path)
