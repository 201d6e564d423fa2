"""The HTML report in a browser: `make test-html`; needs Chromium and playwright."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from devlint.finding import Finding
from tests.nasty import FINDINGS, written

pytest_plugins = ["tests.browser.chromium"]

#: Tells the texts of a page that do not stand out from what is behind them.
Faint = Callable[[Page], list[str]]


def opened(browser: Browser, folder: Path, findings: list[Finding]) -> Page:
    """The page, which may neither complain nor ask for anything."""
    path = folder / "report.html"
    path.write_text(written("html", findings), encoding="utf-8")
    page = browser.new_page()
    page.set_default_timeout(5_000)
    page.on("console", lambda message: pytest.fail(f"console: {message.text}"))
    page.on("pageerror", lambda error: pytest.fail(f"error: {error}"))
    page.on("dialog", lambda dialog: pytest.fail(f"dialog: {dialog.message}"))
    page.on("request", lambda request: requests.append(request.url))
    requests: list[str] = []
    page.goto(path.as_uri())
    assert requests == [path.as_uri()]
    return page


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Page:
    return opened(browser, tmp_path, FINDINGS)


def shown(page: Page) -> list[str]:
    codes = page.locator("article:visible").evaluate_all("all => all.map(a => a.dataset.code)")
    assert page.inner_text("#shown") == f"{len(codes)} of {len(FINDINGS)} shown"
    return [str(code) for code in codes]


def test_a_click_on_a_rule_filters(page: Page) -> None:
    assert len(shown(page)) == len(FINDINGS)
    page.get_by_role("button", name="DEV801").click()
    assert shown(page) == ["DEV801", "DEV801"]
    page.get_by_role("button", name="DEV203").click()
    assert shown(page) == ["DEV203", "DEV801", "DEV801"]
    expect(page.locator(".file:visible")).to_have_count(1)
    page.get_by_role("button", name="DEV203").click()
    page.get_by_role("button", name="DEV801").click()
    assert len(shown(page)) == len(FINDINGS)


def test_severity_file_and_text_filter_together(page: Page) -> None:
    page.get_by_role("button", name="error").click()
    assert shown(page) == ["DEV201", "DEV902", "XYZ001"]
    page.get_by_label("File").select_option("lib/net.py")
    assert shown(page) == ["XYZ001"]
    page.get_by_label("Search").fill("DEV902")
    expect(page.locator("#nothing")).to_be_visible()
    assert shown(page) == []
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("article:visible")).to_have_count(len(FINDINGS))
    expect(page.locator("#nothing")).to_be_hidden()


def test_text_is_looked_for_in_code_and_paths(page: Page) -> None:
    page.get_by_label("Search").fill("MODEL.TO cuda")
    expect(page.locator("article:visible")).to_have_count(1)
    page.get_by_label("Search").fill("設計.py")
    expect(page.locator("article:visible")).to_have_count(4)


def test_keys_search_and_walk(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.get_by_label("Search")).to_be_focused()
    page.keyboard.type("waits")
    expect(page.locator("article:visible")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("article:visible")).to_have_count(len(FINDINGS))
    page.get_by_role("button", name="Close files").click()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("article").nth(1)).to_be_focused()
    expect(page.locator("details.file").first).to_have_attribute("open", "")


def test_files_fold_and_rules_unfold(page: Page) -> None:
    page.locator("summary h2").first.click()
    expect(page.locator("article").first).to_be_hidden()
    page.get_by_role("button", name="Open files").click()
    page.locator("article .rule").first.click()
    expect(page.locator("#rule-DEV203 h4").first).to_be_visible()


def test_a_chosen_theme_wins(page: Page) -> None:
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.get_by_role("button", name="Light").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == before


def test_print_shows_all(page: Page) -> None:
    page.get_by_role("button", name="Close files").click()
    page.emulate_media(media="print")
    assert page.pdf().startswith(b"%PDF")
    expect(page.locator("#filters")).to_be_hidden()


def test_print_is_black_on_white_whatever_the_theme(page: Page, faint_texts: Faint) -> None:
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(media="print", color_scheme="dark")
    style = (
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert page.evaluate(style) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert faint_texts(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(
    page: Page, faint_texts: Faint, scheme: str
) -> None:
    """The contrast that WCAG asks of text for level AA."""
    page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
    assert faint_texts(page) == []


def test_a_clean_run_says_so(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, [])
    expect(page.locator("header")).to_contain_text("No device problems found in 7 files.")
    expect(page.locator("#filters")).to_have_count(0)


def test_five_thousand_findings_are_filtered_at_once(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, FINDINGS[:4] * 1_250)
    took = page.evaluate(
        """() => {
          const before = performance.now();
          document.querySelector('.chip[data-value="DEV801"]').click();
          return performance.now() - before;
        }"""
    )
    assert page.inner_text("#shown") == "2500 of 5000 shown"
    assert took < 1_000
