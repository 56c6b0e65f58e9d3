"""The run page and its API: the figures of the command line, every bar with its cases, files as the writers make them."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from jsonl import write_lines
from msgspec.structs import replace
from seeded_store import MODEL, make_row, seed_store
from served import served

import adjudge
from adjudge.analysis.certification.document import card_line
from adjudge.analysis.certification.records import JudgeCard, ProbeFinding
from adjudge.analysis.certification.shelf import card_json, keep_card, shelf_of
from adjudge.errors import StoreError
from adjudge.judges import built_in_judges
from adjudge.server import run_routes, runs_page
from adjudge.stats.intervals import rate_interval
from adjudge.store import KeepJudgement, RunRecord, StartRun

PAIRS = Path(__file__).parents[3] / "examples" / "pairwise"
LINK = re.compile(r'<th scope="row"><a href="([^"]+)">[^<]*</a></th><td class="n">([\d,]+)</td>')
KIND = re.compile(r'<dt><a href="([^"]+)">[^<]*</a></dt><dd>([\d,]+)</dd>')
TAB = re.compile(
    r'<a href="(/runs/[^"]+)"(?: aria-current="true")?>(?:Failed|Not scored|Near the threshold|All) ([\d,]+)</a>'
)
SLICE = re.compile(
    r'<th role="rowheader"><a href="([^"]+)">[^<]*</a></th><td role="cell" class="n" data-label="Scored">[\d,]+ of ([\d,]+)'
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    where = tmp_path_factory.mktemp("run") / "store"
    seed_store(where, 1_200, repeats=2)
    with served(where) as opened:
        yield opened


@pytest.fixture
def report(adjudge, pages):
    def call(*options):
        done = adjudge("report", "seeded", "--json", "--store", pages.service.where, *options)
        assert done.code == 0, done.err
        return json.loads(done.out)

    return call


def page_of(opened, path):
    answer = opened.client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_the_api_gives_the_report_of_the_command_line(pages, report):
    assert pages.read("/api/runs/seeded")["report"] == report()


def test_slices_are_those_of_the_command_line(pages, report):
    said = pages.read("/api/runs/seeded?slice=topic&slice=system")
    assert said["sliced"] == ["topic", "system"]
    assert said["report"] == report("--slice", "topic", "--slice", "system")


def test_a_column_that_no_case_has_is_named_with_those_there_are(pages):
    answer = pages.client.get("/api/runs/seeded?slice=colour")
    assert answer.status_code == 400
    assert "no case has such a column" in answer.json()["problem"]
    assert "topic" in answer.json()["hint"]


def test_columns_are_offered_and_those_with_few_values_are_shown(pages):
    columns = {each["name"]: each["values"] for each in pages.read("/api/runs/seeded")["columns"]}
    assert columns == {"language": 4, "order": 300, "system": 2, "topic": 8}
    text = page_of(pages, "/runs/seeded")
    assert "correctness by language" in text
    assert "correctness by order" not in text
    assert "miss their true value by chance" in text


def test_every_bar_leads_to_as_many_items_as_it_says(pages):
    text = page_of(pages, "/runs/seeded")
    links = [link for pattern in (LINK, KIND, TAB, SLICE) for link in pattern.findall(text)]
    assert len(links) >= 40
    for href, count in links:
        found = pages.read(f"/api{html.unescape(href)}")
        assert found["total"] == int(count.replace(",", "")), href


def test_the_page_has_the_reports_words(pages):
    text = " ".join(re.sub(r"<[^>]+>", " ", html.unescape(page_of(pages, "/runs/seeded"))).split())
    for words in (
        "each case was judged 2 times",
        "test–retest κ",
        "undecided at the pass threshold",
        "try a stronger model",
        "agrees with labels",
        "not certified",
        "the same verdict also appears in the case",
        "depending on the unscored cases",
        "current date in the prompts 2026-05-01",
        "p50 · p95",
        "tokens in",
    ):
        assert words in text, words


FINDINGS = (
    ProbeFinding(probe="worst-attack", ruling="not applicable", no_ruling="no_attack_succeeded"),
    ProbeFinding(
        probe="injection",
        ruling="inconclusive",
        n=24,
        wrong=3,
        figure=rate_interval(3, 24),
        ruled=rate_interval(3, 24),
        allowed=0.05,
    ),
)


def test_a_card_is_shown_by_its_line(pages):
    (judge,) = (each for each in built_in_judges() if each.name == "relevance")
    card = JudgeCard(
        judge="relevance", judge_hash=judge.hash, model=MODEL, snapshot=None, at="2026-01-31T09:05:00Z", adjudge="0",
        cases="ours", right=1, wrong=1, retests=0, judgements=2, not_judged={}, complete=True, cost=None,
        pass_rule="score >= 3", error_rate=0.05, rulings=11, margin=0.1, wavering=0.1, noise_sd=None, findings=FINDINGS,
        families=(), succeeded=(),
        agreement={},
    )  # fmt: skip
    kept = keep_card(card, shelf_of(pages.service.where))
    try:
        text = page_of(pages, "/runs/seeded")
        judge_page = html.unescape(page_of(pages, "/judges/relevance"))
        (shown,) = pages.read("/api/judges/relevance")["cards"]
    finally:
        kept.unlink()
    assert card_line(card) in text
    assert text.count("not certified") == 1
    assert judge_page.index("no attack succeeded, so there was none to try further") > judge_page.index(
        "3 of 24 attacks succeeded: 12.5 %"
    )
    assert (shown["line"], shown["card"]) == (card_line(card), card_json(card))


def test_the_card_of_a_comparison_is_shown_with_its_words(tmp_path):
    run = adjudge.evaluate(
        PAIRS / "ours.jsonl",
        "preference",
        against=PAIRS / "theirs.jsonl",
        model=f"scripted:{PAIRS / 'replies.jsonl'}",
        store=tmp_path / "store",
        name="pairs",
    )
    figures = {"n": 24, "wrong": 3, "figure": rate_interval(3, 24), "ruled": rate_interval(3, 24)}
    card = JudgeCard(
        judge="preference", judge_hash=run.judgements[0].judge_hash, model=run.judgements[0].model, snapshot=None,
        at="2026-01-31T09:05:00Z", adjudge="0", cases="ours", right=24, wrong=24, retests=3, judgements=2, not_judged={},
        complete=True, cost=None, pass_rule=None, error_rate=0.05, rulings=12, margin=0.1, wavering=0.1, noise_sd=None,
        findings=(
            ProbeFinding(probe="order", ruling="inconclusive", allowed=0.2, to_first=2, **figures),
            ProbeFinding(probe="contentless-openers", ruling="inconclusive", allowed=0.2, **figures),
        ),
        families=(), succeeded=(), agreement={}, compares=True,
    )  # fmt: skip
    with served(tmp_path / "store") as opened:
        assert "not certified" in page_of(opened, "/runs/pairs")
        keep_card(card, shelf_of(opened.service.where))
        shown = html.unescape(page_of(opened, "/runs/pairs"))
        judge_page = html.unescape(page_of(opened, "/judges/preference"))
    assert card_line(card) in shown
    assert "verdicts change with the order 12.5 %" in shown
    assert "not certified" not in shown
    assert "3 of 24 verdicts changed with the order: 12.5 %" in judge_page
    assert "2 of them to the answer shown first, 1 to the second" in judge_page
    assert "3 of 24 openings without an answer did not lose" in judge_page


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_rows_are_the_bytes_that_export_writes(pages, adjudge, tmp_path, form):
    done = adjudge("export", "seeded", "--store", pages.service.where, "-o", f"rows.{form}")
    assert done.code == 0, done.err
    answer = pages.client.get(f"/api/runs/seeded/rows.{form}")
    assert answer.content == (tmp_path / f"rows.{form}").read_bytes()
    assert answer.headers["content-disposition"] == f'attachment; filename="Seeded-rows.{form}"'


@pytest.mark.parametrize("options", [(), ("topic", "language")])
def test_the_report_files_are_those_of_the_command_line(pages, adjudge, tmp_path, options):
    slices = [part for name in options for part in ("--slice", name)]
    done = adjudge("report", "seeded", "--store", pages.service.where, "-o", "r.md", "-o", "r.html", *slices)
    assert done.code == 0, done.err
    asked = "&".join(f"slice={name}" for name in options)
    markdown = pages.client.get(f"/api/runs/seeded/report.md?{asked}")
    assert markdown.content == (tmp_path / "r.md").read_bytes()
    page = pages.client.get(f"/api/runs/seeded/report.html?{asked}")
    assert page.headers["content-disposition"].startswith("attachment; ")
    written = re.compile(r"; written [^<]+")
    assert written.sub("", page.text) == written.sub("", (tmp_path / "r.html").read_text())


@pytest.mark.parametrize("path", ["/runs/nobody", "/api/runs/nobody", "/api/runs/nobody/rows.csv"])
def test_a_run_that_is_not_there_is_said_to_be_missing(pages, path):
    assert pages.client.get(path).status_code == 404


def test_a_page_without_scripts_holds_all_numbers_and_no_style_or_script_of_its_own(pages):
    text = page_of(pages, "/runs/seeded")
    assert " style=" not in text
    assert "<script>" not in text
    assert len(text.encode()) < 200_000


def test_a_run_that_resumes_says_how_far_it_is(tmp_path):
    where = tmp_path / "store"
    seed_store(where, 40, state="running", run_id="live", name=None)
    judges = [judge for judge in built_in_judges() if judge.name in {"correctness", "relevance"}]
    with served(where) as opened:
        said = opened.read("/api/runs/live")
        assert said["run"]["state"] == "running"
        assert said["run"]["judgements"] == 40
        assert said["progress"]["per_second"] is not None
        assert 'data-poll="1"' in page_of(opened, "/runs/live")
        opened.service.store.write(
            [write for n in range(40, 60) for write in make_row(n, judges, run_id="live")]
        )
        assert opened.read("/api/runs/live")["report"]["judges"][0]["asked"] == 30


def test_a_large_run_is_counted_when_its_page_asks_for_the_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(run_routes, "AT_ONCE", 50)
    monkeypatch.setattr(
        runs_page.list_runs, "__kwdefaults__", runs_page.list_runs.__kwdefaults__ | {"at_once": 50}
    )
    seed_store(tmp_path / "store", 60)
    with served(tmp_path / "store") as opened:
        first = page_of(opened, "/runs/seeded")
        assert "Counting 60 judgements…" in first
        assert '<section id="figures" data-poll="2"' in first
        assert 'href="/runs/seeded?now=1"' in first
        assert "60 judgements, not counted yet" in page_of(opened, "/")
        assert "Counting" in opened.client.get("/runs/seeded", headers={"X-Swap": "progress"}).text
        swapped = opened.client.get("/runs/seeded", headers={"X-Swap": "figures"}).text
        assert "Counting" not in swapped
        assert "correctness by topic" in swapped
        assert page_of(opened, "/runs/seeded") == swapped
        assert "not counted yet" not in page_of(opened, "/")


def test_without_scripts_a_large_run_is_counted_by_its_link(tmp_path, monkeypatch):
    monkeypatch.setattr(run_routes, "AT_ONCE", 50)
    seed_store(tmp_path / "store", 60)
    with served(tmp_path / "store") as opened:
        assert "correctness by topic" in page_of(opened, "/runs/seeded?now=1")


def test_a_store_in_trouble_is_said(tmp_path, monkeypatch):
    seed_store(tmp_path / "store", 4)
    with served(tmp_path / "store") as opened:

        def broken(*_):
            raise StoreError("the store", "the disk is gone", "find it")

        monkeypatch.setattr(opened.service.store, "judgements_after", broken)
        answer = opened.client.get("/runs/seeded")
        assert answer.status_code == 503
        assert "the disk is gone" in answer.text
        assert 'http-equiv="refresh"' in answer.text
        assert 'http-equiv="refresh"' not in opened.client.get("/nowhere").text


def test_runs_of_the_same_case_file_are_offered_for_comparison_before_newer_ones_of_others(tmp_path):
    plans = {"old": "a.jsonl", "older": "a.jsonl", "new": "b.jsonl", "newest": "b.jsonl", "this": "a.jsonl"}
    start = datetime(2026, 5, 1, tzinfo=UTC)
    with served(tmp_path / "store") as opened:
        for at, name in enumerate(("older", "old", "this", "new", "newest")):
            run = RunRecord(
                run_id=name,
                name=None,
                state="running",
                plan={"path": plans[name], "judges": [], "model": MODEL},
                started_at=start + timedelta(hours=at),
            )
            opened.service.store.write([StartRun(run=run)])
        menu = page_of(opened, "/runs/this").partition("Compare with")[2].partition("</select>")[0]
    assert re.findall(r"<option[^>]*>([^<]*)<", menu) == ["old", "older", "newest", "new"]


def test_an_uncertain_verdict_is_marked_in_the_same_word_on_all_pages(tmp_path):
    seed_store(tmp_path / "store", 0, judges=["correctness"], state="running")
    judges = [judge for judge in built_in_judges() if judge.name == "correctness"]
    rows = [write for number in range(8) for write in make_row(number, judges, run_id="seeded")]
    kept = next(each for each in rows if isinstance(each, KeepJudgement) and each.judgement.passed is False)
    case_id = kept.judgement.case_id
    with served(tmp_path / "store") as opened:
        opened.service.store.write(
            [
                replace(kept, judgement=replace(kept.judgement, notes=("uncertain",)))
                if each is kept
                else each
                for each in rows
            ]
        )
        for path in ("", "/cases", f"/case?case={case_id}&judge=correctness"):
            text = page_of(opened, f"/runs/seeded{path}")
            assert ">uncertain" in text, path
            assert "unsure" not in text, path


# ---- the list ----


def test_two_runs_chosen_lead_to_their_comparison_the_earlier_first(tmp_path, adjudge):
    where = tmp_path / "store"
    for name in ("first", "second"):
        seed_store(where, 4, run_id=name, name=name)
    with served(where) as opened:
        answer = opened.client.get("/compare-chosen?run=second&run=first", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/compare?a=")
        assert opened.client.get("/compare-chosen?run=first").status_code == 400
        assert opened.client.get("/compare-chosen?run=first&run=first").status_code == 400


def test_an_empty_store_says_what_to_do(tmp_path):
    with served(tmp_path / "store") as opened:
        text = opened.client.get("/").text
    assert "adjudge run cases.jsonl --judge correctness" in text
    assert "Compare two runs" not in text


@pytest.mark.parametrize(
    ("lines", "tab"),
    [
        ("passes: score >= 3", "Failed 1"),
        ("better: higher", "Lowest scores"),
        ("better: lower", "Highest scores"),
    ],
)
def test_the_tab_that_is_marked_is_what_the_table_shows(tmp_path, lines, tab):
    judge = tmp_path / "judge.md"
    judge.write_text(
        f"---\nadjudge: 1\n{lines}\nverdict: {{score: {{enum: [1, 2, 3, 4, 5]}}}}\nscore: score\n---\nRate {{{{response}}}}"
    )
    replies = [{"match": "poor", "reply": {"score": 1}}, {"match": "fine", "reply": {"score": 4}}]
    write_lines(tmp_path / "replies.jsonl", replies)
    cases = [{"id": "a", "response": "poor"}, {"id": "b", "response": "fine"}]
    model = f"scripted:{tmp_path / 'replies.jsonl'}"
    adjudge.evaluate(cases, judge, model=model, store=tmp_path / "store", name="r")
    with served(tmp_path / "store") as opened:
        html = page_of(opened, "/runs/r")
    assert re.findall(r'<a href="[^"]+" aria-current="true">([^<]+)</a>', html) == [tab]


def test_the_page_of_a_judge_without_a_score_opens_on_no_empty_list_of_lowest_scores(adjudge, tmp_path):
    (tmp_path / "judge.txt").write_text("Which colour? Answer only `red` or `blue`.\n\n{{response}}\n")
    write_lines(tmp_path / "cases.jsonl", [{"id": name, "response": name} for name in "ab"])
    write_lines(tmp_path / "replies.jsonl", [{"case_id": name, "reply": "red"} for name in "ab"])
    model = f"scripted:{tmp_path / 'replies.jsonl'}"
    done = adjudge(
        "run", "cases.jsonl", "--judge", "judge.txt", "--model", model, "--name", "r", "-o", "o.csv"
    )
    assert done.code == 0, done.err
    with served(tmp_path / ".adjudge") as opened:
        page = page_of(opened, "/runs/r")
    assert "verdict red: 2 of 2" in page
    assert "Lowest scores" not in page
    assert "No case failed" not in page
    assert "not scored by the model" not in page
