"""The table of cases over HTTP: the page, its API and the selection as a file."""

import csv
import io
from html.parser import HTMLParser
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from jsonl import parse_lines
from msgspec.structs import replace
from seeded_store import AT, PHRASE, TOPICS, make_row, seed_store
from served import served

import adjudge
from adjudge.documents.rows import FIELDS, result_row
from adjudge.judges import built_in_judges
from adjudge.records import Case
from adjudge.server.keys import to_key
from adjudge.store import KeepJudge, RunRecord, StartRun, open_store

ROWS = 420


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cases-pages")
    seed_store(folder, ROWS)
    with served(folder) as site:
        yield site


class Page(HTMLParser):
    """Links, cells and inputs of a page, as a browser would have them."""

    def __init__(self, text):
        super().__init__()
        self.links, self.rows, self.inputs, self.headers = [], [], [], {}
        self._cell = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag in ("input", "option"):
            self.inputs.append({**given, "tag": tag})
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = given
            if tag == "th":
                self.headers[given["class"].split()[0]] = given.get("aria-sort")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self.rows[-1][-1] += data

    def link(self, text):
        return next(each for each in self.links if text in each)


def load(site, query="", run="seeded", **options):
    answer = site.client.get(f"/runs/{to_key(run)}/cases{query}", **options)
    assert answer.status_code == 200, answer.text
    return Page(answer.text), answer


def test_the_page_shows_the_first_cases_and_how_many_there_are(site):
    page, answer = load(site)
    assert len(page.rows) == 51
    assert "<strong>420</strong> judgements" in answer.text
    assert "1–50 of 420" in answer.text
    assert [cell.strip() for cell in page.rows[0]] == [
        "Case", "Judge", "Score", "Label", "Question", "Answer", "Expected", "Notes"
    ]  # fmt: skip
    assert page.rows[1][0] == "case-000000"
    assert len(answer.content) < 200_000
    assert "data-poll" not in answer.text


def test_the_page_and_the_api_say_the_same(site):
    query = "?judge=relevance&outcome=scored&slice=topic%3Dbilling&sort=-score&size=20"
    page, answer = load(site, query)
    said = site.read(f"/api/runs/seeded/cases{query}")
    assert [row[0] for row in page.rows[1:]] == [row["case_id"] for row in said["rows"]]
    assert f"<strong>{said['total']}</strong> of 420 judgements" in answer.text
    assert all(row["metadata"]["topic"] == "billing" for row in said["rows"])
    scores = [row["score"] for row in said["rows"]]
    assert scores == sorted(scores, reverse=True)
    assert page.headers["c-score"] == "descending"
    assert page.headers["c-case"] == "none"


def test_the_filters_stand_as_the_address_says(site):
    page, _ = load(
        site,
        "?q=order&judge=relevance&outcome=refused&low=0&high=4.5&passed=no&label=labelled&slice=topic=travel",
    )
    chosen = [
        (each.get("name"), each.get("value"))
        for each in page.inputs
        if "selected" in each or "checked" in each or each.get("type") in ("search", "number")
    ]
    for name, value in (("q", "order"), ("low", "0"), ("high", "4.5"), ("outcome", "refused")):
        assert (name, value) in chosen
    for value in ("relevance", "no", "labelled", "topic=travel"):
        assert (None, value) in chosen


def test_links_lead_from_page_to_page_and_to_each_case_with_the_filter(site):
    page, _ = load(site, "?judge=relevance&q=order&size=40")
    following, answer = load(
        site, urlsplit(page.link("first=40")).query and "?" + urlsplit(page.link("first=40")).query
    )
    assert "41–80 of 210" in answer.text
    assert following.rows[1][0] == "case-000040"
    case = dict(parse_qsl(urlsplit(page.link("/case?")).query))
    assert case == {
        "case": "case-000000", "judge": "relevance", "model": "openai:seeded-1", "repeat": "0", "among": "relevance",
        "q": "order", "size": "40",
    }  # fmt: skip
    assert site.client.get(page.link("/case?")).status_code == 200


def test_columns_are_chosen_and_kept_on_the_way(site):
    page, _ = load(
        site, f"?cols=case&cols=latency&cols=meta:{to_key('language')}&cols=nonsense&cols=meta:~ZZ"
    )
    assert [cell.strip() for cell in page.rows[0]] == ["Case", "Latency", "language"]
    assert page.rows[1][2] == "en"
    assert "cols=latency" in page.link("sort=-latency")
    kept = [each["value"] for each in page.inputs if each.get("form") == "filter" and each["name"] == "cols"]
    assert kept == ["case", "latency", "meta:language", "nonsense", "meta:~ZZ"]


