"""The judges in a browser: read one, see what it would send, ask it; hostile text stays text."""

import json
import re

import pytest
from chromium import press
from compared_runs import JUDGED
from jsonl import write_lines
from packed_payloads import packed
from playwright.sync_api import expect
from served import live
from xss_corpus import planted

import adjudge

ODD = """---
adjudge: 1
name: odd-inputs
inputs: {elements: required, model: required, __proto__: optional, parameters: optional}
verdict: {reason: string, score: {enum: [1, 2]}}
score: score
scale: [1, 2]
---
Rate it. {{elements}} {{model}} {{__proto__}} {{parameters}}
"""
POLITE = "Is this polite? Rate it from 1 to 5.\n\n{{response}}\n\nReply with `Score: N`.\n"
CASE = {"question": "How many legs?", "reference": "8"}


def try_it(page, **fields):
    for name, text in fields.items():
        page.locator(f'textarea[data-input="{name}"]').fill(text)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judges")
    (folder / "odd.md").write_text(ODD)
    (folder / "polite.md").write_text(POLITE)
    (folder / "used.md").write_text(POLITE.replace("polite", "kind"))
    wrong = {"reason": "Six is not eight.", **JUDGED, "contradicts": True}
    replies = [
        {"match": "Eight legs", "reply": {"reason": "Equal.", **JUDGED}},
        {"match": "Six legs", "reply": wrong},
        {"match": "Silence", "status": 400, "reply": "not today"},
        {"match": "Babble", "reply": "well, who knows?"},
        {"judge": "odd-inputs", "match": "Rate it", "reply": {"reason": "r", "score": 2}},
        {"judge": "used", "match": "kind", "reply": "Score: 4"},
    ]
    model = f"scripted:{write_lines(folder / 'replies.jsonl', replies)}"
    adjudge.evaluate(
        [{"id": "k", "response": "Hello"}],
        folder / "used.md",
        store=folder / ".adjudge",
        model=model,
        name="kind",
    )
    with live(
        folder / ".adjudge", models=[model], judges=[folder / "odd.md", folder / "polite.md"]
    ) as opened:
        yield opened


def test_pages_fit_every_screen_and_axe_finds_nothing(address, open_tab, assert_readable):
    tab = open_tab(address.opened("judges"))
    for path in ("judges", "judges/correctness", "judges/polite"):
        page = tab.goto(f"{address.url}{path}")
        if path.endswith("correctness"):
            try_it(page, response="Eight legs", **CASE)
            page.get_by_role("button", name="Judge", exact=True).click()
            expect(page.locator("#tried .verdict")).to_contain_text("Equal.")
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        tab.assert_quiet()
        assert_readable(tab)
        tab.forget()


def test_a_judge_is_found_read_and_asked_with_nothing_but_the_keyboard(address, open_tab):
    tab = open_tab(address.opened("judges"))
    page = tab.page
    for heading in ("Built in", "Judge files of this server", "Used in stored runs"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    page.get_by_role("link", name="correctness").focus()
    press(page, "Enter")
    expect(page.locator("h1")).to_contain_text("correctness@")
    expect(page.locator("dl.pairs").first).to_contain_text("question required")
    page.wait_for_load_state(
        "networkidle"
    )  # until then the browser may move the focus to a fragment once more
    page.get_by_role("link", name="Try it").focus()
    press(page, "Enter")
    expect(page.locator("#try")).to_be_focused()
    for text in ("How many legs?", "8", "Six legs"):
        press(page, "Tab")
        page.keyboard.type(text)
    for _ in range(8):
        press(page, "Tab")
        if page.evaluate("document.activeElement.textContent") == "Judge":
            break
    press(page, "Enter")
    verdict = page.locator("#tried .verdict")
    expect(verdict).to_contain_text("Six is not eight.")
    expect(verdict.locator(".big")).to_have_text("0")
    expect(verdict).to_contain_text("fail")
    assert page.evaluate("document.activeElement.textContent") == "Judge"
    tab.assert_quiet()


def test_the_prompt_is_shown_as_it_would_be_sent_and_nothing_is_asked(address, open_tab):
    tab = open_tab(address.opened("judges/correctness"))
    page = tab.page
    try_it(page, response="<b>Eight</b> {{x}}", **CASE)
    tab.forget()
    page.get_by_role("button", name="Show the prompt").click()
    expect(page.locator("#tried pre").first).to_contain_text("<b>Eight</b> {{x}}")
    asked = [each.url.rpartition("/")[2] for each in tab.requests if each.method == "POST"]
    assert asked == ["render"]
    tab.assert_quiet()


def test_a_whole_case_can_be_pasted(address, open_tab):
    page = open_tab(address.opened("judges/correctness")).page
    page.get_by_text("Or paste a whole case").click()
    whole = page.locator("#whole-case")
    whole.fill(json.dumps({**CASE, "answer": "Eight legs"}))
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.locator("#tried .verdict .big")).to_have_text("1")
    page.get_by_text("Prompt and reply").click()
    expect(page.locator("#tried details.message").last).to_contain_text("Reply 1")
    for text, said in (("{", "is not JSON"), ("[1]", "one JSON object")):
        whole.fill(text)
        page.get_by_role("button", name="Judge", exact=True).click()
        expect(page.locator("#tried .warn")).to_contain_text(said)


