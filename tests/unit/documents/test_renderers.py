"""The same document in its forms: nobody else's text becomes markup, an escape or a command of a build service."""

import re

import pytest

from adjudge.documents.document import (
    CaseEntry,
    CaseList,
    Command,
    Document,
    Fact,
    Gauge,
    Heading,
    Histogram,
    Intervals,
    Plot,
    PlottedInterval,
    Quote,
    Table,
)
from adjudge.documents.html import render_html
from adjudge.documents.markdown import render_markdown
from adjudge.documents.terminal import encode_for, render_terminal

HOSTILE = "</q><script>x</script> `code` \x1b[31m ::error:: |a| [l](http://e.example) \u202e **b**"


def document(text="ordinary", **more):
    return Document(
        title=("run ", Quote(text)),
        aside="5.8 s · $0",
        blocks=(
            Gauge(
                kind="pass rate",
                label=Quote(text[:10]),
                value="71.3 %",
                interval="63.6–78.0 (95 %)",
                counts="107 of 150 passed",
                share=0.713,
                low=0.636,
                high=0.78,
                needed=0.8,
            ),
            Fact(kind="gate", label="GATE FAILED", text="needs 80 %, has 63.6 %", tone="bad"),
            Fact(kind="labels", label="Judge", text=("agrees with ", Quote(text))),
            Fact(kind="near", label="Judge", text="5 near the threshold"),
            CaseList(
                kind="failed",
                label="Failed",
                text="43, 1 shown",
                aside=("all: ", Command(f"adjudge show {text[:8]} --failed")),
                cases=(
                    CaseEntry(
                        case_id=text,
                        question=text,
                        lines=(("expected", text), ("got", text)),
                        marks=("uncertain",),
                    ),
                ),
            ),
            Heading(text=("By ", Quote(text))),
            Table(
                kind="slices",
                header=(Quote(text), "cases"),
                rows=((Quote(text), "1,000"),),
                caption=("By ", Quote(text)),
                numeric=(1,),
            ),
            Plot(kind="scores", figure=Histogram(counts={text: 3, "b": 1}), caption="Scores given"),
            Plot(
                kind="slices",
                figure=Intervals(rows=(PlottedInterval(name=text, value=1, low=0, high=2),), zero=1),
                caption="By topic",
            ),
            Fact(kind="method", text="Wilson", detail=True),
        ),
        **more,
    )


def test_a_terminal_of_80_columns_reads_as_drawn():
    lines = render_terminal(document()).splitlines()
    assert lines[:6] == [
        "run ordinary                                                          5.8 s · $0",
        "ordinary       71.3 %  ██████████████░░░░░░  63.6–78.0 (95 %)  107 of 150 passed",
        "GATE FAILED   needs 80 %, has 63.6 %",
        "Judge         agrees with ordinary",
        "              5 near the threshold",
        "Failed        43, 1 shown                    all: adjudge show ordinary --failed",
    ]
    assert lines[6:8] == [
        "  ordinary  ordinary                           expected “ordinary”",
        "            got “ordinary”",
    ]
    assert not any("Wilson" in line for line in lines)
    assert "Wilson" in render_terminal(document(), verbose=True)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    text = "词语 🙂 and a rather long text that goes on and on, with some-unbreakable-" + "x" * 120
    assert all(sum(2 if ord(c) > 0x2E80 else 1 for c in line) <= width for line in render_terminal(document(text), width=width).splitlines())  # fmt: skip


@pytest.mark.parametrize("colour", [False, True])
def test_no_text_of_others_moves_a_terminal_or_speaks_to_a_build_service(colour):
    for width in range(40, 120, 7):
        text = render_terminal(document(HOSTILE), width=width, colour=colour, verbose=True)
        assert colour or "\x1b" not in text
        assert "\x1b[31m" not in re.sub(r"\x1b\[1;31m", "", text)
        assert "\u202e" not in text
        assert not re.search(r"^(\s|\x1b\[[\d;]*m)*::", text, re.MULTILINE)


def test_a_stream_that_cannot_write_it_gets_plainer_signs():
    assert encode_for("71.3 % █░ 1–2 · 词", "latin-1") == "71.3 % #. 1-2 | ?"
    assert encode_for("█", "utf-8") == "█"


def test_markdown_holds_others_text_in_code_and_details_folded():
    text = render_markdown(document(HOSTILE))
    outside = re.sub(r"(`+)(?:(?!\1)[^\n])*?[^`\n]\1(?!`)", "", text)
    for sign in ("<script", "](http", "**b**", "\x1b", "\u202e"):
        assert sign not in outside
    assert text.index("<details>") < text.index("Wilson") < text.index("</details>")
    assert "Scores given" not in text  # the caption of a picture, and there is none


def test_html_escapes_all_and_allows_nothing():
    page = render_html(document(HOSTILE))
    assert "<script" not in page
    assert not re.search(r"<[^>]*\s(?:on\w+|style|href|src)\s*=", page)
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert re.search(r"default-src 'none'; style-src 'sha256-[\w+/=]+'", page)
    assert page.count("<svg") == 3
    assert "<details>" in page
    assert "<details>" not in render_html(Document(title="t"))


def test_what_changed_stands_beside_the_question_in_every_form():
    case = CaseEntry(
        case_id="q1", question="Why?", lines=(("A", "this"), ("B", "that")), change="pass → fail"
    )
    listed = CaseList(kind="regressions", label="Regressions", text="1 of 2", cases=(case,))
    document = Document(title="compare", blocks=(listed,))
    first, second = render_terminal(document).splitlines()[2:4]
    assert first.split() == ["q1", "Why?", "pass", "→", "fail"]
    assert second.strip() == "A “this”"
    assert "(pass → fail)" in render_markdown(document)
    assert '<span class="mark">pass → fail</span>' in render_html(document)
