"""Labelling by criterion and by rating in a real browser: with the keyboard, on a phone's width, and without scripts."""

import asyncio
from contextlib import closing
from pathlib import Path

import pytest
from chromium import press
from jsonl import read_lines
from playwright.sync_api import expect
from served import live

import adjudge
from adjudge.store import open_store

EXAMPLES = Path(__file__).parents[2] / "examples" / "rubrics"
CRITERIA = [
    "Answers the question that was asked",
    "Names one next step for the customer",
    "Thanks the customer or apologises",
    "Promises something that the policy does not allow",
]


@pytest.fixture
def where(tmp_path):
    rows = read_lines(EXAMPLES / "tickets.jsonl")
    cases = [{name: value for name, value in row.items() if name != "label"} for row in rows]
    for judge, name in (("support", "rubric"), ("style", "ratings")):
        asyncio.run(
            adjudge.aevaluate(
                cases,
                EXAMPLES / f"{judge}.md",
                model=f"scripted:{EXAMPLES / 'replies.jsonl'}",
                store=tmp_path / "store",
                name=name,
            )
        )
    return tmp_path / "store"


@pytest.fixture
def server(where):
    with live(where) as opened:
        yield opened


def begin(tab, server, run):
    tab.goto(server.opened(f"runs/{run}/label"))
    page = tab.page
    page.get_by_label("Your name").fill("Anna")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("How many").fill("6")
    page.get_by_role("button", name="Sample and start").click()
    page.wait_for_selector("#label-form")
    return page


def kept(where, run, judge):
    with closing(open_store(where)) as store:
        return store.labels(run, judge)


def test_criteria_are_answered_by_keyboard(open_tab, server, where, assert_readable):
    tab = open_tab()
    page = begin(tab, server, "rubric")
    expect(page.get_by_role("group", name=CRITERIA[0])).to_be_visible()
    assert "It does." not in page.content()
    for key in "yn?n":
        press(page, key)
    checked = page.locator("#label-form :checked")
    assert [checked.nth(at).get_attribute("value") for at in range(4)] == ["true", "false", "", "false"]
    press(page, "Enter")  # the button has the focus
    expect(page.locator("#progress")).to_have_text("1 of 6 labelled")
    (label,) = kept(where, "rubric", "support-reply")
    assert label.parts == {CRITERIA[0]: True, CRITERIA[1]: False, CRITERIA[3]: False}
    assert label.label is None
    # an arrow changes the answer in focus, and is no step to another case
    first = page.locator("#turn").get_attribute("data-case")
    page.get_by_role("group", name=CRITERIA[1]).get_by_label("Yes").focus()
    press(page, "ArrowRight")
    expect(page.get_by_role("group", name=CRITERIA[1]).get_by_label("No", exact=True)).to_be_checked()
    assert page.locator("#turn").get_attribute("data-case") == first
    press(page, "Enter")  # the browser wants an answer to each
    expect(page.locator("#progress")).to_have_text("1 of 6 labelled")
    for name in (CRITERIA[0], CRITERIA[2], CRITERIA[3]):
        page.get_by_role("group", name=name).get_by_label("Yes").check()
    press(page, "Enter")
    expect(page.locator("#progress")).to_have_text("2 of 6 labelled")
    whole = next(each for each in kept(where, "rubric", "support-reply") if each.label is not None)
    assert whole.label == pytest.approx(2 / 9)  # 5 + 1 - 4 of 9 points
    press(page, "u")
    expect(page.locator("#progress")).to_have_text("1 of 6 labelled")
    tab.assert_quiet()
    assert_readable(tab)


def test_ratings_have_a_field_each_and_what_was_said_is_there_again(open_tab, server, where, assert_readable):
    tab = open_tab(width=360)
    page = begin(tab, server, "ratings")
    page.get_by_label("clarity").fill("4")
    page.get_by_label("padding").fill("2")
    page.get_by_label("padding").press("Enter")
    expect(page.locator("#progress")).to_have_text("1 of 6 labelled")
    (label,) = kept(where, "ratings", "style")
    assert (label.label, label.parts) == (None, {"clarity": 4.0, "padding": 2.0})
    press(page, "ArrowLeft")
    expect(page.get_by_label("clarity")).to_have_value("4")
    expect(page.get_by_label("warmth")).to_have_value("")
    page.get_by_label("warmth").fill("3")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#case-title")).not_to_contain_text("labelled")
    (label,) = kept(where, "ratings", "style")
    assert label.label == pytest.approx((3 / 4 + 2 / 4 + 3 / 4) / 3)
    tab.assert_quiet()
    assert_readable(tab)


def test_without_scripts_the_form_does_the_same(open_tab, server, where):
    tab = open_tab(java_script_enabled=False)
    page = begin(tab, server, "rubric")
    for name in CRITERIA:
        page.get_by_role("group", name=name).get_by_label("Yes").check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#progress")).to_have_text("1 of 6 labelled")
    (label,) = kept(where, "rubric", "support-reply")
    assert label.parts == dict.fromkeys(CRITERIA, True)
