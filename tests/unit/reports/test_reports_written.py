"""The report as text, JSON and Markdown."""

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

from adjudge.records import OUTCOME_KINDS, Place, Scale, Usage
from adjudge.reports.markdown import quoted
from adjudge.reports.summary import Tally
from adjudge.reports.text import print_report, report_json, report_markdown
from adjudge.reports.words import FAILURES, failure_heading


def tally(judgements, judges):
    result = Tally(judges)
    for one in judgements:
        result.add(one)
    return result.summaries()


@pytest.fixture(scope="session")
def summaries(build):
    """Two judges; one of everything that can become of a row."""
    rows = [
        build.judgement(build.outcome(kind), notes=("planted_verdict",), label=4, passed=None)
        for kind in OUTCOME_KINDS
    ]
    call = build.call(cost=Decimal("0.0012"), latency_ms=1500.0, usage=Usage(input=1200, output=7))
    rows += [build.judgement(build.scored(1.0), judge="k", passed=True, calls=(call,)) for _ in range(3)]
    return tally(rows, [build.judge(), build.judge("k", scale=Scale(low=0, high=1))])


def shown(summaries, **options):
    file = io.StringIO()
    print_report(summaries, file=file, **options)
    return file.getvalue()


# ---- text --------------------------------------------------------------------------------------------------


def test_the_whole_report_reads_like_this(build):
    rows = [
        build.judgement(build.scored(float(score)), passed=score >= 3, case_id=f"c{score}")
        for score in (1, 3, 4, 5)
    ]
    rows.append(
        build.judgement(
            build.failed("unreadable", "no score in the reply"),
            case_id="c9",
            place=Place(file="f.jsonl", line=9),
        )
    )
    text = shown(tally(rows, [build.judge(passes="score >= 3")]))
    assert text == (
        "Model: scripted:m\n"
        "\n"
        "Judge     Asked  Judged  Not judged    Mean               Pass rate             If the rest      Cost\n"
        "─────────────────────────────────────────────────────────────────────────────────────────────────────\n"
        "j@abc123      5       4  1 unreadable  3.25 [0.53, 5.00]  75.0% [30.1%, 95.4%]  2.60 to 3.60  $0.0000\n"
        "\n"
        "j@abc123\n"
        "  1 unreadable: the model replied, but with no verdict of the form asked for. Try a stronger model, or ask for the "
        "form more plainly: `adjudge lint` on the judge says where.\n"
        "    case c9 (f.jsonl line 9): no score in the reply\n"
        "  scores given: 1: 1, 3: 1, 4: 1, 5: 1\n"
        "  pass rate if all the rest failed: 60.0%; if all passed: 80.0%\n"
        "\n"
        "[low, high] is a 95 % interval: mean by t; pass rate by Wilson.\n"
        "If the rest: the mean, had all rows that were not judged got the lowest, or the highest, score.\n"
    )


@pytest.mark.parametrize("width", [20, 60, 80, 100, 120, 200])
def test_every_outcome_and_figure_is_there_at_every_width(summaries, width):
    text = shown(summaries, width=width)
    for kind in OUTCOME_KINDS[2:]:
        assert f"1 {kind}" in text
        assert FAILURES[kind].means in text
    assert "got a score by rule" in text
    for figure in (
        "2.00 [0.00, 5.00]",
        "0.40 to 4.40",
        "100.0% [43.9%, 100.0%]",
        "1.00 [0.29, 1.00]",
        "$0.0036",
    ):
        assert figure in text
    assert "labels: 1 of 2 judged rows with a label agree" in text
    assert "8 rows with a label not judged" in text
    assert "time per judgement: 1.50 s" in text
    assert "tokens: 3,600 in, 21 out" in text


def test_a_narrow_terminal_gets_blocks_and_a_wide_one_a_table(summaries):
    assert "Judge  " in shown(summaries, width=140)
    assert "Judge  " not in shown(summaries, width=60)
    assert "  Mean:        1.00 [0.29, 1.00]" in shown(summaries, width=60)


