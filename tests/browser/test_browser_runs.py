"""The list of runs in a browser."""

from contextlib import closing
from datetime import timedelta

import pytest
from chromium import press
from playwright.sync_api import expect
from seeded_store import AT, seed_store
from served import live

from adjudge.store import RunRecord, StartRun, open_store


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    where = tmp_path_factory.mktemp("runs") / "store"
    seed_store(where, 60, run_id="before", name="The run before the change")
    seed_store(where, 60, run_id="0123456789ab", name=None, judges=("correctness",))
    with closing(open_store(str(where))) as store:
        plan = {"judges": ["correctness@x"], "model": "m", "repeats": 1, "rows": [30, None, None]}
        waiting = RunRecord(
            run_id="waits", name=None, state="running", plan=plan, started_at=AT - timedelta(days=1)
        )
        store.write([StartRun(run=waiting)])
    with live(where) as opened:
        yield opened


@pytest.fixture
def page(open_tab, address):
    def show(**options):
        tab = open_tab(address.opened(), **options)
        expect(tab.page.locator("table.runs td[data-label=Result]")).to_have_count(3)
        return tab

    return show


def test_the_list_fits_every_screen_and_is_accessible(page, assert_readable):
    tab = page()
    tab.assert_quiet()
    assert_readable(tab, narrow_colours=True)


def test_intervals_and_names_are_not_broken(page):
    tab = page(width=1280)
    # all at once: the list may be renewed between two looks
    broken = """() => [...document.querySelectorAll("table.runs td.figure[data-label], table.runs a[href='/runs/0123456789ab']")].filter(cell => {
      const range = document.createRange();
      range.selectNodeContents(cell.firstChild);
      return new Set([...range.getClientRects()].map(box => box.top)).size !== 1;
    }).map(cell => cell.textContent)"""
    assert tab.page.evaluate(broken) == []
    inside = "region => region.scrollWidth <= region.clientWidth"
    assert tab.page.get_by_role("region", name="List of runs").evaluate(inside)


def test_two_runs_are_chosen_by_keyboard_and_stay_chosen_when_the_list_is_renewed(page):
    tab = page()
    button = tab.page.get_by_role("button", name="Compare two runs")
    expect(button).to_be_disabled()
    for name in ("The run before the change", "0123456789ab"):
        box = tab.page.get_by_role("checkbox", name=f"Choose {name} to compare")
        box.focus()
        press(tab.page, "Space")
    expect(button).to_be_enabled()
    tab.page.evaluate("document.activeElement.blur()")
    tab.page.evaluate(
        "import('/static/app.js' + new URL(document.querySelector('script[type=module]').src).search)"
        ".then(app => app.swap(location.href + '?q=', '#runs'))"
    )
    expect(button).to_be_enabled()
    button.focus()
    press(tab.page, "Enter")
    tab.page.wait_for_url("**/compare?a=*&b=*")
    chosen = dict(pair.split("=") for pair in tab.page.url.partition("?")[2].split("&"))
    assert set(chosen.values()) == {"before", "0123456789ab"}


def test_a_filter_narrows_the_list_as_it_is_typed(page):
    tab = page()
    tab.page.get_by_label("Find").fill("change")
    expect(tab.page.locator("table.runs tbody")).to_have_count(1)
    assert "q=change" in tab.page.url
    tab.page.get_by_label("Find").fill("nothing has this")
    expect(tab.page.get_by_text("No run fits.")).to_be_visible()


def test_a_run_that_waits_shows_how_many_are_to_come(page):
    tab = page()
    expect(tab.page.get_by_text("running · 0 of 30")).to_be_visible()
    expect(tab.page.get_by_role("progressbar", name="Judgements of waits")).to_be_visible()


def test_an_empty_store_says_what_to_type(open_tab, axe_clean, tmp_path):
    with live(tmp_path / "store") as opened:
        tab = open_tab(opened.opened(), width=360)
        expect(tab.page.get_by_text("adjudge run cases.jsonl --judge correctness")).to_be_visible()
        axe_clean(tab.page)
        assert tab.too_wide() == []