def test_what_goes_wrong_is_said_where_it_was_asked(address, open_tab):
    tab = open_tab(address.opened("judges/correctness"))
    page = tab.page
    judge = page.get_by_role("button", name="Judge", exact=True)
    judge.click()
    expect(page.locator("#tried .warn")).to_contain_text("nothing to judge yet")
    try_it(page, question="Q?")
    page.get_by_role("button", name="Show the prompt").click()
    expect(page.locator("#tried .warn")).to_contain_text("response")
    for text, outcome in (
        ("Silence", "call_failed"),
        ("Babble", "unreadable"),
        ("Something else", "call_failed"),
    ):
        try_it(page, response=text, **CASE)
        judge.click()
        expect(page.locator("#tried .verdict .mark.bad")).to_have_text(outcome)
        expect(page.locator("#tried")).not_to_have_attribute("aria-busy", "true")
    tab.assert_quiet(allowed_console=["status of 400"])


def test_inputs_may_be_called_as_what_a_form_has_of_its_own(address, open_tab):
    tab = open_tab(address.opened("judges/odd-inputs"))
    page = tab.page
    try_it(page, elements="E-text", model="M-text", __proto__="P-text", parameters='{"question": "inner"}')
    page.get_by_role("button", name="Show the prompt").click()
    sent = page.locator("#tried pre").first
    for text in ("E-text", "M-text", "P-text", "inner"):
        expect(sent).to_contain_text(text)
    page.get_by_role("button", name="Judge", exact=True).click()
    expect(page.locator("#tried .verdict .big")).to_have_text("2")
    tab.assert_quiet()


def test_a_judge_known_from_runs_only_is_read_and_cannot_be_asked(address, open_tab):
    page = open_tab(address.opened("judges")).page
    page.get_by_role("link", name="used").click()
    expect(page.locator("pre").first).to_contain_text("Is this kind?")
    expect(page.get_by_role("link", name="kind")).to_be_visible()
    assert page.get_by_role("link", name="Try it").count() == 0


def test_with_scripts_off_all_but_asking_works(address, open_tab):
    page = open_tab(address.opened("judges/correctness"), java_script_enabled=False).page
    expect(page.locator("pre").first).to_contain_text("Compare one response")
    # Chromium shows what stands in <noscript> only where scripts are off for good, not for one tab
    assert "Trying a judge needs JavaScript" in page.content()


# ---- hostile text ----


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile-judges")
    ones = [planted(payload, score=3) for payload in packed()]
    paths = []
    for number, each in enumerate(ones):
        paths.append(folder / f"{number}.md")
        paths[-1].write_text(each.judge)
    script = [row for each in ones for row in each.replies]
    script += [row for each in ones for _, row in each.failures]
    model = f"scripted:{write_lines(folder / 'replies.jsonl', script)}"
    adjudge.evaluate(
        [each.case for each in ones[:1]],
        paths[0],
        store=folder / ".adjudge",
        model=model,
        name=ones[0].run_name,
    )
    with live(folder / ".adjudge", models=[model], judges=paths) as opened:
        yield opened


def test_no_payload_in_a_judge_runs_or_fetches(hostile, open_tab):
    tab = open_tab(hostile.opened("judges"))
    tab.assert_quiet()
    assert tab.page.locator("table.listed tbody tr").count() == len(adjudge.built_in_judges()) + len(packed())
    for payload in packed():
        page = tab.goto(f"{hostile.url}judges/judge-{payload.name}")
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert "description: " in page.locator("section[aria-labelledby=prompt] pre").last.inner_text()
        assert tab.too_wide() == [], payload.name
    tab.assert_quiet()


def test_no_payload_in_a_case_a_reply_or_an_error_runs_or_fetches(hostile, open_tab):
    tab = open_tab(hostile.opened(f"judges/judge-{packed()[0].name}"))
    page = tab.page
    judge = page.get_by_role("button", name="Judge", exact=True)
    page.get_by_text("Or paste a whole case").click()
    for number, payload in enumerate(packed()):
        one, word = planted(payload), max(re.findall("[A-Za-z0-9]+|漢+", payload.text), key=len)
        for case in (one.case, one.failures[number % len(one.failures)][0]):
            page.locator("#whole-case").fill(json.dumps(case))
            with page.expect_response("**/api/judge") as answer:
                judge.click()
            assert answer.value.status == 200, answer.value.text()
            expect(page.locator("#tried")).not_to_have_attribute("aria-busy", "true")
            page.evaluate("document.querySelectorAll('#tried details').forEach(each => each.open = true)")
            outcome = answer.value.json()["row"]["outcome"]
            expect(page.locator("#tried .verdict")).to_contain_text(word if outcome == "scored" else outcome)
            if outcome != "call_failed":
                expect(page.locator("#tried details.message pre").first).to_contain_text(word)
            assert tab.too_wide() == [], payload.name
    tab.assert_quiet()
