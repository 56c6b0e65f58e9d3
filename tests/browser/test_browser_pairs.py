"""Two answers of a case in a browser: the win rate and what decided it, both answers beside each other, and their labels."""

import asyncio
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import live

import adjudge

EXAMPLES = Path(__file__).parents[2] / "examples" / "pairwise"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    where = tmp_path_factory.mktemp("pairs") / "store"
    asyncio.run(
        adjudge.aevaluate(
            EXAMPLES / "ours.jsonl",
            "preference",
            against=EXAMPLES / "theirs.jsonl",
            model=f"scripted:{EXAMPLES / 'replies.jsonl'}",
            store=where,
            name="pairs",
        )
    )
    with live(where) as opened:
        yield opened


def test_the_run_page_says_who_wins_and_what_decides(open_tab, address, assert_readable):
    tab = open_tab(address.opened("runs/pairs"))
    page = tab.page
    expect(page.get_by_text("65.0 %").first).to_be_visible()
    expect(page.get_by_text("1 case only in A's file: comet")).to_be_visible()
    against = page.locator("aside section", has=page.get_by_role("heading", name="preference: A against B"))
    expect(against).to_contain_text("A wins 5, B wins 2, ties 1, inconsistent 2 (counted as ties)")
    expect(against).to_contain_text("the answer shown first is preferred: 61.1 %")
    expect(against).to_contain_text("the longer answer wins: 85.7 %")
    expect(page.get_by_text("not certified")).to_be_visible()
    tab.assert_quiet()
    assert_readable(tab)


def test_the_case_page_shows_both_answers_and_both_orders(open_tab, address, assert_readable):
    tab = open_tab(address.opened(""))
    page = tab.goto(f"{address.url}runs/pairs/case?case=onion")
    expect(page.get_by_text("Answer A").first).to_be_visible()
    expect(page.get_by_text("Answer B").first).to_be_visible()
    expect(page.get_by_text("A first: A is better; B first: B is better").first).to_be_visible()
    tab.assert_quiet()
    assert_readable(tab)


def test_people_label_with_the_same_three_words(open_tab, address):
    tab = open_tab(address.opened(""))
    tab.goto(f"{address.url}runs/pairs/case?case=sky")
    for word in ("A", "B", "tie"):
        expect(tab.page.get_by_role("button", name=word, exact=True).first).to_be_attached()
