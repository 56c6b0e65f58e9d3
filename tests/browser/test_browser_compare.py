"""Comparing in a browser: from two runs to what differs in one answer, by mouse and by keys; hostile text stays text."""

from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from chromium import press
from compared_runs import make_run, some
from jsonl import write_lines
from packed_payloads import packed
from playwright.sync_api import expect
from served import live
from xss_corpus import PAYLOADS, planted

import adjudge
from adjudge.server.keys import to_key
from adjudge.store import EndRun, RunRecord, StartRun, open_store
from adjudge.text import seen

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    make_run(folder, "before", some(14, 23, 3), label=lambda n: n % 2)
    store = make_run(folder, "after", some(30, 10), label=lambda n: int(n < 20))
    make_run(
        folder,
        "a-name-that-nobody-would-want-to-type-" * 2,
        some(20, 20),
        replies="replies-of-another-model.jsonl",
    )
    with live(store) as opened:
        yield opened


FOUND = "compare?a=before&b=after&slice=topic&people=1"
CASE = "compare/case?a=before&b=after&case=q20&judge=correctness%3Dcorrectness&slice=topic&people=1"
REFUSED = f"compare?a=before&b={'a-name-that-nobody-would-want-to-type-' * 2}"


def test_pages_fit_every_screen_and_axe_finds_nothing(address, open_tab, assert_readable):
    tab = open_tab(address.opened())
    for path in ("compare", FOUND, CASE, REFUSED):
        tab.goto(f"{address.url}{path}")
        tab.assert_quiet()
        assert_readable(tab)
        tab.forget()


def test_two_runs_are_chosen_compared_and_sliced_and_the_address_says_which(address, open_tab):
    tab = open_tab(address.opened("compare"))
    page = tab.page
    page.get_by_label("A, before").select_option(value="before")
    page.get_by_label("B, after").select_option(value="after")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("p.finding")).to_contain_text("after is better: +43.2 points")
    assert "a=before&b=after" in page.url
    expect(page.locator("figure.plot circle")).to_have_count(1)
    page.get_by_role("link", name="By slice").click()
    page.get_by_role("checkbox", name="topic").check()
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table[data-kind=slices] tbody tr")).to_have_count(2)
    assert "slice=topic" in page.url
    expect(page.locator("figure.plot circle")).to_have_count(3)
    zero = page.locator("figure.plot line.zero").bounding_box()["x"]
    for dot in page.locator("figure.plot circle").all():
        box = dot.bounding_box()
        assert box["x"] + box["width"] / 2 > zero
    page.get_by_role("link", name="Statistics").click()
    expect(page.locator("dl.facts")).to_contain_text("Cohen's d_z")
    page.get_by_role("link", name="Swap").click()
    expect(page.locator("p.finding")).to_contain_text("before is worse: −43.2 points")
    page.get_by_role("link", name="Regressions 16").click()
    expect(page.locator("table.changed tbody tr")).to_have_count(16)
    page.get_by_role("searchbox").fill("says after of 20")
    press(page, "Enter")
    expect(page.locator("table.changed tbody tr")).to_have_count(1)
    tab.assert_quiet()


def test_a_changed_case_is_opened_and_the_arrow_keys_lead_on_and_back_to_the_list(address, open_tab):
    tab = open_tab(address.opened())
    page = tab.goto(f"{address.url}{FOUND}")
    flips = page.locator("table.changed tbody th a")
    expect(flips).to_have_count(16)
    names = flips.all_inner_texts()
    flips.first.focus()
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text(names[0])
    expect(page.locator("nav.steps")).to_contain_text("change 1 of 16")
    for name in names[1:3]:
        press(page, "ArrowRight")
        expect(page.locator("h1")).to_have_text(name)
    press(page, "ArrowLeft")
    expect(page.locator("h1")).to_have_text(names[1])
    marks = page.locator("div.pair pre mark")
    assert marks.all_inner_texts()[:2] == ["wrong", "before"]
    press(page, "u")
    expect(page.locator("p.finding")).to_contain_text("after is better")
    assert "slice=topic" in page.url
    tab.assert_quiet()


def test_refused_runs_are_told_with_a_way_to_compare_them_all_the_same(address, open_tab):
    tab = open_tab(address.opened())
    tab.goto(f"{address.url}{REFUSED}")
    alert = tab.page.get_by_role("alert")
    expect(alert).to_contain_text("were not judged alike: model is")
    tab.page.get_by_role("link", name="Compare anyway").click()
    expect(tab.page.locator("p.warn").first).to_contain_text("Across: model is")
    assert tab.page.locator("#choose input[name=across]").is_checked()


