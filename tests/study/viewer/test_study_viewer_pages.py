"""The viewer over a made-up run: lists, filters, probes, pairs, sessions, banks."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from recallreach.errors import DataError
from recallreach.files import sha256, write_atomically
from recallreach.study.events import Trace
from recallreach.study.store import ResultStore, Unit
from recallreach.study.viewer import create_viewer
from recallreach.study.viewer.query import Leaf


@pytest.fixture
def client(filled: Path) -> FlaskClient:
    return create_viewer(filled).test_client()


def get(client: FlaskClient, address: str, status: int = 200) -> str:
    answer = client.get(address, headers={"Host": "127.0.0.1:8323"})
    assert answer.status_code == status, answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    return answer.text


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("", 60),
        ("?system=dualmem", 30),
        ("?system=dualmem&system=caption", 60),
        ("?reach=1", 30),
        ("?verdict=wrong", 20),
        ("?verdict=right&system=caption", 19),
        ("?status=error", 2),
        ("?stage=not+retrieved&chain=0", 10),
        ("?q=MUG+29", 2),
        ("?reach=x&verdict=perhaps", 60),
        ("?q=%25", 0),
    ],
)
def test_filters_say_how_many_pass(client: FlaskClient, query: str, total: int) -> None:
    page = get(client, f"/probes{query}")
    assert f"<h1>{total} probe" in page


def test_a_list_is_cut_into_pages(client: FlaskClient) -> None:
    pages = [get(client, f"/probes?page={number}") for number in (1, 2)]
    rows = [re.findall(r'<td class="cue"><a href="([^"]+)"', page) for page in pages]
    assert [len(found) for found in rows] == [50, 10]
    assert len({address for found in rows for address in found}) == 60
    assert get(client, "/probes?page=99") == pages[1]
    assert get(client, "/probes?page=x") == pages[0]


@pytest.mark.parametrize(
    ("wanted", "total", "leaf"),
    [("1", 0, (1, 1, 0, 0)), ("2", 101, (2, 3, 51, 100)), ("9", 101, (3, 3, 101, 101))],
)
def test_a_leaf_names_its_entries(wanted: str, total: int, leaf: tuple[int, ...]) -> None:
    found = Leaf.of(wanted, total, 50)
    assert (found.number, found.pages, found.first, found.last) == leaf


def test_a_probe_shows_what_was_asked_returned_delivered_done_and_graded(
    client: FlaskClient, delivered: bytes
) -> None:
    address = re.findall(
        r'class="cue"><a href="([^"]+)"', get(client, "/probes?verdict=right&system=dualmem")
    )[0]
    page = get(client, address.replace("&amp;", "&"))
    for part in (
        "Find the red mug",
        "asked for",
        "visual 0.800",
        "Memory found 1 item.",
        "open(M1)",
        "carried out as",
    ):
        assert part in page
    assert "The agent ended on the right page." in page
    assert f"/pictures/{sha256(delivered)}" in page
    assert "/compare/" in page
    assert 'rel="next"' in page
    raw = json.loads(get(client, address.partition("?")[0] + "/trace.json"))
    assert raw["turns"][0]["asked"] == "open(M1)"


def test_an_endless_address_is_cut(client: FlaskClient) -> None:
    page = get(client, "/probes?" + "&".join(f"chain={number}" for number in range(1000)))
    assert page.count('title="Remove this filter"') == 100


def test_neighbours_are_those_of_the_filter(client: FlaskClient) -> None:
    rows = re.findall(r'class="cue"><a href="([^"]+)"', get(client, "/probes?verdict=wrong&system=caption"))
    second = get(client, rows[1].replace("&amp;", "&"))
    assert f'rel="prev" href="{rows[0]}"' in second
    assert f'rel="next" href="{rows[2]}"' in second
    outside = get(client, rows[1].partition("?")[0] + "?verdict=right")
    assert "not among the" in outside


def test_two_systems_are_shown_side_by_side(client: FlaskClient) -> None:
    page = get(client, "/compare/c1-s1-001?left=dualmem&right=caption")
    assert page.index('aria-label="dualmem"') < page.index('aria-label="caption"')
    assert 'aria-label="caption"' in get(client, "/compare/c1-s1-001?left=unknown")
    get(client, "/compare/none", 404)


def test_sessions_and_banks_are_shown(client: FlaskClient) -> None:
    assert "/chains/1/sessions/1" in get(client, "/chains")
    page = get(client, "/chains/1/sessions/0")
    assert 'id="step-4"' in page
    assert "Lamp 00000004" in page
    bank = get(client, "/chains/0/bank?memory=dualmem&session=1")
    assert "1 record," in bank
    assert "page text" in bank
    get(client, "/chains/1/bank", 404)
    get(client, "/chains/7/sessions/0", 404)
    get(client, "/chains/0/sessions/5", 404)


def test_chains_of_a_tree_show_the_sessions_they_share(filled: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "tree"))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["config"] |= {"chains": 1, "sessions": 2, "branching": 2}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    (copy / "trajectories" / "c0001-s0000.json").unlink()
    client = create_viewer(copy).test_client()
    assert 'class="shared" href="/chains/1/sessions/0"' in get(client, "/chains")
    assert "Session 1 of chain 2" in get(client, "/chains/1/sessions/0")
    assert "Lamp 00000004" in get(client, "/chains/1/sessions/0")
    get(client, "/chains/1/sessions/1")


def test_the_overview_leads_to_the_probes_behind_each_figure(client: FlaskClient) -> None:
    page = get(client, "/")
    assert "/probes?system=dualmem&amp;reach=1" in page
    assert "not retrieved" in page
    assert "not finished" in page
    assert "matcher" in get(client, "/manifest")


def test_the_report_is_served_as_it_is_and_can_run_nothing(client: FlaskClient) -> None:
    answer = client.get("/report", headers={"Host": "localhost:1"})
    assert answer.text == "<p>the report</p>"
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "address",
    ["/probes/none", "/pictures/none", f"/pictures/{'0' * 64}", "/nothing", "/probes/none/trace.json"],
)
def test_what_is_not_there_is_told(client: FlaskClient, address: str) -> None:
    page = get(client, address, 404)
    assert "Overview" in page
    assert re.search(r"<h1>Not Found</h1>\s*<p>[^<]{20,}</p>", page), "and in words"


def test_pictures_are_bytes_that_no_browser_reads_as_a_page(client: FlaskClient, delivered: bytes) -> None:
    answer = client.get(f"/pictures/{sha256(delivered)}", headers={"Host": "127.0.0.1"})
    assert (answer.data, answer.mimetype) == (delivered, "image/jpeg")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.1:8323"])
def test_other_names_than_this_machine_are_refused(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 403


def test_nothing_can_be_sent_and_nothing_in_the_folder_changes(client: FlaskClient, filled: Path) -> None:
    def state() -> dict[str, str]:
        files = [
            path
            for path in filled.rglob("*")
            if path.is_file() and path.suffix not in (".sqlite-shm", ".sqlite-wal")
        ]
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    before = state()
    for address in ("/", "/probes", "/chains", "/chains/0/bank", "/manifest"):
        get(client, address)
        assert client.post(address, headers={"Host": "127.0.0.1"}).status_code == 405
    assert state() == before


def test_a_run_that_goes_on_is_followed(filled: Path, later: tuple[Unit, Trace], tmp_path: Path) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "copy"))
    client = create_viewer(copy).test_client()
    assert "<h1>60 probes" in get(client, "/probes")
    with ResultStore(copy / "results.sqlite") as store:
        store.add(*later)
        assert "<h1>61 probes" in get(client, "/probes")
    assert "<h1>1 probe</h1>" in get(client, "/probes?q=later")


def test_the_end_of_a_run_is_seen_without_a_new_start(filled: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "copy"))
    client = create_viewer(copy).test_client()
    assert "not finished" in get(client, "/")
    manifest = json.loads((copy / "manifest.json").read_text())
    write_atomically(copy / "manifest.json", json.dumps(manifest | {"finished_at": "2026-01-01T01:00:00"}))
    assert "not finished" not in get(client, "/")
    (copy / "manifest.json").unlink()
    assert "not finished" not in get(client, "/")


def test_a_run_without_an_answer_yet_and_one_with_errors_only_are_shown(
    folder: Path, failed: tuple[Unit, Trace], tmp_path: Path
) -> None:
    ignore = shutil.ignore_patterns("results.*", "report.html")
    copy = Path(shutil.copytree(folder, tmp_path / "copy", ignore=ignore))
    with ResultStore(copy / "results.sqlite") as store:
        client = create_viewer(copy).test_client()
        assert "No probe was answered yet." in get(client, "/")
        assert "No probe passes this filter" in get(client, "/probes")
        assert "recallreach report" in get(client, "/report", 404)
        store.register("dualmem", {})
        store.add(*failed)
    home = get(client, "/")
    assert re.search(r"<td class=\"shade-0\">.*?–</a></td>", home)
    assert "<td>1</td></tr>" in home
    assert "<h1>1 probe</h1>" in get(client, "/probes?status=error")
    page = get(client, f"/probes/{failed[0].key}")
    assert "error (crash): the browser said &lt;script&gt;" in page
    assert "ended on no product page" in page
    assert "Nothing was delivered." in page


@pytest.mark.parametrize(
    ("name", "text", "address", "told"),
    [
        ("catalog.json", "[1]", "/probes/{key}", "not a catalogue"),
        ("trajectories/c0000-s0001.json", "{", "/chains/0/sessions/1", "not valid JSON"),
        ("trajectories/c0000-s0001.json", "{", "/probes/{key}", "not valid JSON"),
    ],
)
def test_a_damaged_file_is_named_and_the_rest_goes_on(
    filled: Path, tmp_path: Path, name: str, text: str, address: str, told: str
) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "copy"))
    (copy / name).write_text(text)
    client = create_viewer(copy).test_client()
    (key,) = re.findall(r"/probes/(\w{64})", get(client, "/probes?q=c0-s1-002&system=dualmem"))
    page = get(client, address.format(key=key), 500)
    assert told in page
    assert name in page
    assert "Right answers by reach" in get(client, "/")


def test_a_damaged_row_trace_or_picture_is_told(filled: Path, delivered: bytes, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "copy"))
    db = sqlite3.connect(copy / "results.sqlite")
    for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        db.execute(f"DROP TRIGGER {name}")
    (key, other) = (row[0] for row in db.execute("SELECT key FROM units WHERE system = 'dualmem' LIMIT 2"))
    db.execute("UPDATE units SET correct = 1 - correct WHERE key = ?", (key,))
    db.execute("UPDATE events SET body = replace(body, 'M1', 'M2') WHERE unit = ?", (other,))
    db.execute("UPDATE pictures SET data = x'00'")
    db.commit()
    db.close()
    client = create_viewer(copy).test_client()
    for address in (
        f"/probes/{key}",
        f"/probes/{other}",
        f"/pictures/{sha256(delivered)}",
        "/probes?system=dualmem",
    ):
        assert "not as it was written" in get(client, address, 500)
    assert "<h1>30 probes" in get(client, "/probes?system=caption")


@pytest.mark.parametrize("lacks", ["products", "systems", "agent"])
def test_a_manifest_that_lacks_something_is_told(filled: Path, tmp_path: Path, lacks: str) -> None:
    copy = Path(shutil.copytree(filled, tmp_path / "copy"))
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest.pop(lacks, None)
    manifest["config"].pop(lacks, None)
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=f"lacks {lacks}"):
        create_viewer(copy)


LOOK = """
import os, sys
from pathlib import Path
from recallreach.study.viewer import create_viewer
folder = Path(sys.argv[1])
assert not os.access(folder, os.W_OK) or os.geteuid() == 0
try:
    (folder / "new").touch()
except PermissionError:
    client = create_viewer(folder).test_client()
    for address in ("/", "/probes", "/chains/0/sessions/0", "/chains/0/bank"):
        answer = client.get(address, headers={"Host": "127.0.0.1"})
        print(address, answer.status_code)
"""


def test_a_folder_that_cannot_be_written_is_shown(filled: Path, tmp_path: Path) -> None:
    ignore = shutil.ignore_patterns("*-wal", "*-shm")
    copy = Path(shutil.copytree(filled, tmp_path / "copy", ignore=ignore))
    entries = [copy, *copy.rglob("*")]
    for entry in entries:
        entry.chmod(0o555 if entry.is_dir() else 0o444)
    powerless = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*powerless, sys.executable, "-c", LOOK, str(copy)], capture_output=True, text=True, check=True
    )
    for entry in entries:
        entry.chmod(0o755)
    assert [line.split()[-1] for line in done.stdout.splitlines()] == ["200"] * 4


def test_a_folder_without_results_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a run folder"):
        create_viewer(tmp_path)
    (tmp_path / "manifest.json").write_bytes((folder / "manifest.json").read_bytes())
    with pytest.raises(DataError, match="no results yet"):
        create_viewer(tmp_path)
