"""Labelling in a real browser, with the keyboard, as an expert with an hour would."""

import json
import re
import shutil
from urllib.parse import quote

import pytest
from chromium import press
from jsonl import write_lines
from packed_payloads import packed
from served import live
from tone_run import SECRETS, make_store, truth
from xss_corpus import planted

COUNT = 20


@pytest.fixture(scope="session")
def judged(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("judged"))


@pytest.fixture
def folder(judged, tmp_path):
    shutil.copytree(judged, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def server(folder):
    with live(folder / ".adjudge") as address:
        yield address


def begin(tab, server, annotator="Anna", count=COUNT, *, draw=True):
    """From the start page to the first case."""
    tab.goto(server.opened("runs/r/label"))
    page = tab.page
    page.get_by_label("Your name").fill(annotator)
    page.get_by_role("button", name="Continue").click()
    if draw:
        page.get_by_label("How many").fill(str(count))
        page.get_by_role("button", name="Sample and start").click()
    else:
        page.get_by_role("link", name="Start labelling").click()
    page.wait_for_selector("#label-form")
    return page


def case_of(page):
    """Its id, which the page itself does not tell."""
    asked = re.search(r"Question (\d+)", page.locator("#reading").text_content())
    return f"c{int(asked[1]):03}"


def wait_for_another(page, ticket):
    """The next case is there, and keys are heard again."""
    page.wait_for_function(
        "ticket => document.getElementById('turn').dataset.case !== ticket"
        " && location.search.includes('after=')",
        arg=ticket,
    )


def ticket_of(page):
    return page.locator("#turn").get_attribute("data-case")


def key_for(page):
    return str(truth(int(case_of(page)[1:])))


def press_and_wait(page, key, labelled):
    press(page, key)
    wait_for_progress(page, labelled)


def wait_for_progress(page, labelled):
    """It is said last, when the next case is there."""
    page.wait_for_function(
        "n => document.getElementById('progress').textContent.startsWith(`${n} of `)", arg=labelled
    )


def label_rest(page, start=0, total=COUNT):
    for done in range(start, total):
        press_and_wait(page, key_for(page), done + 1)


def test_twenty_cases_by_keyboard_to_the_figures_of_the_command_line(open_tab, server, adjudge, axe_clean):
    tab = open_tab()
    page = begin(tab, server)
    assert page.locator("#progress").text_content() == "0 of 20 labelled"
    label_rest(page)
    assert page.locator("#case-title").text_content() == "All 20 labelled"
    for secret in SECRETS:
        assert secret not in page.content()
    page.get_by_role("link", name="Reveal agreement with the judge").click()
    page.wait_for_selector("#revealed")
    text = " ".join(page.locator("main").text_content().split())
    found = json.loads(adjudge("agree", "r", "--json").out)
    accuracy = found["agreement"][0]["figures"]["accuracy"]
    gauge = page.locator("[data-kind=accuracy]").first
    assert float(gauge.locator("data").get_attribute("value")) == accuracy["value"]
    assert f"{found['agreement'][0]['agreed']} of 20 agree" in gauge.text_content()
    assert f"{accuracy['low'] * 100:.1f}–{accuracy['high'] * 100:.1f} (95 %)" in text
    means = page.locator("table[data-kind=means]").first.text_content()
    assert f"{found['means'][0]['ppi']['estimate']['value']:.3f}" in means
    assert page.locator("[data-kind=quote]").count() == len(found["means"])
    assert found["labelled"] == 20
    assert found["sample"]["kind"] == "draw"
    stay(tab, f"{server.url}runs/r/label/agreement?")
    tab.assert_quiet()
    axe_clean(page)


def test_undo_skip_comment_back_and_a_change_of_mind(open_tab, server, folder):
    tab = open_tab()
    page = begin(tab, server, count=4)
    first, skipped = case_of(page), ticket_of(page)
    press(page, "s")
    wait_for_another(page, skipped)
    second, ticket = case_of(page), ticket_of(page)
    press(page, "c")
    page.keyboard.type("2 is not a label here, nor s, nor u")
    assert case_of(page) == second
    press(page, "Escape")
    press_and_wait(page, "4", 1)
    assert page.locator("#comment").input_value() == ""
    press(page, "u")
    wait_for_progress(page, 0)
    assert ticket_of(page) == ticket
    press_and_wait(page, "5", 1)
    press(page, "ArrowLeft")
    page.wait_for_selector("#case-title:has-text('Case 2 of 4')")
    assert ticket_of(page) == ticket
    pressed = page.locator("button[aria-pressed=true]")
    assert pressed.locator("kbd").text_content() == "5"
    press(page, "1")
    wait_for_another(page, ticket)
    kept = labels(page, server)
    assert [(each["case_id"], each["label"]) for each in kept] == [(second, 1.0)]
    # the skipped one comes when the others are done
    for done in (2, 3):
        assert case_of(page) != first
        press_and_wait(page, "3", done)
    assert case_of(page) == first


def test_labelling_resumes_after_a_reload_and_in_another_browser(open_tab, server):
    page = begin(open_tab(), server, count=6)
    for done in (1, 2):
        press_and_wait(page, "2", done)
    here = ticket_of(page)
    page.reload()
    assert ticket_of(page) == here
    assert page.locator("#progress").text_content() == "2 of 6 labelled"
    page.goto(f"{server.url}runs/r/label")
    assert page.get_by_label("Your name").input_value() == "Anna"  # remembered
    other = open_tab(server.opened("runs/r/label")).page
    other.get_by_label("Your name").fill("Anna")
    other.get_by_role("button", name="Continue").click()
    assert "4 of 6 sampled cases have no label of yours yet." in other.locator("#pile").text_content()
    other.get_by_role("link", name="Continue labelling").click()
    other.wait_for_selector("#label-form")
    label_rest(other, 2, 6)
    # the first browser has an old page: what is said there takes the older label's place
    page.goto(f"{server.url}runs/r/label/next?annotator=Anna&case={here}")
    press_and_wait(page, "1", 6)
    assert len(labels(page, server)) == 6


def test_a_label_that_cannot_be_sent_is_kept_and_sent_later(open_tab, server):
    page = begin(open_tab(), server, count=3)
    here = case_of(page)
    page.route("**/api/runs/r/labels", lambda route: route.abort())
    press(page, "4")
    page.wait_for_selector("#waiting:not([hidden])")
    assert "Your label is kept here" in page.locator("#waiting").text_content()
    assert case_of(page) == here
    assert page.locator("button[aria-pressed=true] kbd").text_content() == "4"
    page.reload()  # the browser was closed, say
    page.unroute("**/api/runs/r/labels")
    wait_for_progress(page, 1)
    assert [(each["case_id"], each["label"]) for each in labels(page, server)] == [(here, 4.0)]


def test_two_annotators_with_overlap_have_a_ceiling(open_tab, server, adjudge):
    page = begin(open_tab(), server, count=12)
    label_rest(page, 0, 12)
    other = begin(open_tab(), server, "Ben", draw=False)
    assert other.locator("#progress").text_content() == "0 of 12 labelled"
    label_rest(other, 0, 11)
    press(other, "1" if key_for(other) != "1" else "2")  # once they differ
    other.wait_for_selector("#case-title:has-text('All 12 labelled')")
    other.get_by_role("link", name="Reveal agreement with the judge").click()
    found = json.loads(adjudge("agree", "r", "--json").out)
    pairs = found["among_people"]["ceiling"]["pairs_agreed"]["value"]
    assert 0.8 < pairs < 1.0
    table = other.locator("table[data-kind=annotators]").text_content()
    assert re.search(rf"pairs of people who agree\s*{pairs:.3f}", table)
    assert "the alt-test needs 3" in other.locator("[data-kind=alt_test]").text_content()


def test_the_judge_is_revealed_early_only_after_a_warning(open_tab, server):
    page = begin(open_tab(), server, count=5)
    press_and_wait(page, "3", 1)
    page.get_by_role("link", name="Reveal agreement with the judge").click()
    assert "4 sampled cases have no label of yours yet" in page.locator("main").text_content()
    page.get_by_role("link", name="Reveal anyway").click()
    page.wait_for_selector("#revealed")
    page.goto(f"{server.url}runs/r/label/next?annotator=Anna")
    assert "not blind" in page.locator("#seen:not([hidden])").text_content()


def test_it_works_without_scripts(open_tab, server):
    page = begin(open_tab(java_script_enabled=False), server, count=3)
    first = page.locator("input[name=case_id]").get_attribute("value")
    page.get_by_role("button", name="warm").click()
    assert page.locator("#progress").text_content() == "1 of 3 labelled"
    page.get_by_role("button", name="Undo").click()
    assert page.locator("#progress").text_content() == "0 of 3 labelled"
    assert page.locator("input[name=case_id]").get_attribute("value") == first
    page.locator("#comment").fill("so")
    for done in range(3):
        page.get_by_role("button", name="rude").click()
        assert page.locator("#progress").text_content() == f"{done + 1} of 3 labelled"
    page.get_by_role("link", name="Reveal agreement with the judge").click()
    assert "Agreement of tone with people" in page.locator("h1").text_content()


def test_files_go_in_and_come_out(open_tab, server, tmp_path):
    page = begin(open_tab(), server, count=3)
    press_and_wait(page, "3", 1)
    page.get_by_role("link", name="Stop").click()
    page.get_by_text("Import and export").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="My labels, CSV").click()
    assert download.value.path().read_text().splitlines()[0].startswith("case_id,label,annotator")
    (tmp_path / "in.jsonl").write_text('{"case_id": "c001", "label": 2, "annotator": "Zoe"}\n')
    page.locator("input[type=file]").set_input_files(tmp_path / "in.jsonl")
    page.get_by_role("button", name="Import").click()
    page.wait_for_selector(".imported:has-text('1 labels imported')")
    (tmp_path / "bad.jsonl").write_text('{"case_id": "c001", "label": "<img src=x>"}\n')
    page.locator("input[type=file]").set_input_files(tmp_path / "bad.jsonl")
    page.get_by_role("button", name="Import").click()
    page.wait_for_selector(".imported.warn:has-text('not on the scale of tone')")