def test_all_of_it_can_be_read_with_scripts_off(address, open_tab):
    tab = open_tab(address.opened("compare"), java_script_enabled=False)
    page = tab.page
    page.get_by_label("A, before").select_option(value="before")
    page.get_by_label("B, after").select_option(value="after")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("p.finding")).to_contain_text("after is better")
    page.locator("table.changed tbody th a").first.click()
    page.get_by_role("link", name="Next change").click()
    expect(page.locator("nav.steps")).to_contain_text("change 2 of 16")


# ---- hostile text ----


def changed(text):
    """Differences in the middle of words, tags and entities."""
    return text.replace("script", "scribe").replace("=", " ===").replace("&", "& ") + " <!-- changed"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    store = folder / ".adjudge"
    ones = [planted(payload, score=0) for payload in packed()]
    others = [planted(payload, score=5) for payload in packed()]
    (folder / "judge.md").write_text(ones[0].judge)
    for name, rows in (("a", ones), ("b", others)):
        cases = [each.case for each in rows]
        if name == "b":
            cases = [
                {**case, "response": changed(case["response"]), "focus": [changed(case["focus"])]}
                for case in cases
            ]
            cases[0].pop("reference")
        cases += [failed for case, failed in ((rows[0], each[0]) for each in rows[0].failures)]
        script = [row for each in rows for row in each.replies] + [row for _, row in rows[0].failures]
        write_lines(folder / f"{name}-cases.jsonl", cases)
        write_lines(folder / f"{name}-replies.jsonl", script)
        adjudge.evaluate(
            folder / f"{name}-cases.jsonl",
            folder / "judge.md",
            name=f"{name} {planted(PAYLOADS[0]).run_name}",
            store=store,
            model=f"scripted:{folder / f'{name}-replies.jsonl'}",
        )
    with closing(open_store(store)) as opened:
        for number, payload in enumerate(PAYLOADS):
            name = planted(payload).run_name
            plan = {"judges": [f"{payload.text}@abc"], "model": payload.text, "path": payload.text}
            run = RunRecord(run_id=f"named-{number}", name=name, state="running", plan=plan, started_at=AT)
            opened.write([StartRun(run=run), EndRun(run_id=run.run_id, state="finished", at=AT)])
    with live(store) as served:
        yield served


def keys():
    return [to_key(f"{name} {planted(PAYLOADS[0]).run_name}") for name in ("a", "b")]


def test_no_payload_in_a_comparison_runs_or_fetches(hostile, open_tab):
    a, b = keys()
    tab = open_tab(hostile.opened())
    page = tab.goto(f"{hostile.url}compare?a={a}&b={b}&across=1&people=1&slice=topic&show=slices")
    expect(page.locator("table[data-kind=slices] tbody tr").first).to_be_visible()
    page = tab.goto(f"{hostile.url}compare?a={a}&b={b}&across=1&people=1&slice=topic&show=statistics")
    expect(page.locator("dl.facts").first).to_be_visible()
    page = tab.goto(f"{hostile.url}compare?a={a}&b={b}&across=1&people=1&slice=topic")
    expect(page.locator("table.changed tbody tr")).to_have_count(len(packed()))
    assert page.locator("select[name=a] option").count() == len(PAYLOADS) + 3
    tab.assert_quiet()
    page.get_by_role("link", name="All changes").click()  # parts that a script puts in
    page.wait_for_load_state("networkidle")
    tab.assert_quiet()
    for number in range(0, len(PAYLOADS), 12):  # refusals name judges and models
        tab.goto(f"{hostile.url}compare?a={a}&b=named-{number}")
        expect(page.get_by_role("alert")).to_be_visible()
    tab.goto(f"{hostile.url}compare?a={quote(PAYLOADS[0].text)}&b={b}")
    tab.assert_quiet(allowed_console=["status of 400"])


def test_no_payload_runs_side_by_side_and_every_text_is_there_to_be_read(hostile, open_tab):
    a, b = keys()
    tab = open_tab(hostile.opened())
    for payload in packed():
        case = planted(payload).case
        path = f"compare/case?a={a}&b={b}&across=1&case={quote(case['id'], safe='')}"
        page = tab.goto(f"{hostile.url}{path}")
        response = page.locator("h2", has_text="Answer").locator("xpath=following-sibling::div[1]//pre")
        shown = response.evaluate_all("each => each.map(one => one.textContent)")
        assert shown == [seen(payload.text), seen(changed(payload.text))], payload.name
        assert tab.too_wide() == [], payload.name
    tab.assert_quiet()


def test_cases_that_failed_with_hostile_words_are_quiet_too(hostile, open_tab):
    a, b = keys()
    tab = open_tab(hostile.opened())
    for case, _ in planted(packed()[0]).failures:
        page = tab.goto(f"{hostile.url}compare/case?a={a}&b={b}&case={quote(case['id'], safe='')}")
        expect(page.locator(".verdict .mark.bad").first).to_be_visible()
    tab.assert_quiet()
