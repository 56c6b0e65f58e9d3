"""Comparing two runs over HTTP: the command line's figures, made once, and made again when something changed."""

import json
import re
import shutil
import threading
from contextlib import closing
from html import unescape

import pytest
from compared_runs import make_run, some
from jsonl import write_lines
from msgspec.structs import replace
from seeded_store import make_row, seed_store
from served import served

from adjudge import evaluate as adjudge_evaluate
from adjudge.errors import StoreError
from adjudge.judges import built_in_judges
from adjudge.server import compare_routes, figures
from adjudge.server.compare_page import MAX_FLIPS
from adjudge.store import Driver, StartRun, open_store

LOUD = "---\nadjudge: 1\nname: loud\nverdict: {reason: string, score: {enum: [0, 1]}}\nscore: score\nscale: [0, 1]\n---\nLoud? {{response}}\n"


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    make_run(folder, "before", some(14, 23, 3), label=lambda n: n % 2)
    make_run(folder, "after", some(30, 10), label=lambda n: int(n < 20))
    return folder


@pytest.fixture
def where(judged, tmp_path):
    shutil.copytree(judged, tmp_path, dirs_exist_ok=True)
    return tmp_path / ".adjudge"


@pytest.fixture
def pages(where):
    with served(where) as opened:
        yield opened


def counting(monkeypatch, hold=None):
    """How often a comparison is made; `hold` is called each time."""
    made, ours = [], figures.compare_runs

    def count(*arguments, **options):
        made.append(options)
        if hold is not None:
            hold()
        return ours(*arguments, **options)

    monkeypatch.setattr(figures, "compare_runs", count)
    return made


@pytest.mark.parametrize(
    ("query", "flags"),
    [
        ("", []),
        ("&slice=topic&slice=parity", ["--slice", "topic", "--slice", "metadata.parity"]),
        ("&people=1", ["--labels", "cases"]),
        (f"&flips={MAX_FLIPS}", ["--flips", str(MAX_FLIPS)]),
        ("&judge=correctness&flips=0", ["--only", "correctness", "--flips", "0"]),
        ("&across=1", ["--across"]),
    ],
)
def test_the_api_says_what_the_command_line_prints(pages, adjudge, query, flags):
    printed = adjudge("compare", "before", "after", "--json", *flags)
    assert printed.code == 0, printed.err
    assert pages.read(f"/api/compare?a=before&b=after{query}") == json.loads(printed.out)


def shown(pages, query=""):
    return unescape(pages.client.get(f"/compare?a=before&b=after{query}").text)


def test_the_page_leads_with_one_sentence_one_picture_and_the_changed_cases(pages):
    text = shown(pages)
    verdict = text.index("<q>after</q> is better: +43.2 points")
    evidence = text.index(
        "95 % interval +28.7 to +59.1 · p < 0.001 · McNemar's score test over 37 cases · 37.8 % → 81.1 %"
    )
    picture = text.index('aria-label="Difference with its 95 % interval: difference +43.2, 28.7 to 59.1"')
    tab = text.index('aria-current="true" data-swap-link>Improvements 16</a>')
    case = text.index(
        'data-label="before"><div class="clamp"><span class="mark bad">fail</span> [<del>wrong</del>]'
    )
    assert verdict < evidence < picture < tab < case
    assert "Regressions 0" in text
    assert 'data-label="Expected"><div class="clamp">It.</div>' in text
    assert '<span class="mark good">pass</span> [<ins>right</ins>]' in text
    assert "It says another thing." in text


def test_the_page_says_the_facts_of_the_command_line(pages, adjudge):
    printed = adjudge("compare", "before", "after", "--slice", "topic").out
    left_out = "3 matched cases not judged in both runs: A 3 unreadable; B none"
    assert left_out in printed
    assert left_out in shown(pages)
    sides = shown(pages, "&show=statistics")
    (mean,) = re.findall(r"0\.38 \[[^]]+\]", printed)
    assert mean in sides
    assert "Cohen's d_z" in sides
    assert "topic=law" in printed
    assert "<q>topic=law</q>" in shown(pages, "&slice=topic&show=slices")


def test_changed_cases_are_filtered_and_searched(pages):
    rows = '<th role="rowheader">'
    assert (shown(pages).count(rows), shown(pages, "&show=all").count(rows)) == (16, 16)
    none = shown(pages, "&show=regressions")
    assert (none.count(rows), "No regressions." in none) == (0, True)
    assert shown(pages, "&q=QUESTION+20%3F").count(rows) == 1
    assert "No changed case has “nothing like it” in it." in shown(pages, "&q=nothing+like+it")


