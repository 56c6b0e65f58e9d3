"""A run's report in words: what a person reads first, and what is a detail."""

import io
import re
import subprocess
import sys
import unicodedata
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.outcomes import FAILURES
from adjudge.analysis.summary.case_lists import case_table
from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import Report
from adjudge.analysis.summary.run import cases_in
from adjudge.documents.document import Fact, Gauge, Quote, plain
from adjudge.documents.markdown import quoted
from adjudge.documents.terminal import print_terminal, render_terminal
from adjudge.records import OUTCOME_KINDS, Case, Place, Scale, Usage
from adjudge.store import Partial

KINDS = tuple(kind for kind in OUTCOME_KINDS if kind != "judged")
"""Of a judge that has a score."""


def report(judgements, judges, **more):
    tally = Tally(judges)
    for one in judgements:
        tally.add(one)
    return Report(judges=tally.summaries(), **more)


@pytest.fixture(scope="session")
def two_judges(build):
    """One of everything that can become of a case."""
    rows = [
        build.judgement(build.outcome(kind), notes=("planted_verdict",), label=4, passed=None)
        for kind in KINDS
    ]
    call = build.call(cost=Decimal("0.0012"), latency_ms=1500.0, usage=Usage(input=1200, output=7))
    rows += [build.judgement(build.scored(1.0), judge="k", passed=True, calls=(call,)) for _ in range(3)]
    return report(rows, [build.judge(), build.judge("k", scale=Scale(low=0, high=1))])


def shown(made, **options):
    return render_terminal(made.document(), **options)


def facts(made, kind):
    return [plain(fact.text) for fact in made.document().facts(kind)]


def case(number, **fields):
    return Case(case_id=f"c{number}", columns={}, fields=fields)


def test_it_answers_how_good_how_sure_which_cases_and_what_next(build):
    rows = [
        build.judgement(
            build.scored(float(passed)),
            passed=bool(passed),
            case_id=f"c{number}",
            case=case(number, question=f"Question {number}?", reference="Paris", response="Rome"),
            label=1,
        )
        for number, passed in enumerate((0, 1, 1, 1))
    ]
    rows.append(
        build.judgement(build.failed("unreadable", "no score in the reply"), case_id="c9", place=Place(file="f.jsonl", line=9))
    )  # fmt: skip
    judges = [build.judge("correct", scale=Scale(low=0, high=1), passes="score >= 1")]
    rows = [build.replaced(row, judge="correct") for row in rows]
    made = Report.of(rows, judges)
    made = Report(
        judges=made.judges, cases=made.cases, run="pr", source="f.jsonl", seconds=5.8, before="base"
    )
    assert shown(made) == (
        "run pr · f.jsonl · correct · scripted:m                              5.80 s · $0\n"
        "correct        75.0 %  ███████████████░░░░░  30.1–95.4 (95 %)  3 of 4 passed\n"
        "Failed        1                                    all: adjudge show pr --failed\n"
        "  c0  Question 0?                           expected “Paris”\n"
        "      got “Rome”\n"
        "Not scored    1 unreadable: between 23.1 and 96.4 % (95 %), depending on the\n"
        "              unscored cases\n"
        "              c9 (f.jsonl line 9): no score in the reply\n"
        "              try a stronger model, or state the format more clearly: `adjudge\n"
        "              lint` finds unclear spots in the judge\n"
        "Judge         agrees with your labels on 3 of 4: 75.0 % [30.1, 95.4]\n"
        "Next          adjudge show pr c0 · adjudge view pr · adjudge compare base pr\n"
    )


def test_a_partial_run_says_so_first(build):
    made = report([build.judgement(build.scored(1.0))], [build.judge()], partial=Partial(done=7202, of=20000))
    assert shown(made).splitlines()[0] == "PARTIAL 7,202 of 20,000"


def test_a_scale_of_several_steps_is_headed_by_its_mean_and_a_scale_of_two_by_its_pass_rate(build):
    rows = [build.judgement(build.scored(float(n)), passed=n >= 3) for n in (1, 3, 4, 5)]
    (found,) = (block for block in report(rows, [build.judge(passes="score >= 3")]).document().blocks if isinstance(block, Gauge))  # fmt: skip
    assert (found.value, found.counts, found.share) == ("3.25", "of 0–5, 75 % pass", 0.65)


def test_every_outcome_has_its_count_its_advice_and_the_range_it_leaves(two_judges):
    (text,) = facts(two_judges, "not scored")
    for kind in KINDS[2:]:
        assert f"1 {kind.replace('_', ' ')}" in text
        assert any(FAILURES[kind].do in line for line in facts(two_judges, f"advice {kind}"))
        assert facts(two_judges, f"example {kind}")
    assert text.endswith(": between 0.01 and 4.97 (95 %), depending on the unscored cases")
    assert "scored with no call" in facts(two_judges, "forced")[0]


