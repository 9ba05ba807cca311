"""The ids as other people use them: by package prefix, in vectors, under wrappers, in every render mode."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from recallreach.env.shared_texts import PageText, SharedTexts
from recallreach.env.store_env import StoreEnv
from recallreach.env.transports import InProcessTransport

VECTORS = """
import sys
import gymnasium

if __name__ == "__main__":
    for start_method in ("fork", "spawn"):
        envs = gymnasium.make_vec(
            "recallreach:recallreach/Recall-v0",
            num_envs=2,
            vectorization_mode="async",
            vector_kwargs={"context": start_method},
            pixels=True,
        )
        first, _ = envs.reset(seed=[1, 2])
        assert envs.observation_space.contains(first), "outside of the declared space"
        second, rewards, ended, _, _ = envs.step(("navigate(/about)", "done"))
        assert first["url"] == ("/", "/"), "the first observation changed"
        assert second["url"] == ("/about", "/"), second["url"]
        assert second["title"][0].startswith("About") and second["goal"][0] != second["goal"][1]
        assert first["picture"].shape == (2, 512, 512, 3)
        assert (list(rewards), list(ended)) == ([0.0, 0.0], [False, True])
        envs.close()
        print(start_method)
"""


def run(script: str, *flags: str, folder: Path) -> list[str]:
    """What a script prints; it must not fail or warn."""
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run(
        [sys.executable, *flags, str(path)], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_package_prefix_registers_the_ids(tmp_path: Path) -> None:
    script = (
        "import gymnasium\n"
        "for name in ('recallreach:recallreach/Recall-v0', 'recallreach/Browse-v0'):\n"
        "    env = gymnasium.make(name, pixels=False)\n"
        "    print(env.reset(seed=0)[0]['url'])\n"
        "    env.close()\n"
    )
    assert run(script, "-W", "error", folder=tmp_path) == ["/", "/"]


def test_texts_cross_shared_memory_with_either_start_method(tmp_path: Path) -> None:
    assert run(VECTORS, "-W", "error::UserWarning", folder=tmp_path) == ["fork", "spawn"]


def test_a_shared_text_is_read_when_it_is_looked_at() -> None:
    space = PageText(5, min_length=0, charset=frozenset("aé€"))
    from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

    memory = create_shared_memory(space, n=2)
    seen = read_from_shared_memory(space, memory, n=2)
    assert isinstance(seen, SharedTexts)
    assert list(seen) == ["", ""]
    write_to_shared_memory(space, 1, "é€aaa", memory)
    write_to_shared_memory(space, 0, "a", memory)
    assert (list(seen), seen[-1], seen[:1], repr(seen)) == (
        ["a", "é€aaa"],
        "é€aaa",
        ("a",),
        "('a', 'é€aaa')",
    )
    write_to_shared_memory(space, 1, "€", memory)
    assert seen[1] == "€"


def test_statistics_and_time_limits_see_a_whole_episode() -> None:
    envs = gymnasium.make_vec("recallreach/Recall-v0", num_envs=1, vectorization_mode="sync", pixels=False)
    statistics = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    statistics.reset(seed=[1])
    statistics.step(("hm",))
    *_, infos = statistics.step(("done",))
    assert (list(infos["episode"]["l"]), list(infos["episode"]["r"])) == ([2], [0.0])
    statistics.close()
    single = RecordEpisodeStatistics(TimeLimit(gymnasium.make("recallreach/Browse-v0", pixels=False), 3))
    for _ in range(2):
        single.reset(seed=0)
        for _ in range(2):
            *_, truncated, info = single.step("click_index(4)")
            assert not truncated
        *_, truncated, info = single.step("click_index(4)")
        assert truncated
        assert info["episode"]["l"] == 3
    single.close()
    single.close()


def test_mode_human_shows_every_page_by_itself(app: Any, capsys: pytest.CaptureFixture[str]) -> None:
    env = StoreEnv(InProcessTransport(app), render_mode="human")
    env.reset(options={"budget": 3})
    assert "</>  step 0 of 3" in capsys.readouterr().out
    env.step("navigate(/about)")
    shown = capsys.readouterr().out
    assert "</about>  step 1 of 3" in shown
    assert "[0] " in shown
    assert env.render() is None
    assert capsys.readouterr().out == ""


def test_the_other_modes_print_nothing(app: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for mode in (None, "ansi", "rgb_array"):
        env = StoreEnv(InProcessTransport(app), render_mode=mode)
        env.reset(options={"budget": 3})
        env.render()
    assert capsys.readouterr().out == ""


@pytest.mark.browser
@pytest.mark.parametrize("name", ["recallreach/Browse-v0", "recallreach/Recall-v0"])
def test_chromium_passes_gymnasiums_own_check_and_renders_its_page(name: str) -> None:
    env = gymnasium.make(name, transport="chromium", render_mode="rgb_array", disable_env_checker=True)
    check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=1)
    home = env.render()
    env.step("navigate(/about)")
    page = env.render()
    assert isinstance(home, np.ndarray)
    assert isinstance(page, np.ndarray)
    assert (home.shape, page.dtype) == ((900, 1280, 3), np.uint8)
    assert (home != page).any()
    env.close()
    env.close()
