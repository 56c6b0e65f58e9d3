"""The same figures by the values of a column."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import Report
from adjudge.analysis.summary.slices import MAX_SLICES, OTHERS
from adjudge.documents.terminal import render_terminal


def tally(rows, judge, **options):
    result = Tally([judge], **options)
    for row in rows:
        result.add(row)
    return result


def row(build, score, **metadata):
    outcome = build.failed("refused") if score is None else build.scored(float(score))
    return build.judgement(outcome, metadata=metadata, passed=None if score is None else score > 2)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 5)), max_size=40))
def test_a_slice_has_the_figures_its_rows_alone_would_have(build, rows):
    judge = build.judge()
    made = [row(build, score, topic=topic) for topic, score in rows]
    (summary,) = tally(made, judge, slices=["topic"]).summaries()
    if not rows:
        return
    (column,) = summary.slices
    assert sum(part.asked for part in column.slices) == summary.asked
    for part in column.slices:
        (alone,) = tally([one for one in made if one.metadata["topic"] == part.value], judge).summaries()
        for figure in (
            "asked",
            "outcomes",
            "mean",
            "pass_rate",
            "bounds",
            "pass_bounds",
            "judged",
            "not_judged",
        ):
            assert getattr(part, figure) == getattr(alone, figure)


def test_slices_stand_the_largest_first_and_rows_without_a_value_are_one(build):
    made = [row(build, 1, topic="b"), row(build, 2), row(build, 3, topic="a"), row(build, 3, topic="a")]
    (summary,) = tally(made, build.judge(), slices=["topic"]).summaries()
    assert [(part.value, part.asked) for part in summary.slices[0].slices] == [
        ("a", 2),
        ("(none)", 1),
        ("b", 1),
    ]


def test_a_column_of_ids_costs_no_more_than_another(build):
    made = [row(build, 3, id=number, other={"x": [number] * 1000}) for number in range(500)]
    (summary,) = tally(made, build.judge(), slices=["id", "other"]).summaries()
    for column in summary.slices:
        assert len(column.slices) == MAX_SLICES + 1
        assert (column.slices[-1].value, column.slices[-1].asked) == (OTHERS, 500 - MAX_SLICES)
        assert max(len(part.value) for part in column.slices) <= 80


def test_clusters_count_within_slices(build):
    made = [
        build.judgement(build.scored(float(n % 5)), cluster=f"d{n % 4}", metadata={"topic": "t"})
        for n in range(20)
    ]
    (summary,) = tally(made, build.judge(), slices=["topic"]).summaries()
    part = summary.slices[0].slices[0]
    assert part.mean.clusters == 4
    assert part.mean == summary.mean


def test_columns_that_no_row_has_are_known(build):
    made = tally([row(build, 1, topic="a", size=3)], build.judge(), slices=["topic", "colour"])
    assert made.unknown_slices == ["colour"]
    assert list(made.columns) == ["topic", "size"]


@pytest.fixture
def summaries(build):
    made = [row(build, n % 6, topic="<b>|x|</b>\x1b[31m" if n % 2 else "law") for n in range(12)]
    return tally([*made, row(build, None, topic="law")], build.judge(), slices=["topic"]).summaries()


def test_every_form_has_the_slices_and_says_what_looking_at_many_does(summaries):
    report = Report(judges=summaries)
    wide, narrow = (render_terminal(report.document(), width=width, verbose=True) for width in (120, 40))
    for text in (wide, narrow, report.to_markdown()):
        words = " ".join(text.split())
        assert "by topic" in words.replace("`", "")
        assert "interval of its own, so one that stands out is something to check" in words
        assert "miss their true value" not in words  # of two, none is expected to
        assert "mean by t on the logit scale; pass rate by Wilson" in words
        assert "\x1b" not in text
        assert "1 refused" in text
    assert "| `<b>¦x¦</b>" in report.to_markdown()
    slices = report.to_json()["judges"][0]["slices"]
    assert [part["asked"] for part in slices[0]["slices"]] == [7, 6]
    assert slices[0]["slices"][0]["mean"]["method"] == "t on the logit scale"
    assert slices[0]["slices"][0]["outcomes"] == {"scored": 6, "refused": 1}
    assert orjson.dumps(slices)