def test_what_was_expected_and_what_people_say_have_columns_where_there_is_any(tmp_path):
    (tmp_path / "cases.jsonl").write_text(
        '{"id": "a", "question": "How many?", "answer": "It is 43.", "reference": "It is 42.", "label": 0}\n'
        '{"id": "b", "question": "Who?", "answer": "", "reference": "Kipling"}\n'
    )
    adjudge.evaluate(
        tmp_path / "cases.jsonl", "correctness", name="people", store=tmp_path / ".adjudge", model="embedded"
    )
    with served(tmp_path / ".adjudge") as site:
        page, answer = load(site, "?sort=case", run="people")
        assert "<strong>2</strong> cases" in answer.text
        assert [cell.strip() for cell in page.rows[0]] == [
            "Case ▲", "Score", "Label", "Question", "Answer", "Expected", "Notes"
        ]  # fmt: skip
        assert [row[2].strip() for row in page.rows[1:]] == ["0", ""]
        assert [row[5].strip() for row in page.rows[1:]] == ["It is 42.", "Kipling"]
        page, answer = load(site, "?label=unlabelled&passed=no", run="people")
        assert [row[0] for row in page.rows[1:]] == ["b"]
        assert "not labelled" in answer.text


def test_a_sort_or_label_filter_brings_its_column_along(site):
    assert "c-latency" in load(site, "?sort=-latency")[0].headers
    assert "c-gap" in load(site, "?label=disagree")[0].headers
    assert "c-judge" not in load(site, "?judge=relevance")[0].headers


def test_what_is_searched_for_is_found(site):
    assert site.read("/api/runs/seeded/cases", params={"q": "zanzibar"})["total"] == 2
    assert site.read("/api/runs/seeded/cases", params={"q": f'"{PHRASE}"'})["total"] == 42
    assert site.read("/api/runs/seeded/cases", params={"q": "working second"})["total"] == 420
    assert site.read("/api/runs/seeded/cases", params={"q": "case-000017"})["total"] == 2


def test_nothing_found_says_what_to_do_next(site):
    _, answer = load(site, "?q=absolutelynowhere")
    assert "No case matches" in answer.text
    assert 'href="/runs/seeded/cases">Show all 420 judgements' in answer.text
    _, answer = load(site, "?first=9000")
    assert "The list ends before row 9,001" in answer.text


def test_a_part_is_answered_without_the_filters_around_it(site):
    whole, part = (load(site, headers=headers)[1].text for headers in ({}, {"X-Swap": "cases"}))
    assert '<form id="filter"' in whole
    assert '<form id="filter"' not in part
    assert part.count("<tr") == whole.count("<tr") == 51


def test_choices_count_the_whole_run(site):
    choices = site.read("/api/runs/seeded/cases/choices")
    assert choices["judges"] == [{"value": name, "count": 210} for name in ("correctness", "relevance")]
    assert sum(each["count"] for each in choices["outcomes"]) == 420
    slices = {each["name"]: each["values"] for each in choices["slices"]}
    assert set(slices) == {"language", "system", "topic"}
    assert {each["value"] for each in slices["topic"]} == set(TOPICS)
    assert choices["columns"] == ["language", "order", "system", "topic"]
    assert choices["labelled"] == 80
    assert choices["passes"] is True


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_selection_is_a_file_of_the_rows_that_export_writes(site, form):
    query = "?judge=relevance&outcome=scored&sort=-latency"
    answer = site.client.get(f"/api/runs/seeded/cases.{form}{query}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="Seeded-cases.{form}"'
    expected = site.read(f"/api/runs/seeded/cases{query}&size=500")["rows"]
    if form == "jsonl":
        rows = parse_lines(answer.text)
        by_case = {
            judgement.case_id: result_row(judgement, "seeded")
            for judgement in site.service.store.judgements("seeded")
            if judgement.judge == "relevance"
        }
        assert rows == [by_case[row["case_id"]] for row in expected]
    else:
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert list(rows[0]) == list(FIELDS)
    assert [row["case_id"] for row in rows] == [row["case_id"] for row in expected]


def test_an_empty_selection_is_an_empty_file(site):
    assert site.client.get("/api/runs/seeded/cases.jsonl?q=nowhereatall").text == ""
    assert site.client.get("/api/runs/seeded/cases.csv?q=nowhereatall").text.strip() == ",".join(FIELDS)
    assert site.client.get("/api/runs/seeded/cases.xlsx").status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        "q=%22", "q=%22%22%22", "q=NEAR(a+b,+3)", "q=text:order", "q=a+OR+b", "q=-order", "q=*", "q=%00order", "q=%ED%A0%80",
        "q=" + quote("'; DROP TABLE judgements; --"), "q=" + "(" * 900, "q=" + "a+" * 450, "low=1e308&high=-1e308", "low=nan",
        "high=inf", "q=" + "x" * 10_000, "slice=%00=%00", "slice=topic=" + "y" * 1_500, "slice=notakey!", "first=10000000",
        "first=99999999999999999999", "sort=score;--", "judge=" + "j" * 600, "note=%25", "cols=" + "c" * 2_000, "outcome=x",
        "size=-1", "label=1", "passed=true",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "path", ["/api/runs/seeded/cases", "/runs/seeded/cases", "/api/runs/seeded/cases.jsonl"]
)
def test_whatever_is_asked_is_answered_or_refused_in_words(site, path, query):
    answer = site.client.get(f"{path}?{query}")
    assert answer.status_code in (200, 400, 422), answer.text
    if answer.status_code != 200 and path.startswith("/api"):
        assert set(answer.json()) == {"problem", "hint"}


