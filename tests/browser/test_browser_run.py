"""One run in a browser: drawn beside its numbers, every bar a link, alive while it is judged."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from chromium import press
from playwright.sync_api import expect
from seeded_store import make_row, seed_store
from served import live

from adjudge.judges import built_in_judges
from adjudge.server.keys import to_key
from adjudge.store import EndRun, open_store

HOSTILE = '<img src=x onerror="window.__xss=1">'


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    return tmp_path_factory.mktemp("run") / "store"


@pytest.fixture(scope="module")
def address(where):
    seed_store(where, 900, repeats=2)
    with live(where) as opened:
        yield opened


@pytest.fixture
def show(open_tab, address):
    def open_run(**options):
        tab = open_tab(address.opened("runs/seeded"), **options)
        expect(tab.page.get_by_text("relevance by topic")).to_be_visible()
        return tab

    return open_run


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1280, 3840])
def test_the_page_fits_every_screen_and_is_accessible(show, axe_clean, width, dark):
    tab = show(width=width, dark=dark)
    assert tab.too_wide() == []
    tab.assert_quiet()
    axe_clean(tab.page)


def test_each_bar_is_as_long_as_its_number_and_leads_to_its_items(show):
    tab = show()
    table = tab.page.locator("table.bars", has_text="Scores given").nth(1)
    rows = table.locator("tbody tr").all()
    assert len(rows) == 3
    counts = [int(row.locator("td.n").first.inner_text().replace(",", "")) for row in rows]
    widths = [row.locator("rect").bounding_box()["width"] for row in rows]
    longest = max(widths)
    for count, width in zip(counts, widths, strict=True):
        assert width / longest == pytest.approx(count / max(counts), abs=0.02)
    rows[0].locator("rect").click()
    tab.page.wait_for_url("**/runs/seeded/items?*")
    assert "judge=relevance" in tab.page.url
    assert "low=1&high=1" in tab.page.url
    expect(tab.page.locator("main")).to_contain_text(str(counts[0]))


def test_bars_are_told_apart_by_pattern_and_the_keyboard_reaches_each_row_once(show):
    tab = show()
    failed = tab.page.locator("table.bars tr", has_text="unreadable").first
    assert "url(" in failed.locator("rect").evaluate("bar => getComputedStyle(bar).fill")
    stops = failed.locator("a").evaluate_all("links => links.map(link => link.tabIndex)")
    assert sorted(stops) == [-1, 0]
    failed.locator("a").first.focus()
    press(tab.page, "Enter")
    tab.page.wait_for_url("**/items?judge=correctness&outcome=unreadable")


def test_intervals_are_drawn_where_the_scale_has_them(show):
    tab = show()
    row = tab.page.locator("table.headline").nth(1).locator("tbody tr").first
    cell = row.locator("td.plot")
    said = {
        name: float(cell.get_attribute(f"data-{name}")) for name in ("value", "low", "high", "min", "max")
    }
    ticks = {
        float(tick.text_content()): tick.bounding_box()["x"] + tick.bounding_box()["width"] / 2
        for tick in cell.locator(".tick text").all()
    }
    first, last = ticks[said["min"]], ticks[said["max"]]

    def at(value):
        return first + (value - said["min"]) / (said["max"] - said["min"]) * (last - first)

    dot = cell.locator("circle").bounding_box()
    assert dot["x"] + dot["width"] / 2 == pytest.approx(at(said["value"]), abs=2)
    line = cell.locator("line.interval").bounding_box()
    assert line["x"] == pytest.approx(at(said["low"]), abs=3)
    assert line["x"] + line["width"] == pytest.approx(at(said["high"]), abs=3)


def test_drawings_follow_the_width_of_the_window(show):
    tab = show(width=1280)
    bar = tab.page.locator("table.slices svg.axis").first
    before = bar.bounding_box()["width"]
    tab.resize(2000)
    tab.page.wait_for_function(
        "before => { const axis = document.querySelector('table.slices svg.axis'); const line = axis.querySelector('.domain').getBoundingClientRect();"
        " return axis.getBoundingClientRect().width > before && line.width > axis.getBoundingClientRect().width - 60 }",
        arg=before,
    )
    assert tab.too_wide() == []


def test_other_columns_are_chosen_and_the_address_says_which(show):
    tab = show()
    for name in ("language", "system"):
        tab.page.get_by_role("checkbox", name=name).uncheck()
    tab.page.get_by_role("button", name="Show").click()
    expect(tab.page.get_by_text("relevance by system")).to_have_count(0)
    expect(tab.page.get_by_text("relevance by topic")).to_be_visible()
    assert tab.page.url.endswith("?slice=topic")
    assert tab.page.locator("table.slices svg.axis").count() == 2


def test_a_page_without_scripts_has_every_number(open_tab, address):
    tab = open_tab(address.opened("runs/seeded"), java_script_enabled=False)
    tab.page.goto(f"{address.url}runs/seeded?slice=topic")
    expect(tab.page.get_by_text("relevance by topic")).to_be_visible()
    assert tab.page.locator("table.bars a").count() > 8


def test_files_are_kept_and_not_opened(show):
    tab = show()
    tab.page.get_by_text("Download").click()
    for name in ("report.html", "report.md", "rows.jsonl", "rows.csv"):
        with tab.page.expect_download() as kept:
            tab.page.get_by_role("link", name=name).click()
        assert kept.value.suggested_filename == f"Seeded-{name}"


def test_a_run_is_seen_moving_until_it_is_finished(open_tab, tmp_path):
    where = tmp_path / "store"
    seed_store(where, 20, state="running", run_id="live", name=None)
    judges = [judge for judge in built_in_judges() if judge.name in {"correctness", "relevance"}]
    with live(where) as opened, closing(open_store(str(where))) as store:
        tab = open_tab(opened.opened("runs/live"))
        expect(tab.page.locator("#progress")).to_contain_text("running 20 judgements")
        expect(tab.page.locator("table.bars").first.locator("tbody tr").first).to_contain_text("10")
        store.write([write for n in range(20, 52) for write in make_row(n, judges, run_id="live")])
        expect(tab.page.locator("#progress")).to_contain_text("52 judgements")
        expect(tab.page.get_by_role("link", name="26 rows").first).to_be_visible()
        expect(tab.page.locator("table.bars rect").first).to_be_visible()
        store.write([EndRun(run_id="live", state="finished", at=store.runs()[0].started_at)])
        expect(tab.page.locator("#progress[data-poll]")).to_have_count(0)
        expect(tab.page.locator("#figures[data-poll]")).to_have_count(0)
        expect(tab.page.locator("#progress")).to_contain_text("finished")
        tab.assert_quiet()


def test_hostile_names_are_text_on_both_pages(open_tab, axe_clean, tmp_path):
    cases, replies = tmp_path / "cases.jsonl", tmp_path / "replies.jsonl"
    rows = [
        {"id": f"{HOSTILE}{n}", "question": HOSTILE, "response": HOSTILE, "metadata": {HOSTILE: HOSTILE if n % 2 else "b"}}
        for n in range(4)
    ]  # fmt: skip
    cases.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = [{"reason": HOSTILE, "score": n % 3} for n in range(4)]
    replies.write_text(
        "".join(
            json.dumps({"case_id": row["id"], "replies": [HOSTILE] * 9 if n == 3 else [said[n]]}) + "\n"
            for n, row in enumerate(rows)
        )
    )
    done = subprocess.run(
        [Path(sys.executable).with_name("adjudge"), "run", cases, "--judge", "relevance", "--name", HOSTILE,
         "--model", f"scripted:{replies}", "--store", tmp_path / "store", "--json"],
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with live(tmp_path / "store") as opened:
        for path in (f"runs/{to_key(HOSTILE)}", ""):
            tab = open_tab(opened.opened(path))
            expect(tab.page.get_by_text(HOSTILE).first).to_be_visible()
            if path:
                expect(tab.page.get_by_text(f"relevance by {HOSTILE}")).to_be_visible()
            tab.assert_quiet()
            axe_clean(tab.page)
