"""The viewer over a made-up run, in Chromium: filters, keys, accessibility, and HTML that agents wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

from recallreach.env.browser import find_browser
from recallreach.storefront.server import ShopServer
from recallreach.study.viewer import create_viewer


class Watched:
    """A page that remembers what went wrong: console, uncaught errors, dialogs, requests to elsewhere."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page, self.troubles = page, list[str]()
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.troubles.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: self._request(request.url, origin))

    def _request(self, url: str, origin: str) -> None:
        if not url.startswith((f"{origin}/", "data:")):
            self.troubles.append(f"request: {url}")


@pytest.fixture
def watched(filled: Path) -> Iterator[tuple[Watched, str]]:
    with ShopServer(create_viewer(filled)) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(find_browser().path))
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        yield Watched(context.new_page(), server.url), server.url
        browser.close()


def checked(page: Page) -> list[str]:
    """Values of the filter's chosen boxes."""
    found: list[str] = page.locator(".filters input:checked").evaluate_all("all => all.map(one => one.value)")
    return found


@pytest.mark.browser
def test_open_filter_step_compare_and_keys_in_chromium(watched: tuple[Watched, str]) -> None:
    seen, url = watched
    page = seen.page
    page.goto(url)
    page.get_by_role("link", name="Probes", exact=True).click()
    page.get_by_label("dualmem").check()
    page.wait_for_url("**/probes?system=dualmem")
    page.keyboard.press("w")
    page.wait_for_url("**verdict=wrong**")
    assert page.locator("tr[data-row]").count() == 10
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator("tr.chosen a").get_attribute("href") or ""
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{second}")
    assert "2 of 10" in page.locator(".crumbs").inner_text()
    page.keyboard.press("j")
    page.wait_for_function("document.querySelector('.crumbs').innerText.includes('3 of 10')")
    page.keyboard.press("c")
    page.wait_for_url("**/compare/**")
    assert page.locator(".sides > section").count() == 2
    page.go_back()
    page.keyboard.press("u")
    page.wait_for_url("**/probes?**")
    page.locator("input[name=reach][value='1']").check()
    page.wait_for_url("**reach=1**")
    assert page.locator("h1").inner_text() == "5 probes"
    page.go_back()
    page.get_by_label("all", exact=True).check()
    page.wait_for_url("**/probes?system=dualmem")
    assert checked(page) == ["", "dualmem"]
    page.go_back()
    page.wait_for_url("**verdict=wrong**")
    assert checked(page) == ["wrong", "dualmem"], "the filter is what the address says, after Back, too"
    page.keyboard.press("/")
    page.keyboard.type("mug 0")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=mug**")
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    pair, probe = "/compare/c0-s1-000", second.partition("?")[0]
    for address in ("/", "/probes", probe, pair, "/chains/0/sessions/0", "/chains/0/bank", "/manifest"):
        page.goto(url + address)
        found = Axe().run(page).response["violations"]
        assert [(entry["id"], address) for entry in found if entry["impact"] in ("serious", "critical")] == []
    page.goto(f"{url}/chains/0/sessions/0#step-3")
    assert page.evaluate("document.querySelector(':target').id") == "step-3"
    assert seen.troubles == []


@pytest.mark.browser
def test_html_from_an_agent_does_nothing_and_no_page_outgrows_a_phone(
    watched: tuple[Watched, str],
) -> None:
    seen, url = watched
    page = seen.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    rude = ["/probes?q=mug+0", "/compare/c0-s1-000", "/chains/0/sessions/0", "/chains/0/bank?memory=dualmem"]
    for address in ["/", *rude, "/chains", "/manifest"]:
        page.goto(url + address)
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    page.goto(url + rude[0])
    page.locator(".cue a").first.click()
    assert page.locator("img[src='x']").count() == 0
    assert "window.hacked = 1" in page.locator("main").inner_text()
    assert page.evaluate("window.hacked") is None
    assert seen.troubles == []
