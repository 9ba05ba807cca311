"""Sessions and probes of recallreach as BrowserGym tasks."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import gymnasium
from browsergym.core.registration import register_task
from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Error, Page

from recallreach_browsergym.chromium import choose_chromium
from recallreach_browsergym.desk import Desk, find_desk

PREFIX = "recallreach"
LEFT = "That address leads out of this shop; you are back on the page before it."


class RecallReachTask(AbstractBrowserTask):
    """One browsing session or one recall probe.

    It ends when a product is put on the wishlist, when the agent writes to the user or reports the task
    infeasible, and when its budget is spent. The product on the wishlist is the answer, else the product
    whose page is open. The reward is 1.0 for the right product of a probe; a session is not graded and gives
    0.0. `info["task_info"]` holds `graded`, `correct`, `steps`, `budget` and `products`, the product pages
    that were open, in order of first view.

    Args:
        seed: BrowserGym's; the tasks themselves draw nothing.
        task: "c0-s1" for session 1 of chain 0, "c0-s1-p2" for the third probe after it.
        desk: where the task comes from; `find_desk()` where None.
    """

    @classmethod
    def get_task_id(cls) -> str:
        """The family's name; each task is registered as `recallreach.<task>`."""
        return PREFIX

    def __init__(self, seed: int, task: str, desk: Desk | None = None) -> None:
        super().__init__(seed)
        choose_chromium()
        self.viewport = {"width": 1280, "height": 900}
        self.slow_mo = 0
        self.timeout = 30_000
        self._task, self._desk = task, desk or shared_desk()
        self._steps, self._budget, self._inside = 0, 0, ""
        self._products: list[str] = []

    def setup(self, page: Page) -> tuple[list[dict[str, str]], dict[str, Any]]:
        """Open the shop's home page as a new visitor; the goal is a list of texts and pictures."""
        opened = self._desk.open(self._task)
        self._budget, self._inside = int(opened["budget"]), f"{self._desk.shop}/"
        page.goto(self._inside, wait_until="domcontentloaded")
        return opened["goal"], {"task": self._task, "budget": self._budget}

    def validate(self, page: Page, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """Grade the state after one step."""
        self._steps += 1
        message = "" if self._owns(page.url) else self._lead_back(page)
        self._inside = page.url
        cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies(self._desk.shop)}
        grade = self._desk.grade(self._task, page.url, cookies)
        if grade["page"] is not None and grade["page"] not in self._products:
            self._products.append(grade["page"])
        done = bool(grade["wished"]) or _agent_spoke(chat_messages) or self._steps >= self._budget
        info = {
            "graded": grade["graded"] if done else None,
            "correct": done and bool(grade["correct"]),
            "steps": self._steps,
            "budget": self._budget,
            "products": tuple(self._products),
        }
        return float(info["correct"]), done, message, info

    def _owns(self, url: str) -> bool:
        mine, other = urlsplit(self._desk.shop), urlsplit(url)
        return (mine.scheme, mine.netloc) == (other.scheme, other.netloc)

    def _lead_back(self, page: Page) -> str:
        """Nothing outside of the shop is part of a task."""
        try:
            page.goto(self._inside, wait_until="domcontentloaded")
        except Error:  # a navigation of the page's own is still under way: ask once more
            page.goto(self._inside, wait_until="domcontentloaded")
        return LEFT


def _agent_spoke(messages: list[Any]) -> bool:
    """Whether the agent said something after BrowserGym's own greeting."""
    spoken = [entry for entry in messages if entry["role"] in ("assistant", "infeasible")]
    return len(spoken) > 1


@lru_cache(maxsize=1)
def shared_desk() -> Desk:
    """One desk for every task of this process. Raises DeskError."""
    return find_desk()


def register(desk: Desk | None = None) -> list[str]:
    """Make every task of the desk known to `gymnasium.make`; a second call does nothing.

    Returns:
        The environment ids, for instance "browsergym/recallreach.c0-s1-p0", in the order of their chains.

    Raises:
        DeskError: there is no desk.
    """
    source = desk or shared_desk()
    ids = []
    for entry in source.listing():
        name = f"{PREFIX}.{entry['task']}"
        ids.append(f"browsergym/{name}")
        if ids[-1] not in gymnasium.registry:
            register_task(name, RecallReachTask, task_kwargs={"task": entry["task"], "desk": source})
    return ids