@pytest.mark.parametrize(
    ("form", "words"), [("html", "<b>B is better</b>"), ("md", "**B is better**: +0.432")]
)
def test_the_comparison_can_be_taken_along_as_a_file(pages, form, words):
    answer = pages.client.get(f"/api/compare/report.{form}?a=before&b=after")
    assert answer.headers["content-disposition"] == f'attachment; filename="comparison.{form}"'
    assert words in answer.text


def test_a_form_sent_without_scripts_says_that_nothing_was_chosen_and_that_is_nothing(pages):
    assert "is better" in shown(pages, "&slice=&judge=&q=")
    assert pages.read("/api/compare?a=before&b=after&slice=")["judges"][0]["slices"] == []


def test_columns_are_offered_and_the_chosen_one_stays_chosen(pages):
    text = shown(pages, "&slice=topic&show=slices")
    assert 'value="topic" checked' in text
    assert 'value="parity">' in text


def test_a_column_that_no_case_has_is_told_on_the_page_and_refused_by_the_api(pages):
    answer = pages.client.get("/api/compare?a=before&b=after&slice=nothing")
    assert answer.status_code == 400
    shown = pages.client.get("/compare?a=before&b=after&slice=nothing")
    assert shown.status_code == 200
    assert "no case has `nothing` in its metadata" in shown.text
    assert "Compare anyway" not in shown.text


def test_runs_of_other_models_are_refused_with_the_reason_and_a_way_on(pages, where, tmp_path):
    make_run(tmp_path, "other", some(20, 20), replies="replies-2.jsonl")
    answer = pages.client.get("/api/compare?a=before&b=other")
    assert answer.status_code == 400
    assert "were not judged alike: model is scripted:" in answer.json()["problem"]
    shown = pages.client.get("/compare?a=before&b=other&people=1")
    assert shown.status_code == 200
    assert '<a href="?a=before&amp;b=other&amp;across=1&amp;people=1">Compare anyway</a>' in shown.text
    across = pages.client.get("/compare?a=before&b=other&across=1").text
    assert "<b>Across</b>: <q>model is" in across


def test_runs_that_share_no_judge_are_compared_judge_by_judge(pages, where, tmp_path):
    (tmp_path / "loud.md").write_text(LOUD)
    rows = [
        {"match": "[", "judge": name, "reply": {"reason": "r", "score": 1}} for name in ("loud", "louder")
    ]
    write_lines(tmp_path / "replies-3.jsonl", rows)
    (tmp_path / "louder.md").write_text(LOUD.replace("name: loud", "name: louder"))
    make_run(
        tmp_path,
        "loud",
        some(20, 20),
        judges=[tmp_path / "loud.md", tmp_path / "louder.md"],
        replies="replies-3.jsonl",
    )
    shown = pages.client.get("/compare?a=before&b=loud").text
    assert "share no judge" in shown
    assert "correctness with loud</a>" in shown
    assert "?a=before&amp;b=loud&amp;judge=correctness%3Dlouder&amp;across=1" in shown
    chosen = pages.client.get("/compare?a=before&b=loud&judge=correctness%3Dlouder&across=1").text
    assert "correctness@" in chosen
    assert "against louder@" in chosen
    assert "only correctness=louder" in chosen
    within = pages.client.get("/compare?a=loud&b=loud").text
    assert "is both A and B" in within
    assert "loud with louder</a>" in within
    assert "Compare anyway" not in within
    pair = pages.read("/api/compare?a=loud&b=loud&judge=loud%3Dlouder&across=1")["judges"][0]
    assert (pair["a"]["judge"].partition("@")[0], pair["b"]["judge"].partition("@")[0]) == ("loud", "louder")


def test_one_run_with_itself_is_refused(pages):
    answer = pages.client.get("/api/compare?a=before&b=before&across=1")
    assert (answer.status_code, "is both A and B" in answer.json()["problem"]) == (400, True)
    shown = pages.client.get("/compare?a=before&b=before")
    assert shown.status_code == 200
    assert "is both A and B" in shown.text
    assert "Compare anyway" not in shown.text


@pytest.mark.parametrize("query", ["a=nobody&b=after", "a=before&b=nobody", "a=before&b=~2E~2E~2Fetc"])
def test_a_run_that_is_not_there_is_not_found(pages, query):
    assert pages.client.get(f"/api/compare?{query}").status_code == 404
    assert pages.client.get(f"/compare?{query}").status_code == 404
    assert pages.client.get(f"/compare/case?{query}&case=q1").status_code == 404


