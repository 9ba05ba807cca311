"""Where the browser works: scripts, `python -O`, event loops, notebooks, forked and spawned processes."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from recallreach.env.transports import ChromiumTransport
from recallreach.env.types import Navigate
from recallreach.storefront.server import ShopServer

pytestmark = pytest.mark.browser

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebooks" / "first-steps.ipynb"

EPISODE = """
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import ChromiumTransport

def episode(url):
    env = StoreEnv(ChromiumTransport(url))
    env.reset(options={"budget": 3})
    *_, info = env.step("navigate(/about)")
    *_, terminated, truncated, info = env.step("done")
    env.close()
    return info["observation"].url, terminated
"""
PLAIN = EPISODE + "\nimport sys\nprint(*episode(sys.argv[1]), __debug__)\n"
PROCESSES = (
    EPISODE.replace("\nfrom", "\nimport multiprocessing, sys\nfrom", 1)
    + """
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, *pool.map(episode, [sys.argv[1]] * 2))
"""
)
FORKED = """
import os, sys
from recallreach.env.transports import ChromiumTransport
from recallreach.env.types import Back, Navigate

transport = ChromiumTransport(sys.argv[1])
transport.begin()
product = next(link for link in transport.act(Navigate("/search?q=chair")).links if link.kind == "product")
transport.act(Navigate(product.href))
mine = transport.pid
child = os.fork()
if child == 0:
    seen = transport.act(Navigate("/recently-viewed"))
    same_visit = product.label in seen.text and transport.act(Back()).url == product.href
    other = transport.pid
    transport.close()
    os._exit(0 if same_visit and other not in (None, mine) else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), transport.act(Navigate("/about")).url, transport.pid == mine)
transport.close()
"""


def run(script: str, url: str, folder: Path, *flags: str) -> list[str]:
    """What a script prints; it must end well and say nothing on standard error."""
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run(
        [sys.executable, *flags, str(path), url], capture_output=True, text=True, cwd=folder, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("flags", [(), ("-O",)], ids=["plain", "optimised"])
def test_a_script(server: ShopServer, tmp_path: Path, flags: tuple[str, ...]) -> None:
    assert run(PLAIN, server.url, tmp_path, *flags) == [f"/about True {not flags}"]


def test_forked_and_spawned_processes_with_browsers_of_their_own(server: ShopServer, tmp_path: Path) -> None:
    ends = "('/about', True) ('/about', True)"
    assert run(PROCESSES, server.url, tmp_path) == [f"fork {ends}", f"spawn {ends}"]


def test_a_process_forked_within_a_session_goes_on_by_itself(server: ShopServer, tmp_path: Path) -> None:
    """The child has a browser of its own and the same visit; the parent's browser is left alone."""
    assert run(FORKED, server.url, tmp_path) == ["0 /about True"]


def test_an_event_loop_goes_on_while_steps_run_in_a_thread(server: ShopServer) -> None:
    transport = ChromiumTransport(server.url)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    async def main() -> str:
        ticking = asyncio.create_task(tick())
        await asyncio.to_thread(transport.begin)
        seen = await asyncio.to_thread(transport.act, Navigate("/about"))
        before = ticks
        assert transport.act(Navigate("/")).url == "/"
        ticking.cancel()
        assert before > 0
        return seen.url

    assert asyncio.run(main()) == "/about"
    transport.close()


def test_the_notebook_runs(tmp_path: Path) -> None:
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=240, kernel_name="python3", resources=place).execute()
    printed = [output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("step 1 of" in text for text in printed)
    pictures = [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) >= 1
