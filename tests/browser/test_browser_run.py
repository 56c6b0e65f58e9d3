"""One run in a browser: drawn beside its numbers, every bar a link, alive while it is judged."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from chromium import press
from jsonl import write_lines
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


def test_the_page_fits_every_screen_and_is_accessible(show, assert_readable):
    tab = show()
    tab.assert_quiet()
    assert_readable(tab)


def test_each_bar_is_as_long_as_its_number_and_its_score_leads_to_its_cases(show):
    tab = show()
    table = tab.page.locator("table.bars").nth(1)
    rows = table.locator("tbody tr").all()
    assert len(rows) == 3
    counts = [int(row.locator("td.n").inner_text().replace(",", "")) for row in rows]
    widths = [row.locator("rect").bounding_box()["width"] for row in rows]
    longest = max(widths)
    for count, width in zip(counts, widths, strict=True):
        assert width / longest == pytest.approx(count / max(counts), abs=0.02)
    rows[0].locator("a").focus()
    press(tab.page, "Enter")
    tab.page.wait_for_url("**/runs/seeded/cases?*")
    assert "judge=relevance" in tab.page.url
    assert "low=1&high=1" in tab.page.url
    expect(tab.page.locator("main")).to_contain_text(str(counts[0]))


def test_the_headline_is_drawn_where_the_scale_has_it(show):
    tab = show()
    card = tab.page.locator(".card").first
    value = float(card.locator(".big").inner_text().split(" %")[0]) / 100
    track, filled = (card.locator(f"svg rect.{name}").bounding_box() for name in ("track", "mark"))
    assert filled["width"] / track["width"] == pytest.approx(value, abs=0.01)


def test_a_failed_case_is_read_on_the_page_and_opened_from_it(show):
    tab = show()
    row = tab.page.locator("table.cases tbody tr").first
    assert row.locator("td").nth(0).inner_text()
    row.locator("th a").click()
    tab.page.wait_for_url("**/runs/seeded/case?*")


def test_other_columns_are_chosen_and_the_address_says_which(show):
    tab = show()
    for name in ("language", "system"):
        tab.page.get_by_role("checkbox", name=name).uncheck()
    tab.page.get_by_role("button", name="Show").click()
    expect(tab.page.get_by_text("relevance by system")).to_have_count(0)
    expect(tab.page.get_by_text("relevance by topic")).to_be_visible()
    assert tab.page.url.endswith("?slice=topic")
    assert tab.page.locator("table.slices").count() == 2


def test_a_page_without_scripts_has_every_number(open_tab, address):
    tab = open_tab(address.opened("runs/seeded"), java_script_enabled=False)
    tab.page.goto(f"{address.url}runs/seeded?slice=topic")
    expect(tab.page.get_by_text("relevance by topic")).to_be_visible()
    assert tab.page.locator("table.bars a").count() == 5


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
        expect(tab.page.locator(".tabs")).to_contain_text("All 20")
        store.write([write for n in range(20, 52) for write in make_row(n, judges, run_id="live")])
        expect(tab.page.locator("#progress")).to_contain_text("52 judgements")
        expect(tab.page.locator(".tabs")).to_contain_text("All 52")
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
    write_lines(cases, rows)
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
