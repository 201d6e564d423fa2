"""The site in a browser: `make test-html`; needs Chromium, playwright and Sphinx."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.site.build import built

pytest_plugins = ["tests.browser.chromium"]

PAGES = ("index.html", "why.html", "rules/index.html", "rules/DEV101/index.html", "options.html")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is served."""
    site: Path = built(tmp_path_factory.mktemp("site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page that may not complain, nor ask anybody else."""
    page = browser.new_page()
    page.set_default_timeout(10_000)
    said: list[str] = []
    page.on("console", lambda message: said.extend([message.text] * (message.type != "log")))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    asked: list[str] = []
    yield page
    assert said == []
    assert [url for url in asked if not url.startswith((address, "data:"))] == []


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("DEV101", "DEV101 submodule-after-move"),
        ("dropout-cpu-generator", "DEV301 dropout-cpu-generator"),
        ("map_location", "DEV402 load-without-map-location"),
    ],
)
def test_the_search_finds_a_rule(page: Page, address: str, words: str, title: str) -> None:
    page.goto(address)
    page.get_by_placeholder("Search").fill(words)
    page.keyboard.press("Enter")
    found = page.locator("#search-results li").filter(has_text=title)
    found.get_by_role("link").first.click()
    expect(page.locator("h1")).to_contain_text(title)
    assert f"rules/{title[:6]}/" in page.url


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(
    page: Page, faint_texts: Callable[[Page], list[str]], address: str, name: str, scheme: str
) -> None:
    page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
    page.goto(address + name)
    assert faint_texts(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_page_is_not_wider_than_the_screen(page: Page, address: str, name: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address + name)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(page.locator("h1")).to_be_in_viewport()


def test_a_narrow_page_has_its_contents_behind_a_button(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address)
    contents = page.get_by_role("link", name="Why devices go wrong")
    expect(contents.first).not_to_be_in_viewport()
    page.locator(".nav-overlay-icon").click()
    expect(contents.first).to_be_in_viewport()


def test_pictures_are_there_and_follow_the_theme_that_is_chosen(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(address + "why.html")
    while page.locator("body[data-theme=dark]").count() == 0:
        page.locator(".theme-toggle:visible").first.click()
    picture = page.locator("article img").first
    assert picture.evaluate("each => getComputedStyle(each).colorScheme") == "dark"
    widths = page.locator("article img").evaluate_all("all => all.map(a => a.naturalWidth)")
    assert len(widths) == 4
    assert min(widths) > 500
