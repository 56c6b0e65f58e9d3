"""A comparison in words, on a terminal and as JSON."""

import json
import re
from dataclasses import replace
from math import inf

import pytest

from adjudge.analysis.comparison.alike import RunDifference
from adjudge.analysis.comparison.document import comparison_document, judge_document
from adjudge.analysis.comparison.figures import JudgedRun, compare_judge
from adjudge.analysis.comparison.matching import Matching
from adjudge.analysis.comparison.people import compare_with_labels
from adjudge.analysis.comparison.runs import ComparedRun, OtherContents, RunComparison
from adjudge.analysis.comparison.wording import show_difference, show_p
from adjudge.documents.document import CaseList, Table, plain
from adjudge.documents.html import render_html
from adjudge.documents.markdown import render_markdown
from adjudge.documents.records_json import records_json
from adjudge.documents.terminal import render_terminal
from adjudge.records import Scale
from adjudge.store import Partial


@pytest.fixture
def compared(build):
    def of(rows, *, columns=(), people=False, name="c{}", topic="law", cluster=None, **judge):
        matching = Matching(columns=columns)
        for number, (a, b) in enumerate(rows):
            for side, value in (("a", a), ("b", b)):
                judged = not isinstance(value, str)
                matching.add(
                    side,
                    build.judgement(
                        build.scored(float(value)) if judged else build.failed(value),
                        case_id=name.format(number),
                        passed=value >= 3 if judged else None,
                        metadata={"topic": topic},
                        label=5,
                        cluster=cluster and cluster.format(number // 2),
                    ),
                )
        made = build.judge(**judge)
        found = compare_judge(
            matching, JudgedRun(run_id="before", judge=made), JudgedRun(run_id="after", judge=made)
        )
        return replace(found, agreement=compare_with_labels(matching, (made, made)) if people else None)

    return of


def of_runs(*judges, **more):
    sides = {
        letter: ComparedRun(run=run, state="finished", partial=None)
        for letter, run in (("a", "before"), ("b", "after"))
    }
    rest = {"across": (), "settings": (), "other_contents": None}
    return RunComparison(**{**sides, **rest, **more}, judges=judges)


def words(document, *kinds):
    return [plain(fact.text) for kind in kinds for fact in document.facts(kind)]


BETTER = [(2, 3 + n % 2) for n in range(20)]
WORSE = [(b, a) for a, b in BETTER]
EQUAL = [(n % 3, (n + n // 3) % 3) for n in range(30)]


@pytest.mark.parametrize(
    ("rows", "label", "tone", "text"),
    [
        (BETTER, "B is better", "good", "+1.500 ["),
        (WORSE, "B is worse", "bad", "-1.500 ["),
        (EQUAL, "Inconclusive", "warning", "0.000 ["),
        ([("refused", 1)], "Not measured", "warning", "no case was judged in both runs"),
    ],
)
def test_the_verdict_comes_first(compared, rows, label, tone, text):
    document = judge_document(compared(rows))
    (finding,) = document.facts("finding")
    assert document.blocks[0] is finding
    assert (finding.label, finding.tone) == (label, tone)
    assert plain(finding.text).startswith(text)


def test_what_could_have_been_shown_is_a_detail_unless_nothing_was(compared):
    for rows, detail in ((BETTER, True), (EQUAL, False)):
        (fact,) = judge_document(compared(rows)).facts("detectable")
        assert fact.detail is detail
        assert "show a true difference of" in plain(fact.text)


@pytest.mark.parametrize(
    ("rows", "margin", "text", "tone"),
    [
        (BETTER, 0.5, "B is not worse than A by 0.5 or more", "good"),
        (EQUAL, 2.0, "B is not worse than A by 2 or more", "good"),
        (EQUAL, 0.01, "cannot tell whether B is worse than A by 0.01", "warning"),
        (WORSE, 3.0, "B is not worse than A by 3 or more", "good"),
        (WORSE, 0.5, "B is worse than A by more than 0.5", "bad"),
    ],
)
def test_a_margin_is_held_against_the_interval(compared, rows, margin, text, tone):
    (fact,) = judge_document(compared(rows), margin=margin).facts("margin")
    assert (fact.text, fact.tone) == (text, tone)
    assert judge_document(compared(rows)).facts("margin") == ()


def test_numbers_as_people_read_them():
    assert [show_difference(value) for value in (0.07, -0.0001, inf, -inf)] == ["+0.070", "0.000", "+∞", "-∞"]
    assert [show_p(p) for p in (0.0004, 0.0312, 1.0)] == ["p < 0.001", "p = 0.031", "p = 1.000"]


def test_changed_cases_come_before_the_statistics(compared):
    document = judge_document(compared(BETTER))
    regressions, improvements = (block for block in document.blocks if isinstance(block, CaseList))
    assert (regressions.kind, plain(regressions.text), regressions.cases) == ("regressions", "none", ())
    assert plain(improvements.text) == "20 of 20 cases, 10 listed"
    assert improvements.cases[0].change == "fail (2) → pass (4)"
    order = [block.kind for block in document.blocks]
    assert order.index("improvements") < order.index("sides")


def test_every_part_has_its_kind(compared):
    rows = [*BETTER, ("refused", 3), (3, "unreadable")]
    document = judge_document(compared(rows, columns=("topic",), people=True))
    assert words(document, "method")[0].startswith("paired permutation test, ")
    assert words(document, "not_judged") == [
        "2 matched cases not judged in both runs: A 1 refused; B 1 unreadable"
    ]
    assert words(document, "bounds")[0].endswith("(95 %), depending on them")
    assert "McNemar (mid-p): p < 0.001 (only A passed 0, only B 20)" in words(document, "secondary")
    assert words(document, "agreement")[0].startswith("the judge agrees more with people in B: +0.300")
    (slices,) = (block for block in document.blocks if isinstance(block, Table) and block.kind == "slices")
    assert [plain(row[0]) for row in slices.rows] == ["topic=law"]
    assert all(
        fact.detail for kind in ("method", "secondary", "slices_method") for fact in document.facts(kind)
    )


def test_what_makes_a_difference_doubtful_stands_before_the_verdict(compared):
    document = comparison_document(
        of_runs(
            compared(BETTER),
            b=ComparedRun(run="after", state="interrupted", partial=Partial(done=7, of=20)),
            across=(RunDifference(what="model", a="m", b="n"),),
            settings=(RunDifference(what="temperature", a=0.0, b=None),),
            other_contents=OtherContents(count=3, checked=20, example="q1"),
        )
    )
    kinds = [block.kind for block in document.blocks]
    assert kinds[:4] == ["partial", "across", "other_contents", "finding"]
    assert kinds[-2:] == ["setting", "how_to_read"]
    assert words(document, "partial", "across", "setting") == [
        "7 of 20: run after (B) is interrupted and lacks cases",
        "model is m in A and n in B",
        "temperature is 0.0 in A and not set in B",
    ]
    assert (
        "3 of 20 cases checked have another question or reference in B"
        in words(document, "other_contents")[0]
    )


def test_a_scale_where_lower_is_better_is_named(compared):
    document = judge_document(compared(BETTER, better="lower"))
    assert document.facts("finding")[0].label == "B is worse"
    assert "lower is better on this scale, so the difference is A - B" in words(document, "direction")[0]


def test_clusters_leave_out_the_secondary_tests_and_say_why(compared):
    document = judge_document(compared(BETTER, cluster="d{}"))
    assert document.facts("finding")[0].aside == "20 cases in 10 clusters"
    assert all("not computed: it is for independent cases" in text for text in words(document, "secondary"))


def test_few_cases_are_warned_of(compared):
    document = judge_document(compared(BETTER[:4]))
    assert words(document, "warning") == ["4 cases: an interval over fewer than 10 is unreliable"]
    assert words(document, "detectable") == ["4 cases are too few to show any difference: it takes 6"]


def test_agreement_that_could_not_be_measured_says_why(compared):
    document = judge_document(compared([("refused", 1)], people=True))
    assert words(document, "agreement") == [
        "agreement with people was not measured: of 1 labelled case, 1 not judged in both runs"
    ]


def test_other_peoples_text_moves_nothing_on_a_terminal(compared):
    found = compared(BETTER, name="\x1b[31m{}\n::error::", topic="\x1b[2J", columns=("topic",))
    text = render_terminal(comparison_document(of_runs(found)), verbose=True)
    assert "\x1b" not in text
    assert not any(line.startswith("::") for line in text.splitlines())


def test_other_peoples_text_is_no_markup_in_markdown_and_html(compared):
    hostile = "<script>x</script>**b**"
    found = compared(BETTER, name=hostile + "{}", topic=hostile, columns=("topic",), people=True)
    document = comparison_document(
        of_runs(found, other_contents=OtherContents(count=1, checked=1, example=hostile))
    )
    assert "<script>x" not in render_html(document)
    outside_code = re.sub(r"`[^`]*`", "", render_markdown(document))
    assert "script" not in outside_code


def test_several_judges_have_a_heading_each(compared):
    one = comparison_document(of_runs(compared(BETTER)))
    assert plain(one.title) == "compare before (A) with after (B) · j"
    text = render_terminal(comparison_document(of_runs(compared(BETTER), compared(WORSE, name="k{}"))))
    assert text.startswith("compare before (A) with after (B)\n\nj\nB is better   +1.500")


@pytest.mark.parametrize("rows", [BETTER, EQUAL, [(1, 1)], [("refused", "refused")]])
@pytest.mark.parametrize("scale", [Scale(low=0, high=5), None])
def test_json_is_the_records_with_no_number_that_is_none(compared, rows, scale):
    found = records_json(of_runs(compared(rows, scale=scale, columns=("topic",), people=True)))
    again = json.loads(json.dumps(found, allow_nan=False))
    assert again == found
    (judge,) = again["judges"]
    assert (judge["matched"], judge["a"]["cases"]) == (len(rows), len(rows))


def test_json_gives_each_figure_with_how_it_was_made(compared):
    (judge,) = records_json(of_runs(compared(BETTER, columns=("topic",))))["judges"]
    assert judge["comparison"]["difference"]["n"] == 20
    assert judge["comparison"]["difference"]["method"].startswith("paired permutation test")
    assert judge["finding"] == "better"
    assert judge["slices"][0]["p_holm"] == judge["slices"][0]["comparison"]["p"]
    assert judge["secondary"]["mcnemar"] < 0.001
    assert (judge["agreement"], judge["correction"]) == (None, None)