def test_facts_name_their_judge_only_where_there_are_several(two_judges, build):
    assert facts(two_judges, "labels")[0].startswith("j: within one step of your labels on 1 of 2")
    alone = report([build.judgement(build.scored(4.0), label=4)], [build.judge()])
    assert facts(alone, "labels")[0].startswith("within one step of your labels on 1 of 1")


def test_notes_on_normal_work_hashes_and_methods_are_details(two_judges):
    brief, whole = shown(two_judges), shown(two_judges, verbose=True)
    for words in (
        "abc123",
        "p50 1.50 s, p95 1.50 s",
        "tokens: 3,600 in, 21 out",
        "planted_verdict",
        "Wilson",
    ):
        assert words not in brief
        assert words in whole.replace("\n", " ")
    assert (
        "intervals are 95 % intervals: mean by t on the logit scale, Wilson; pass rate by Wilson"
        in facts(two_judges, "methods")[0]
    )


def test_ordinal_labels_have_steps_and_a_rank_correlation(build):
    rows = [
        build.judgement(build.scored(float(n)), label=label)
        for n, label in ((1, 2), (2, 2), (3, 4), (5, 5), (4, 1))
    ]
    text = facts(report(rows, [build.judge()]), "labels")[0]
    assert text == (
        "within one step of your labels on 4 of 5: 80.0 % [37.6, 96.4]; equal on 2: 40.0 % [11.8, 76.9]; "
        "rank correlation 0.36 [-0.92, 0.98] (n 5)"
    )


def test_several_judges_have_a_table_of_cases_and_judges(build):
    rows = [
        build.judgement(
            build.scored(score), judge=judge, passed=passed, case_id="c0", case=case(0, question="Q?")
        )
        for judge, score, passed in (("a", 0.0, False), ("b", 2.0, None))
    ]
    judges = [build.judge("a", scale=Scale(low=0, high=1), passes="score >= 1"), build.judge("b")]
    text = Report.of(rows, judges).to_markdown()
    assert "| `c0` | `Q?` | fail | 2 |" in text


def test_a_run_that_judged_nothing_and_a_report_of_nothing_are_shown(build):
    text = shown(report([build.judgement(build.failed("refused"))], [build.judge()]))
    assert "none of 1 scored" in text
    assert "1 refused" in text
    assert "nothing was asked" in shown(report([], [build.judge()]))
    assert "Nothing was judged." in shown(Report(judges=()))
    assert Report(judges=()).to_json()["judges"] == []


def test_an_uncertain_verdict_is_called_uncertain(build):
    row = build.judgement(build.scored(0.0), passed=False, notes=("uncertain",), case=case(1, question="Q?"))
    made = Report.of([row], [build.judge(scale=Scale(low=0, high=1))])
    assert facts(made, "near") == ["1 case near the threshold, where the judge is uncertain"]
    assert "uncertain" in shown(made).partition("c1")[2]
    assert "unsure" not in shown(made)


def test_repeats_and_the_store_are_mentioned(build):
    call = build.call(from_store=True)
    rows = [
        build.judgement(build.scored(float(n)), case_id=f"c{n // 2}", repeat=n % 2, calls=(call,))
        for n in range(4)
    ]
    made = report(rows, [build.judge()])
    assert facts(made, "repeats") == ["each case was judged 2 times; intervals count a case once"]
    assert facts(made, "from store") == ["4 cases answered from the store, with no call and no cost"]
    assert facts(made, "unreliable")[0].startswith("2 clusters: an interval over fewer than 10 is unreliable")
    assert facts(made, "noise")[0].startswith(
        "scores of one case have a standard deviation of 0.707 [0.00123, 5], 14.1 % of the scale"
    )


def test_what_the_caller_knows_stands_where_it_belongs(build):
    gate = Fact(kind="gate failed", label="GATE FAILED", text="needs 80 %, has 63.6 %", tone="bad")
    card = Fact(kind="certified", label="Judge", text="not certified")
    made = report([build.judgement(build.scored(1.0), label=1)], [build.judge()], run="r", facts=(gate, card))
    kinds = [block.kind for block in made.document().blocks if not block.detail]
    assert (
        kinds.index("headline")
        < kinds.index("gate failed")
        < kinds.index("labels")
        < kinds.index("certified")
    )
    assert kinds.index("certified") < kinds.index("next")


# ---- colour and terminals ----------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(two_judges, monkeypatch, environment, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    file = Terminal()
    two_judges.print(file=file)
    assert ("\x1b[" in file.getvalue()) is coloured


def test_colour_changes_nothing_but_colour(two_judges):
    uncoloured = re.sub(r"\x1b\[[\d;]*m", "", shown(two_judges, colour=True))
    assert [line.rstrip() for line in uncoloured.splitlines()] == shown(two_judges).splitlines()