def test_axe_finds_nothing_and_nothing_sticks_out(open_tab, server, assert_readable):
    tab = open_tab()
    page = begin(tab, server, count=3)
    assert_readable(tab)
    for width in (360, 1280):
        tab.resize(width)
        sizes = page.locator(".choices > button").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().height)"
        )
        assert min(sizes) >= 44
    for done in range(3):
        press_and_wait(page, key_for(page), done + 1)
    for path in ("label?annotator=Anna", "label/agreement?annotator=Anna"):
        page.goto(f"{server.url}runs/r/{path}")
        assert_readable(tab)


def labels(page, server):
    return fetched(page, f"{server.url}api/runs/r/labels")["labels"]


def fetched(page, address, **options):
    """As the page itself would: outside of a browser nobody need know where a name below `localhost` is."""
    script = (
        "([address, options]) => fetch(address, options).then(each => each.ok ? each.json() : each.status)"
    )
    answer = page.evaluate(script, [address, options])
    assert isinstance(answer, dict), answer
    return answer


def test_no_payload_runs_or_fetches(open_tab, adjudge, tmp_path, axe_clean):
    """In every field of the cases, in the judge, in annotators' names and in comments."""
    payloads = packed()
    everywhere = [planted(payload, score=at % 6) for at, payload in enumerate(payloads)]
    judge = everywhere[0].judge.replace(
        "inputs: {question: required, response: required}",
        "inputs: {question: required, response: required, reference: optional, context: optional,"
        " tool_calls: optional, messages: optional}",
    )
    judge += "{{reference}} {{context}} {{tool_calls}} {{messages}}\n"
    name = re.search(r"^name: (\S+)$", judge, re.MULTILINE)[1]
    (tmp_path / "judge.md").write_text(judge, encoding="utf-8")
    for file, rows in (
        ("cases.jsonl", [each.case for each in everywhere]),
        ("replies.jsonl", [{**row, "judge": name} for each in everywhere for row in each.replies]),
        ("labels.jsonl", [each.label for each in everywhere]),
    ):
        write_lines(tmp_path / file, rows)
    done = adjudge(
        "run",
        "cases.jsonl",
        "--judge",
        "judge.md",
        "--model",
        "scripted:replies.jsonl",
        "--name",
        "r",
        "--json",
    )
    assert done.code == 0, done.err
    assert adjudge("agree", "r", "labels.jsonl").code == 0
    who = f"Me {payloads[0].text[:150]}"
    tab = open_tab()
    with live(tmp_path / ".adjudge") as server:
        tab.goto(server.opened("runs/r/label"))
        page = tab.page
        fetched(
            page,
            f"{server.url}api/runs/r/draws",
            method="POST",
            body=json.dumps({"count": len(payloads)}),
            headers={"Content-Type": "application/json"},
        )
        for at in range(len(payloads)):
            turn = fetched(page, f"{server.url}api/runs/r/label/next?annotator={quoted(who)}")
            tab.goto(f"{server.url}runs/r/label/next?annotator={quoted(who)}")
            tab.assert_quiet()
            page.locator("#comment").fill(payloads[at].text[:1000])
            page.locator("button[name=label]").first.click()
            wait_for_progress(page, at + 1)
            stay(tab, f"{server.url}runs/r/label/next?")
            tab.assert_quiet()
            assert turn["case"]["case_id"]
        for path in ("label", "label/agreement"):
            tab.goto(f"{server.url}runs/r/{path}?annotator={quoted(who)}")
            tab.assert_quiet()
            tab.resize(360)
            assert tab.too_wide() == []
            axe_clean(page)
            tab.resize(1280)


def stay(tab, start):
    """The page itself has changed its address, to one that begins so."""
    now = tab.page.evaluate("location.href")
    assert now.startswith(start)
    tab.page.wait_for_url(lambda url: url == now)
    tab._address = now


def quoted(text):
    return quote(text, safe="")
