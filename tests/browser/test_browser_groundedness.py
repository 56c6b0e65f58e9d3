"""Claims and conversations in a browser: what each claim rests on, marked where it stands, and a turn with what came before."""

import asyncio
from pathlib import Path

import pytest
from playwright.sync_api import expect
from served import live

import adjudge

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    where = tmp_path_factory.mktemp("grounded") / "store"
    runs = (
        ("groundedness/answers.jsonl", "groundedness", "groundedness/replies.jsonl", "last", "shop"),
        (
            "conversations/chats.jsonl",
            EXAMPLES / "conversations/honest.md",
            "conversations/replies.jsonl",
            "each",
            "chats",
        ),
    )
    for cases, judge, replies, turns, name in runs:
        model = f"scripted:{EXAMPLES / replies}"
        asyncio.run(
            adjudge.aevaluate(EXAMPLES / cases, judge, model=model, turns=turns, store=where, name=name)
        )
    with live(where) as opened:
        yield opened


def test_the_run_page_gives_the_share_of_each_verdict(open_tab, address, assert_readable):
    tab = open_tab(address.opened("runs/shop"))
    table = tab.page.get_by_role("table").filter(has_text="contradicted")
    expect(table).to_contain_text("71.4 % [14.3, 97.4]")
    tab.assert_quiet()
    assert_readable(tab)


def test_claims_are_marked_in_the_answer_and_their_passages_in_the_context(
    open_tab, address, assert_readable
):
    tab = open_tab(address.opened(""))
    page = tab.goto(f"{address.url}runs/shop/case?case=g3")
    expect(page.locator("mark", has_text="you get a voucher of 10 euros")).to_be_visible()
    expect(page.locator("mark", has_text="can be returned within 30 days")).to_be_visible()
    why = page.get_by_role("region", name="Why")
    expect(why).to_contain_text("its passage is not in the context")
    assert why.get_by_text("supported", exact=True).count() == 2
    assert why.get_by_text("not found", exact=True).count() == 1
    tab.assert_quiet()
    assert_readable(tab)


def test_a_turn_is_shown_with_the_conversation_before_it(open_tab, address, assert_readable):
    tab = open_tab(address.opened(""))
    page = tab.goto(f"{address.url}runs/chats/case?case=chat1%2Fturn-2")
    expect(page.get_by_text("Conversation before")).to_be_visible()
    expect(page.get_by_text("Assistant calls find_order:")).to_be_visible()
    expect(page.get_by_text("Sure, I have changed it.").first).to_be_visible()
    tab.assert_quiet()
    assert_readable(tab)