def test_the_width_of_the_terminal_decides(two_judges, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    file = Terminal()
    print_terminal(two_judges.document(), file=file, colour=False)
    assert file.getvalue() == shown(two_judges, width=60)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_file_that_cannot_write_every_sign_gets_plainer_ones(build, encoding):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    report([build.judgement(build.failed("refused", "— ␛ 日本"))], [build.judge()]).print(file=file)
    file.flush()
    assert "1 refused" in raw.getvalue().decode(encoding)


HOSTILE = [
    "\x1b[2J",
    "\x9b31m",
    "[bold red]x[/bold red]",
    "[/]",
    "[link=http://x]y[/link]",
    ":smile:",
    "a\r\nb",
    "\u202e",
    "::error::x",
    "##[error]x",
    "<script>alert(1)</script>",
    "|---|",
    "`` ` ``",
    "# heading",
    "@everyone",
    "![x](http://x)",
    "a" * 100_000,
    "字" * 1000,
]


def hostile(build, text):
    rows = [
        build.judgement(outcome, judge=text, model=text, case_id=text, notes=(text,), place=Place(file=text),
                        reason=text, metadata={text: text}, label=text,
                        case=Case(case_id=text, columns={}, fields={"question": text, "response": text, "reference": [text]}))
        for outcome in (build.failed("unreadable", text, text), build.scored(1.0))
    ]  # fmt: skip
    made = Report.of(rows, [], slices=[text])
    return Report(judges=made.judges, cases=made.cases, run=text, source=text, current_date=text, before=text)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_said_by_others_acts_in_a_terminal(build, text):
    for width in (40, 80, 100):
        written = shown(hostile(build, text), width=width, verbose=True)
        assert not any(unicodedata.category(character) == "Cc" for character in set(written) - {"\n"})
        assert not any(line.lstrip().startswith("::") for line in written.splitlines())
        assert "##[" not in written


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_said_by_others_is_markup(build, text):
    written = hostile(build, text).to_markdown()
    outside_code = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", written)
    for live in ("<script", "@every", "](http", "[bold", "\n# heading"):
        assert live not in outside_code


@given(st.text(max_size=40))
def test_no_text_breaks_the_report(build, text):
    made = hostile(build, text)
    written = shown(made, verbose=True)
    assert not any(unicodedata.category(character) == "Cc" for character in set(written) - {"\n"})
    made.to_markdown().encode()
    made.to_html().encode()
    orjson.dumps(made.to_json())


def test_importing_the_report_does_not_load_rich():
    code = "import sys, adjudge.analysis.summary.report, adjudge.documents.writers; print('rich' in sys.modules, 'pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


# ---- JSON --------------------------------------------------------------------------------------------------


def test_json_holds_every_figure_with_what_it_rests_on(two_judges):
    first, second = two_judges.to_json()["judges"]
    assert first["outcomes"] == dict.fromkeys(KINDS, 1)
    assert (first["asked"], first["judged"], first["not_judged"]) == (11, 2, 9)
    assert first["mean"]["n"] == 2
    assert first["mean"]["method"] == "t on the logit scale"
    assert 0 < first["bounds"]["low"] < 4 / 11 < 49 / 11 < first["bounds"]["high"] < 5
    assert first["agreement"]["labelled"] == 11
    assert first["failures"]["bad_row"] == [{"case_id": "c1", "message": "why not", "place": None}]
    assert second["mean"]["low"] < second["mean"]["value"] == 1.0
    assert second["cost"] == 0.0036
    latency = second["latency"]
    assert (latency["n"], latency["p50_ms"], latency["p95_ms"]) == (3, 1500.0, 1500.0)
    assert latency["populations"]["p95_ms"] == {"cases": "called for in this run", "unit": "judgement"}
    assert orjson.loads(orjson.dumps(two_judges.to_json())) == two_judges.to_json()


def test_an_interval_without_ends_has_null_ends_in_json(build):
    (only,) = report([build.judgement(build.scored(1.0))], [build.judge(scale=None)]).to_json()["judges"]
    assert (only["mean"]["low"], only["mean"]["high"], only["scale"]) == (None, None, None)


@given(st.text())
def test_a_code_span_ends_only_where_it_should(text):
    span = quoted(text)
    fence = re.match("`+", span)[0]
    body = span[len(fence) : -len(fence)]
    assert span.endswith(fence)
    assert fence not in re.findall("`+", body)
    assert "\n" not in span


def test_a_run_is_quoted_in_the_title(build):
    assert report([], [], run="<b>").document().title[1] == Quote("<b>")


def test_two_models_of_one_judge_have_columns_of_their_own(build):
    rows = [
        build.judgement(build.scored(score), case_id="c1", model=model, passed=score > 2)
        for score, model in ((5.0, "openai:a"), (1.0, "openai:b"))
    ]
    table = case_table(report(rows, [build.judge()], cases=cases_in(rows, ["c1"])))
    assert [str(plain(cell)) for cell in table.header[2:]] == ["j (openai:a)", "j (openai:b)"]
    assert len({str(plain(cell)) for cell in table.rows[0][2:]}) == 2