def test_a_run_that_is_not_there_is_not_found(site):
    assert site.client.get("/api/runs/nowhere/cases").status_code == 404
    assert site.client.get("/runs/nowhere/cases").status_code == 404
    assert site.client.get("/runs/~ZZ/cases").status_code == 400
    assert site.stranger.get("/api/runs/seeded/cases").status_code == 401


def test_a_live_run_is_looked_at_again_while_it_runs(tmp_path):
    seed_store(tmp_path, 30, state="running", run_id="live")
    judges = [judge for judge in built_in_judges() if judge.name in ("correctness", "relevance")]
    with served(tmp_path) as site:
        _, answer = load(site, run="live")
        assert 'data-poll="2"' in answer.text
        assert "<strong>30</strong> judgements" in answer.text
        assert [each["count"] for each in site.read("/api/runs/live/cases/choices")["judges"]] == [15, 15]
        site.service.store.write(
            [write for number in range(30, 45) for write in make_row(number, judges, run_id="live")]
        )
        assert "<strong>45</strong> judgements" in load(site, run="live")[1].text
        choices = site.read("/api/runs/live/cases/choices")
        assert [each["count"] for each in choices["judges"]] == [23, 22]
        assert choices["labelled"] == len([number for number in range(0, 45, 5) if number % 21 != 13])


def test_a_run_without_judgements_says_so(tmp_path):
    record = RunRecord(run_id="bare", name=None, state="running", plan={"judges": []}, started_at=AT)
    store = open_store(tmp_path)
    store.write([StartRun(run=record)])
    store.close()
    with served(tmp_path) as site:
        _, answer = load(site, run="bare")
        assert "Nothing has been judged in this run yet." in answer.text
        assert site.read("/api/runs/bare/cases")["total"] == 0


def test_hostile_names_and_texts_are_shown_and_can_be_followed(tmp_path):
    (judge,) = [judge for judge in built_in_judges() if judge.name == "relevance"]
    odd = "a/b?c=d&e#f \u202e<script>alert(1)</script>'\"%00"
    column = "slice <b>&=;~"
    run = f"../{odd}"
    (_, kept) = make_row(0, [judge], run_id=run)
    case = Case(
        case_id=odd, columns={"question": odd, "response": odd}, fields={"question": odd, "response": odd}
    )
    judgement = replace(
        kept.judgement, case_id=odd, metadata={column: odd}, notes=(odd,), reason=odd, cluster=odd, calls=()
    )
    store = open_store(tmp_path)
    record = RunRecord(
        run_id=run, name=None, state="running", plan={"judges": [f"relevance@{judge.hash}"]}, started_at=AT
    )
    store.write(
        [
            StartRun(run=record),
            KeepJudge(judge=judge),
            replace(kept, judgement=judgement, case=case, calls=()),
        ]
    )
    store.close()
    with served(tmp_path) as site:
        meta = quote(f"meta:{to_key(column)}")
        page, answer = load(
            site, f"?cols=case&cols=notes&cols=reason&cols=cluster&cols=question&cols={meta}", run=run
        )
        assert "<script>alert" not in answer.text
        assert len(page.rows) == 2
        case = dict(parse_qsl(urlsplit(page.link("/case?")).query))
        assert case["case"] == odd
        key = to_key(run)
        by_slice = site.read(f"/api/runs/{key}/cases", params={"slice": f"{to_key(column)}={odd}"})
        assert by_slice["total"] == 1
        assert site.read(f"/api/runs/{key}/cases", params={"note": odd, "q": "script alert"})["total"] == 1
        text = site.client.get(f"/api/runs/{key}/cases.csv").text
        assert odd.replace('"', '""') in text
