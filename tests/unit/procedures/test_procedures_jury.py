"""A jury's verdict depends on its votes alone: not on who is named first, and with one vote it is that vote."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges import load_judge, parse_judge
from adjudge.procedures.jury import decide, votes_by_label
from adjudge.procedures.procedure import scored
from adjudge.records import Failed, Judgement, Jury, Score, Verdict

RATING = load_judge("relevance")
PASSING = load_judge("correctness")
LABELS = parse_judge(
    "---\nadjudge: 1\nname: tone\nverdict: {label: {enum: [kind, plain, rude]}}\nscore: {kind: 2, plain: 1, rude: 0}\n"
    "scale: [0, 2]\n---\nIs it kind? {{response}}\n",
    name="tone",
)
POINTS = {"kind": 2, "plain": 1, "rude": 0}
FAILURES = ["refused", "unreadable", "call_failed", "abstained", "truncated"]


def vote(judge, model, value):
    """`value`: a score, a label, or how it fails."""
    if value in FAILURES:
        ruling_outcome, passed, normalized = Failed(kind=value, message="why"), None, None
    else:
        parts = {"label": value} if isinstance(value, str) else {"score": value}
        number = float(POINTS.get(value, value))
        ruling = scored(judge, Verdict(parts=parts), Score(value=number, exact=number))
        ruling_outcome, passed, normalized = ruling.outcome, ruling.passed, ruling.normalized
    return Judgement(
        case_id="c",
        judge=judge.name,
        judge_hash=judge.hash,
        model=model,
        repeat=0,
        outcome=ruling_outcome,
        reason=f"{model} said {value}",
        normalized=normalized,
        passed=passed,
        at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def jury_of(rule, votes, quorum=None):
    return Jury(rule=rule, models=tuple(each.model for each in votes), quorum=quorum or len(votes) // 2 + 1)


KINDS = st.sampled_from([
    (RATING, ["mean", "median", "weighted"], st.integers(0, 5)),
    (PASSING, ["majority", "mean", "median", "weighted"], st.integers(0, 1)),
    (LABELS, ["majority", "mean", "median", "weighted"], st.sampled_from(sorted(POINTS))),
])  # fmt: skip


@st.composite
def panels(draw, least=1):
    judge, rules, values = draw(KINDS)
    cast = draw(st.lists(values | st.sampled_from(FAILURES), min_size=least, max_size=6))
    votes = [vote(judge, f"m{n}", value) for n, value in enumerate(cast)]
    weights = {each.model: draw(st.floats(0, 1)) for each in votes}
    return judge, draw(st.sampled_from(rules)), votes, weights


def of(ruling):
    return (*ruling[1:5], ruling.outcome.kind, getattr(ruling.outcome, "score", None))


@given(panels(), st.randoms())
def test_the_order_of_the_models_does_not_matter(panel, chance):
    judge, rule, votes, weights = panel
    shuffled = list(votes)
    chance.shuffle(shuffled)
    used = weights if rule == "weighted" else None
    one = decide(judge, jury_of(rule, votes), votes, used)
    other = decide(judge, jury_of(rule, shuffled), shuffled, used)
    assert of(one) == of(other)


@given(panels())
def test_a_jury_of_one_equals_its_judge(panel):
    judge, rule, votes, weights = panel
    (alone,) = votes = votes[:1]
    ruling = decide(judge, jury_of(rule, votes), votes, weights if rule == "weighted" else None)
    assert ruling.outcome.kind == alone.outcome.kind
    assert (ruling.reason, ruling.normalized, ruling.passed) == (alone.reason, alone.normalized, alone.passed)
    if not isinstance(alone.outcome, Failed):
        assert ruling.outcome.score == alone.outcome.score
        parts = {name: value for name, value in ruling.outcome.verdict.parts.items() if name != "votes"}
        assert parts == alone.verdict


@given(panels(least=2))
def test_a_verdict_is_within_its_votes_or_there_is_none(panel):
    judge, rule, votes, weights = panel
    jury = jury_of(rule, votes)
    ruling = decide(judge, jury, votes, weights if rule == "weighted" else None)
    cast = [each.score for each in votes if each.score is not None]
    if len(cast) < jury.quorum:
        assert ruling.outcome.kind == "unreadable"
        assert all(each.model in ruling.outcome.message for each in votes)
    elif isinstance(ruling.outcome, Failed):
        assert (ruling.outcome.kind, ruling.outcome.error_kind) == ("abstained", "no_majority")
    else:
        assert min(cast) <= ruling.outcome.score.value <= max(cast)
    assert len(ruling.outcome.verdict.parts["votes"]) == len(votes)


@given(panels(least=2))
def test_equal_weights_are_no_weights(panel):
    judge, rule, votes, _ = panel
    if rule != "weighted":
        return
    unweighted = decide(judge, jury_of("majority" if votes_by_label(judge) else "mean", votes), votes)
    weighted = decide(judge, jury_of(rule, votes), votes, {each.model: 0.25 for each in votes})
    assert of(unweighted) == of(weighted)


@pytest.mark.parametrize(
    ("cast", "weights", "label"),
    [
        (("kind", "rude", "rude"), (0.6, 0.2, 0.2), "kind"),
        (("kind", "rude", "rude"), (0.4, 0.3, 0.3), "rude"),
        (("kind", "rude", "rude"), (0.5, 0.25, 0.25), None),
        (("kind", "plain", "rude"), (0.0, 0.0, 0.0), None),
    ],
)
def test_a_weighted_vote_counts_as_much_as_its_weight(cast, weights, label):
    votes = [vote(LABELS, f"m{n}", each) for n, each in enumerate(cast)]
    ruling = decide(LABELS, jury_of("weighted", votes), votes, {f"m{n}": w for n, w in enumerate(weights)})
    assert ruling.outcome.verdict.parts.get("label") == label


def test_three_votes_of_a_tenth_are_a_tenth():
    judge = parse_judge(
        "---\nadjudge: 1\nname: j\nverdict: {score: number}\nscale: [0, 2]\n---\n{{response}}\n", name="j"
    )
    votes = [vote(judge, f"m{n}", 0.1) for n in range(3)]
    assert decide(judge, jury_of("mean", votes), votes).outcome.score == Score(value=0.1, exact=0.1)


def test_a_pass_rule_over_other_fields_is_decided_by_the_votes():
    judge = parse_judge(
        "---\nadjudge: 1\nname: j\nverdict: {safe: boolean, score: {type: integer, minimum: 1, maximum: 5}}\n"
        "passes: safe and score >= 3\n---\n{{response}}\n",
        name="j",
    )

    def said(model, score, safe):
        ruling = scored(judge, Verdict(parts={"safe": safe, "score": score}), Score(value=score, exact=score))
        return Judgement(
            case_id="c", judge="j", judge_hash="h", model=model, repeat=0, outcome=ruling.outcome,
            passed=ruling.passed, at=datetime(2026, 1, 1, tzinfo=UTC),
        )  # fmt: skip

    votes = [said("a", 5, True), said("b", 4, True), said("c", 3, False)]
    ruling = decide(judge, jury_of("mean", votes), votes)
    assert (ruling.outcome.score.value, ruling.passed) == (4, True)
    votes = [said("a", 5, False), said("b", 3, True), said("c", 3, False)]
    assert decide(judge, jury_of("mean", votes), votes).passed is False