def test_models_are_named_in_the_table_when_they_differ(build):
    rows = [build.judgement(build.scored(1.0), model=model) for model in ("openai:a", "openai:b")]
    text = shown(tally(rows, [build.judge()]))
    assert "Model: " not in text
    assert re.search(r"j@abc123 +openai:a +1 ", text)


def test_a_run_that_judged_nothing_has_a_report(build):
    text = shown(tally([build.judgement(build.failed("refused"))], [build.judge()]))
    assert re.search(r"j@abc123 +1 +0 +1 refused +— +— +0.00 to 5.00", text)
    assert "95 %" not in text


def test_a_judge_that_got_no_row_and_a_report_of_nothing_are_shown(build):
    assert re.search(r"j@abc123 +0 +0 +— +— +— +—", shown(tally([], [build.judge()])))
    assert shown(()) == "No judge was asked anything.\n"
    assert report_markdown(()) == "No judge was asked anything.\n"
    assert report_json(()) == {"judges": []}


def test_methods_are_told_apart_where_judges_differ(summaries):
    assert "mean by t (j), scale bound (all values equal) (k); pass rate by Wilson" in shown(summaries)


def test_repeats_and_the_store_are_mentioned(build):
    call = build.call(from_store=True)
    rows = [
        build.judgement(build.scored(float(n)), case_id=f"c{n // 2}", repeat=n % 2, calls=(call,))
        for n in range(4)
    ]
    text = shown(tally(rows, [build.judge()]))
    assert "each case was judged 2 times; intervals count a case once" in text
    assert "4 rows answered from the store, with no call and no cost" in text
    assert "mean by t over clusters (CR2, 1 degrees of freedom)" in text
    assert "unreliable: 2 clusters: an interval over fewer than 10 is unreliable" in text
    assert "noise: scores of one case have a standard deviation of 0.707, 14.1% of the scale" in text


def test_finer_kinds_stand_beside_the_kind(build):
    rows = [build.judgement(build.failed("call_failed", "429", "rate_limited"))] * 2
    (summary,) = tally(rows, [build.judge()])
    assert failure_heading("call_failed", summary).startswith(
        "2 call_failed (rate_limited 2): the model could not"
    )


def test_long_hashes_are_shortened(build):
    digest = "0123456789abcdef" * 4
    rows = [build.judgement(build.scored(1.0), judge_hash=digest)]
    assert "j@0123456789ab " in shown(tally(rows, [build.judge(hash=digest)]))


# ---- colour and terminals ----------------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(summaries, monkeypatch, environment, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    file = Terminal()
    print_report(summaries, file=file)
    assert ("\x1b[" in file.getvalue()) is coloured


def test_a_pipe_gets_no_escape_and_colour_can_be_set_either_way(summaries):
    assert "\x1b" not in shown(summaries)
    assert "\x1b[1m" in shown(summaries, color=True)
    file = Terminal()
    print_report(summaries, file=file, color=False)
    assert "\x1b" not in file.getvalue()


def test_colour_changes_nothing_but_colour(summaries):
    plain = re.sub(r"\x1b\[[\d;]*m", "", shown(summaries, color=True, width=140))
    assert [line.rstrip() for line in plain.splitlines()] == shown(summaries, width=140).splitlines()


