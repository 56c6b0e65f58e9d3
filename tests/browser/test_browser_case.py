"""The page of a case in a real browser: hostile text does nothing, keys lead on, and it fits narrow and wide screens."""

import json
from urllib.parse import quote

import pytest
from case_run import make_cases
from chromium import press
from jsonl import write_lines
from packed_payloads import packed
from playwright.sync_api import expect
from served import live
from xss_corpus import planted

import adjudge
from adjudge.text import seen


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with live(make_cases(tmp_path_factory.mktemp("cases"))) as address:
        yield address


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    ones = [planted(payload) for payload in packed()]
    write_lines(folder / "cases.jsonl", [each.case for each in ones])
    write_lines(folder / "replies.jsonl", [row for each in ones for row in each.replies])
    (folder / "judge.md").write_text(ones[0].judge)
    adjudge.evaluate(
        folder / "cases.jsonl",
        folder / "judge.md",
        name="hostile",
        store=folder / ".adjudge",
        model=f"scripted:{folder / 'replies.jsonl'}",
    )
    with live(folder / ".adjudge") as address:
        yield address


def test_no_payload_runs_or_fetches_and_each_is_there_to_be_read(hostile, open_tab):
    tab = open_tab(hostile.opened(""))
    for at, payload in enumerate(packed()):
        case = quote(planted(payload).case["id"], safe="", errors="surrogatepass")
        tab.forget()
        page = tab.goto(f"{hostile.url}runs/hostile/case?case={case}&as=plain&show=all")
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        shown = page.locator("#part-response pre.plain").evaluate("each => each.textContent")
        assert shown == seen(payload.text), payload.name
        tab.assert_quiet()
        view = ("score", "verdict", "calls", "json")[at % 4]
        tab.goto(f"{hostile.url}runs/hostile/case?case={case}&tab={view}")
        tab.assert_quiet()


def test_arrow_keys_lead_through_the_list_and_back(server, open_tab):
    tab = open_tab(server.opened(""))
    page = tab.goto(f"{server.url}runs/support/case?case=md&repeat=0&sort=case&outcome=scored")
    page.wait_for_selector("nav.steps a[rel=next]")
    heads = []
    for _ in range(3):
        heads.append(page.locator("nav.steps").inner_text().split("\n")[0:3])
        with page.expect_navigation():
            press(page, "ArrowRight")
    assert page.locator("h1").inner_text().startswith("silent")
    with page.expect_navigation():
        press(page, "ArrowLeft")
    assert "5 of 6" in page.locator("nav.steps").inner_text()
    with page.expect_navigation():
        press(page, "u")
    assert "/runs/support/cases?" in page.url
    assert "outcome=scored" in page.url
    assert len({json.dumps(each) for each in heads}) == 3


def test_a_step_of_the_score_lights_up_its_passage_and_a_tab_is_swapped_in_place(server, open_tab):
    tab = open_tab(server.opened(""))
    page = tab.goto(f"{server.url}runs/before/case?case=tower")
    page.locator('[data-part="F1"]').hover()
    assert page.locator("#part-response mark.lit").all_inner_texts() == ["is located in Paris"]
    page.locator("h1").hover()
    assert page.locator("mark.lit").count() == 0
    page.get_by_role("link", name="Prompt and reply").focus()
    press(page, "Enter")
    expect(page.locator("#why pre").last).to_be_visible()
    assert "tab=calls" in page.url
    assert page.locator("#why [aria-current]").inner_text() == "Prompt and reply"
    assert page.evaluate("document.activeElement.textContent.trim()") == "Prompt and reply"
    tab.assert_quiet()


def test_without_scripts_tabs_lead_on_and_a_label_is_kept_with_the_name_that_was_typed(server, open_tab):
    tab = open_tab(server.opened(""), java_script_enabled=False)
    page = tab.goto(f"{server.url}runs/after/case?case=tower")
    page.get_by_role("link", name="JSON", exact=True).click()
    expect(page.locator("#why pre")).to_contain_text('"case_id": "tower"')
    page.get_by_label("Name").fill("Anna")
    page.get_by_label("Name").press("Enter")
    assert page.locator(".labels li").count() == 0, "Enter is no label"
    page.get_by_role("button", name="4", exact=True).click()
    expect(page.locator(".labels li")).to_contain_text("after seeing the verdict")
    assert page.get_by_label("Name").input_value() == "Anna"
    assert page.get_by_role("button", name="4", exact=True).get_attribute("aria-pressed") == "true"
    assert "tab=json" in page.url
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".labels li")).to_have_count(0)


def test_a_name_is_typed_once(server, open_tab):
    tab = open_tab(server.opened(""))
    page = tab.goto(f"{server.url}runs/support/case?case=md&repeat=0")
    page.get_by_label("Name").fill("Bo")
    with page.expect_navigation():
        page.get_by_role("button", name="2", exact=True).click()
    page = tab.goto(f"{server.url}runs/support/case?case=long&repeat=0")
    expect(page.get_by_label("Name")).to_have_value("Bo")
    tab.assert_quiet()


def test_the_rest_of_a_long_text_comes_when_it_is_asked_for(server, open_tab):
    tab = open_tab(server.opened(""))
    page = tab.goto(f"{server.url}runs/support/case?case=long")
    assert page.locator("#part-response mark").count() == 0
    page.locator("#part-response .more a").click()
    page.wait_for_selector("#part-response mark")
    assert page.locator("#part-response mark").all_inner_texts() == ["three steps"]
    assert page.locator("#part-response .more").count() == 0
    assert "show=response" in page.url


def test_it_fits_the_screen_and_axe_finds_nothing(server, open_tab, assert_readable):
    tab = open_tab(server.opened(""))
    views = [f"before/case?case=tower&tab={view}" for view in ("score", "verdict", "calls", "json", "others")]
    views += [f"support/case?case=md&tab={view}" for view in ("score", "verdict", "calls", "json")]
    for path in (*views, "support/case?case=gone", "support/case?case=line-5"):
        tab.goto(f"{server.url}runs/{path}")
        assert_readable(tab, looks=((3840, False), (1280, False), (360, False), (1280, True)))