@pytest.mark.parametrize("query", ["a=before", "a=&b=after", "a=before&b=after&flips=201", "a=~&b=after"])
def test_what_is_no_question_is_refused(pages, query):
    assert pages.client.get(f"/api/compare?{query}").status_code in {400, 404, 422}


def test_nothing_chosen_is_an_invitation(pages):
    shown = pages.client.get("/compare").text
    assert "Choose two runs over the same cases" in shown
    assert shown.count(" selected>") == 2  # the latest two


def test_an_empty_store_says_what_to_do(tmp_path):
    with served(tmp_path / "empty") as opened:
        shown = opened.client.get("/compare").text
    assert "There are no runs in this store yet" in shown


# ---- made once ----


def test_a_second_request_is_answered_from_the_first(pages, monkeypatch):
    made = counting(monkeypatch)
    first = pages.read("/api/compare?a=before&b=after")
    assert pages.read("/api/compare?a=before&b=after") == first
    assert len(made) == 1
    pages.read("/api/compare?a=before&b=after&slice=topic")
    pages.read("/api/compare?a=after&b=before")
    assert len(made) == 3


def test_who_asks_while_it_is_made_waits_for_the_one_that_is_made(pages, monkeypatch):
    under_way, go_on, found = threading.Event(), threading.Event(), []

    def hold():
        under_way.set()
        go_on.wait()

    made = counting(monkeypatch, hold)

    def ask():
        found.append(pages.client.get("/api/compare?a=before&b=after"))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    threads[0].start()
    under_way.wait()
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in found] == [200] * 3
    assert found[0].json() == found[1].json() == found[2].json()
    assert len(made) == 1


def test_large_runs_are_compared_when_the_page_asks_for_it(pages, monkeypatch):
    monkeypatch.setattr(compare_routes, "AT_ONCE", 79)
    made = counting(monkeypatch)
    shown = pages.client.get("/compare?a=before&b=after").text
    assert 'id="comparison" data-poll="1"' in shown
    assert "Comparing 80 judgements" in shown
    assert 'href="?a=before&amp;b=after&amp;now=1"' in shown
    assert not made
    swapped = pages.client.get("/compare?a=before&b=after", headers={"X-Swap": "comparison"}).text
    assert "data-poll" not in swapped
    assert "is better" in swapped
    assert "is better" in pages.client.get("/compare?a=before&b=after").text
    assert "is better" in pages.client.get("/compare?a=before&b=after&now=1").text
    assert len(made) == 1


def test_a_run_that_grew_is_compared_again(tmp_path, monkeypatch):
    where = tmp_path / "store"
    seed_store(where, 200, run_id="before", name=None, judges=["relevance"])
    seed_store(where, 60, run_id="after", name=None, judges=["relevance"], state="running")
    judges = [judge for judge in built_in_judges() if judge.name == "relevance"]
    with served(where) as pages, closing(open_store(where)) as store:
        made = counting(monkeypatch)
        first = pages.read("/api/compare?a=before&b=after")
        assert first["judges"][0]["matched"] == 60
        assert (first["b"]["state"], first["b"]["partial"]["done"]) == ("running", 60)
        store.write([each for number in range(60, 200) for each in make_row(number, judges, run_id="after")])
        assert pages.read("/api/compare?a=before&b=after")["judges"][0]["matched"] == 200
        assert len(made) == 2


def test_a_run_that_was_made_anew_under_its_name_is_compared_again(pages, where, tmp_path):
    assert pages.read("/api/compare?a=before&b=after&across=1")["judges"][0]["finding"] == "better"
    with closing(open_store(where)) as store:
        store.remove_run("after")
    make_run(tmp_path, "after", some(2, 38))
    again = pages.read("/api/compare?a=before&b=after&across=1")
    assert again["judges"][0]["finding"] == "worse"


def test_what_people_say_meanwhile_is_taken_into_account(pages, monkeypatch):
    made = counting(monkeypatch)
    pages.read("/api/compare?a=before&b=after")
    body = {"judge": "correctness", "case_id": "q1", "annotator": "ann", "label": 1}
    kept = pages.client.post("/api/runs/before/labels", json=body)
    assert kept.status_code == 200, kept.text
    pages.read("/api/compare?a=before&b=after")
    assert len(made) == 2


def test_an_error_that_passes_is_not_kept(pages, monkeypatch):
    ours, failing = (
        figures.compare_runs,
        [StoreError("store", "is busy", "try again"), TimeoutError("slow")],
    )

    def fail_first(*arguments, **options):
        if failing:
            raise failing.pop(0)
        return ours(*arguments, **options)

    monkeypatch.setattr(figures, "compare_runs", fail_first)
    assert pages.client.get("/api/compare?a=before&b=after").status_code == 503
    assert pages.client.get("/api/compare?a=before&b=after").status_code == 500
    assert pages.read("/api/compare?a=before&b=after")["judges"][0]["finding"] == "better"


