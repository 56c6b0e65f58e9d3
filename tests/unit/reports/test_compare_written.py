"""A comparison in words, on a terminal and as JSON."""

import json
from math import inf

import pytest

from adjudge.records import Scale
from adjudge.reports.compare import Names, compare_matched
from adjudge.reports.compare_json import comparison_json
from adjudge.reports.compare_match import Matching
from adjudge.reports.compare_people import compare_with_people
from adjudge.reports.compare_text import comparison_text
from adjudge.reports.compare_words import finding, people_lines, show_difference, show_p
from adjudge.stats.intervals import Undefined

A, B = Names(run="before", judge="j@1"), Names(run="after", judge="j@1")


@pytest.fixture
def compared(build):
    def of(rows, **more):
        matching = Matching(columns=more.pop("columns", ()), keep_labels=True)
        for number, (a, b) in enumerate(rows):
            for side, value in (("a", a), ("b", b)):
                judged = not isinstance(value, str)
                outcome = build.scored(float(value)) if judged else build.failed(value)
                matching.add(
                    side,
                    build.judgement(
                        outcome,
                        case_id=more.get("name", "c{}").format(number),
                        passed=value >= 3 if judged else None,
                        metadata={"topic": more.get("topic", "law")},
                        label=5,
                        cluster=more["cluster"].format(number // 2) if "cluster" in more else None,
                    ),
                )
        people = (
            compare_with_people(
                matching, None, judge_a=build.judge(), judge_b=build.judge(), normalized=False
            )
            if more.get("people")
            else None
        )
        return compare_matched(
            matching,
            a=A,
            b=B,
            scale=more.get("scale", Scale(low=0, high=5)),
            lower_is_better=more.get("lower_is_better", False),
            people=people,
        )

    return of


BETTER = [(2, 3 + n % 2) for n in range(20)]
WORSE = [(b, a) for a, b in BETTER]
EQUAL = [(n % 3, (n + n // 3) % 3) for n in range(30)]


@pytest.mark.parametrize(
    ("rows", "margin", "words"),
    [
        (BETTER, None, "B is better: +1.500"),
        (WORSE, None, "B is worse: -1.500"),
        (EQUAL, None, "inconclusive: neither run was shown to be better: "),
        (BETTER, 0.5, "B is better: +1.500"),
        (EQUAL, 2.0, "B is not worse than A by as much as 2: "),
        (EQUAL, 0.01, "inconclusive: B may or may not be worse by 0.01: "),
        (WORSE, 3.0, "B is worse than A, by less than 3: "),
        (WORSE, 0.5, "B is worse than A by more than 0.5: "),
        (WORSE, 1.5, "B is worse: -1.500"),
        ([("refused", 1)], None, "not measured: "),
    ],
)
def test_the_sentence_to_quote(compared, rows, margin, words):
    said = finding(compared(rows), margin)
    assert said.startswith(words)
    assert ("would show a true difference of" in said) is words.startswith("inconclusive")


def test_numbers_as_people_read_them():
    assert [show_difference(value) for value in (0.07, -0.0001, inf, -inf)] == ["+0.070", "0.000", "+∞", "-∞"]
    assert [show_p(p) for p in (0.0004, 0.0312, 1.0)] == ["p < 0.001", "p = 0.031", "p = 1.000"]


def test_the_terminal_shows_every_part(compared):
    rows = [*BETTER, ("refused", 3), (3, "unreadable")]
    text = comparison_text(
        [compared(rows, columns=("topic",), people=True)], notes=["temperature is 0 and 1"]
    )
    for part in (
        "j@1\nB is better: +1.500 [",
        "over 20 cases; sign-flip test inverted, ",
        "2 matched cases not judged in both runs: A 1 refused; B 1 unreadable",
        "the difference, had those been as bad for B as the scale allows: ",
        "McNemar (mid-p) p < 0.001 (only A passed 0, only B 20)",
        "topic=law",
        "1 slice tested together",
        "20 of 20 cases turned between pass and fail: 0 worse, 20 better; the 10 largest",
        "case c1: 2 -> 4 (+2.000, now passes)",
        "the judge agrees more with people in B: +0.300",
        "note: temperature is 0 and 1",
    ):
        assert part in text


def test_a_scale_turned_round_is_said_to_be(compared):
    text = comparison_text([compared(BETTER, lower_is_better=True)])
    assert "B is worse: -1.500" in text
    assert "lower is better on this scale, so the difference is A - B" in text


def test_clusters_leave_out_the_secondary_tests_and_say_why(compared):
    text = comparison_text([compared(BETTER, cluster="d{}")])
    assert "over 20 cases in 10 clusters" in text
    assert "McNemar and Wilcoxon not computed: for independent pairs only" in text


def test_few_cases_are_warned_of(compared):
    text = comparison_text([compared(BETTER[:4])])
    assert "warning: 4 cases: an interval over fewer than 10 is unreliable" in text
    assert "4 cases can show no difference, however large: it takes 6." in text


def test_other_peoples_text_moves_nothing_on_a_terminal(compared):
    text = comparison_text(
        [compared(BETTER, name="\x1b[31m{}\n::error::", topic="\x1b[2J", columns=("topic",))]
    )
    assert "\x1b" not in text
    assert not any(line.startswith("::") for line in text.splitlines())


def test_colour_is_ours_and_only_where_wanted(compared):
    assert "\x1b[" in comparison_text([compared(BETTER)], color=True)
    assert "\x1b[" not in comparison_text([compared(BETTER)])


@pytest.mark.parametrize("rows", [BETTER, EQUAL, [(1, 1)], [("refused", "refused")]])
@pytest.mark.parametrize("scale", [Scale(low=0, high=5), None])
def test_json_holds_no_number_that_is_none(compared, rows, scale):
    found = comparison_json([compared(rows, scale=scale, columns=("topic",), people=True)], across=["model"])
    again = json.loads(json.dumps(found, allow_nan=False))
    assert again == found
    (judge,) = again["judges"]
    assert judge["matched"] == len(rows)
    assert judge["a"]["cases"] == len(rows)
    assert again["across"] == ["model"]


def test_json_gives_each_figure_with_how_it_was_made(compared):
    (judge,) = comparison_json([compared(BETTER, columns=("topic",))])["judges"]
    assert judge["difference"]["n"] == 20
    assert judge["difference"]["method"].startswith("sign-flip test inverted")
    assert judge["finding"] == "better"
    assert judge["significant"] is True
    assert judge["slices"][0]["p_holm"] == judge["slices"][0]["p"]
    assert judge["secondary"]["mcnemar"]["value"] < 0.001
    assert judge["people"] is None


def test_agreement_that_could_not_be_measured_says_why():
    assert people_lines(Undefined(why="no label")) == ["agreement with people was not measured: no label"]