def test_the_width_of_the_terminal_decides(summaries, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    file = Terminal()
    print_report(summaries, file=file, color=False)
    assert file.getvalue() == shown(summaries, width=60)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_file_that_cannot_write_every_sign_gets_plainer_ones(build, encoding):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    rows = [build.judgement(build.failed("refused", "— ␛ 日本"))]
    print_report(tally(rows, [build.judge()]), file=file)
    file.flush()
    text = raw.getvalue().decode(encoding)
    assert "1 refused" in text
    assert "-----" in text


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


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_said_by_others_acts_in_a_terminal(build, text):
    rows = [
        build.judgement(
            build.failed("unreadable", text, text),
            judge=text,
            model=text,
            case_id=text,
            notes=(text,),
            place=Place(file=text),
        )
    ]
    report = shown(tally(rows, []), width=100)
    assert not any(unicodedata.category(character) == "Cc" for character in report.replace("\n", ""))
    assert not any(line.lstrip().startswith("::") for line in report.splitlines())
    assert "##[" not in report
    if text.startswith("[") or text == ":smile:":
        assert f"case {text} ({text}): {text}" in report or f"case {text}: {text}" in report


@given(st.text(max_size=40))
def test_no_text_breaks_the_report(build, text):
    rows = [build.judgement(build.failed("refused", text, text), case_id=text, notes=(text,), model=text)]
    summaries = tally(rows, [])
    assert not any(
        unicodedata.category(character) == "Cc" for character in shown(summaries).replace("\n", "")
    )
    report_markdown(summaries).encode()
    orjson.dumps(report_json(summaries))


def test_importing_the_writers_does_not_load_rich():
    code = "import sys, adjudge.reports.text, adjudge.documents.writers; print('rich' in sys.modules, 'pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


# ---- JSON --------------------------------------------------------------------------------------------------


def test_json_holds_every_figure_with_what_it_rests_on(summaries):
    first, second = report_json(summaries)["judges"]
    assert first["outcomes"] == dict.fromkeys(OUTCOME_KINDS, 1)
    assert (first["asked"], first["judged"], first["not_judged"]) == (10, 2, 8)
    assert first["mean"]["n"] == 2
    assert first["mean"]["method"] == "t"
    assert first["bounds"] == [0.4, 4.4]
    assert first["agreement"]["labelled"] == 10
    assert first["failures"]["bad_row"] == [{"case_id": "c1", "message": "why not", "place": None}]
    assert second["mean"]["low"] < second["mean"]["value"] == 1.0
    assert second["cost"] == 0.0036
    assert second["latency"] == {"n": 3, "p50_ms": 1500.0, "p95_ms": 1500.0}
    assert orjson.loads(orjson.dumps(report_json(summaries))) == report_json(summaries)


def test_an_interval_without_ends_has_null_ends_in_json(build):
    (only,) = report_json(tally([build.judgement(build.scored(1.0))], [build.judge(scale=None)]))["judges"]
    assert (only["mean"]["low"], only["mean"]["high"], only["scale"]) == (None, None, None)


# ---- Markdown ----------------------------------------------------------------------------------------------


def test_markdown_has_a_table_line_for_each_judge_and_a_line_for_each_outcome(summaries):
    text = report_markdown(summaries)
    lines = text.splitlines()
    assert lines[2].startswith("| `j@abc123` | `scripted:m` | 10 | 2 | 1 missing\\_input, 1 bad\\_row")
    assert (
        lines[3]
        == "| `k@abc123` | `scripted:m` | 3 | 3 | — | 1.00 [0.29, 1.00] | 100.0% [43.9%, 100.0%] | — | \\$0.0036 |"
    )
    for kind in OUTCOME_KINDS[2:]:
        assert f"- 1 {kind.replace('_', chr(92) + '_')}: " in text


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_said_by_others_is_markup(build, text):
    rows = [build.judgement(build.failed("unreadable", text), judge=text, model=text, case_id=text)]
    report = report_markdown(tally(rows, []))
    table = report.splitlines()[2]
    assert table.count("|") == 10
    outside_code = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", report)
    for live in ("<script", "@every", "](http", "[bold", "# heading"):
        assert live not in outside_code


@given(st.text())
def test_a_code_span_ends_only_where_it_should(text):
    span = quoted(text)
    fence = re.match("`+", span)[0]
    body = span[len(fence) : -len(fence)]
    assert span.endswith(fence)
    assert fence not in re.findall("`+", body)
    assert "\n" not in span