def test_no_more_than_so_many_are_kept(where, monkeypatch):
    monkeypatch.setattr(figures, "MAX_COMPARISONS", 2)
    made = counting(monkeypatch)
    with served(where) as pages:
        for flips in (1, 2, 3, 1):
            pages.read(f"/api/compare?a=before&b=after&flips={flips}")
        assert len(made) == 4
        pages.read("/api/compare?a=before&b=after&flips=3")
        assert len(made) == 4


# ---- one case ----


def test_flips_lead_to_their_case_and_on_to_the_next(pages):
    shown = pages.client.get("/compare?a=before&b=after&slice=topic").text
    first = shown.partition('class="rows cards cases changed"')[2].partition('href="')[2].partition('"')[0]
    case = pages.client.get(first.replace("&amp;", "&")).text
    assert "change 1 of " in case
    assert 'rel="prev"' not in case
    assert 'rel="next" data-key="ArrowRight"' in case
    assert "slice=topic" in case.partition('rel="next"')[2].partition(">")[0]
    assert '<a href="/compare?a=before&amp;b=after&amp;slice=topic">' in case


def test_a_case_shows_both_answers_with_what_differs_marked(pages):
    shown = pages.client.get("/compare/case?a=before&b=after&case=q20&judge=correctness%3Dcorrectness").text
    assert "[<mark>wrong</mark>] says <mark>before</mark> of 20." in shown
    assert "[<mark>right</mark>] says <mark>after</mark> of 20." in shown
    assert "It says another thing." in shown
    assert "Question 20?" in shown
    assert shown.count("Question 20?") == 1


def test_a_case_that_did_not_flip_or_was_not_judged_is_shown_all_the_same(pages):
    odd = pages.client.get("/compare/case?a=before&b=after&case=q39&judge=correctness").text
    assert "unreadable" in odd
    assert "change " not in odd


def test_a_case_of_one_run_only_is_shown_with_the_other_side_empty(pages, tmp_path):
    make_run(tmp_path, "short", some(5, 5))
    shown = pages.client.get("/compare/case?a=before&b=short&case=q30").text
    assert "B does not have this case" in shown
    assert "says before of 30." in shown
    assert pages.client.get("/compare/case?a=before&b=short&case=q99").status_code == 404


# ---- the list of runs ----


def test_the_list_draws_each_result_and_links_its_change_since_the_run_of_the_same_file(tmp_path):
    store = make_run(tmp_path, "cases", some(4, 6))
    path = tmp_path / "cases.jsonl"
    path.write_text(path.read_text().replace("[wrong]", "[right]", 3))
    adjudge_evaluate(
        path, ["correctness"], name="again", store=store, model=f"scripted:{tmp_path / 'replies.jsonl'}"
    )
    with served(store) as pages:
        text = pages.client.get("/").text
    again, _, before = text.partition("Choose cases to compare")
    assert '<a href="/compare?a=cases&amp;b=again">▲ 30.0 since cases</a>' in again
    assert "<strong>70.0 %</strong>" in again
    assert 'aria-label="70.0 %, 39.7–89.2 (95 %), 7 of 10 passed"' in again
    assert "since" not in before


def test_no_change_is_drawn_between_means_of_different_cases(tmp_path):
    """The first row against all ten: 40 % and 100 %, and no case changed."""
    store = make_run(tmp_path, "cases", some(4, 6))
    model = f"scripted:{tmp_path / 'replies.jsonl'}"
    adjudge_evaluate(
        tmp_path / "cases.jsonl", ["correctness"], name="first", store=store, model=model, first=1
    )
    with served(store) as pages:
        for address in ("/", "/runs/first"):
            text = pages.client.get(address).text
            assert "compare with cases</a>" in text
            assert "since cases" not in text


def test_a_run_whose_process_was_killed_is_listed_as_interrupted(tmp_path):
    store = make_run(tmp_path, "cases", some(4, 6))
    with closing(open_store(store)) as opened:
        (record,) = opened.runs()
        driver = Driver(host="here", pid=1, since=record.started_at)
        opened.write([StartRun(run=replace(record, state="running", finished_at=None, driver=driver))])
        with served(store) as pages:
            assert pages.read("/api/runs?state=interrupted")["total"] == 1
            assert '<span class="mark warn">interrupted' in pages.client.get("/").text
            held = opened.lock_run(record.run_id)
            assert pages.read("/api/runs?state=running")["total"] == 1
            held.release()
