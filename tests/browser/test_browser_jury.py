"""A jury in a browser: the jury and its jurors on the run page, the votes on the page of a case."""

import asyncio
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import live

import adjudge

EXAMPLES = Path(__file__).parents[2] / "examples" / "jury"
MODELS = [f"scripted:{EXAMPLES / name}.jsonl" for name in ("small", "medium", "large")]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    where = tmp_path_factory.mktemp("jury") / "store"
    for name, rule in (("jury", "majority"), ("models", None)):
        asyncio.run(
            adjudge.aevaluate(
                EXAMPLES / "cases.jsonl", "correctness", model=MODELS, jury=rule, store=where, name=name
            )
        )
    with live(where) as opened:
        yield opened


def test_the_run_page_shows_the_jury_and_its_jurors(open_tab, address, assert_readable):
    tab = open_tab(address.opened("runs/jury"))
    page = tab.page
    expect(page.get_by_text("82.6 %").first).to_be_visible()
    jury = page.locator("section", has=page.get_by_role("heading", name="Jury of correctness")).last
    expect(jury).to_contain_text("1.8 [1.3, 3.0] effective votes of 3")
    expect(jury).to_contain_text("no evidence that the jury beats its best member")
    expect(jury.get_by_role("table").first).to_contain_text("large.jsonl")
    expect(page.get_by_text("jury: majority")).to_be_visible()
    tab.assert_quiet()
    assert_readable(tab)


def test_the_list_has_one_row_a_case_and_the_case_its_votes(open_tab, address, assert_readable):
    tab = open_tab(address.opened(""))
    page = tab.goto(f"{address.url}runs/jury/cases")
    expect(page.locator("tbody tr")).to_have_count(24)
    page = tab.goto(f"{address.url}runs/jury/case?case=q09")
    steps = page.locator(".step.vote")
    expect(steps).to_have_count(3)
    expect(steps.nth(1)).to_contain_text("refused")
    expect(page.get_by_text("The verdict that most of the votes are for.")).to_be_visible()
    tab.assert_quiet()
    assert_readable(tab)
    page = tab.goto(f"{address.url}runs/jury/case?case=q24")
    expect(page.get_by_text("1 of 3 jurors voted, and 2 are needed").first).to_be_visible()


def test_models_without_a_jury_stand_side_by_side(open_tab, address, assert_readable):
    tab = open_tab(address.opened("runs/models"))
    page = tab.page
    expect(page.get_by_text("Models for correctness")).to_be_visible()
    expect(page.locator(".judge-cards article")).to_have_count(3)
    tab.assert_quiet()
    assert_readable(tab)
