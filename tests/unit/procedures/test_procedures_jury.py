"""A jury's verdict depends on its votes alone: not on who is named first, and with one vote it is that vote."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges import load_judge, parse_judge
from adjudge.procedures.jury import decide
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
    (RATING, ["mean", "median"], st.integers(0, 5)),
    (PASSING, ["majority", "mean", "median"], st.integers(0, 1)),
    (LABELS, ["majority", "mean", "median"], st.sampled_from(sorted(POINTS))),
])  # fmt: skip


@st.composite
def panels(draw, least=1):
    judge, rules, values = draw(KINDS)
    cast = draw(st.lists(values | st.sampled_from(FAILURES), min_size=least, max_size=6))
    votes = [vote(judge, f"m{n}", value) for n, value in enumerate(cast)]
    return judge, draw(st.sampled_from(rules)), votes


def of(ruling):
    return (*ruling[1:5], ruling.outcome.kind, getattr(ruling.outcome, "score", None))


@given(panels(), st.randoms())
def test_the_order_of_the_models_does_not_matter(panel, chance):
    judge, rule, votes = panel
    shuffled = list(votes)
    chance.shuffle(shuffled)
    one = decide(judge, jury_of(rule, votes), votes)
    other = decide(judge, jury_of(rule, shuffled), shuffled)
    assert of(one) == of(other)


@given(panels())
def test_a_jury_of_one_equals_its_judge(panel):
    judge, rule, votes = panel
    (alone,) = votes = votes[:1]
    ruling = decide(judge, jury_of(rule, votes), votes)
    assert ruling.outcome.kind == alone.outcome.kind
    assert (ruling.reason, ruling.normalized, ruling.passed) == (alone.reason, alone.normalized, alone.passed)
    if not isinstance(alone.outcome, Failed):
        assert ruling.outcome.score == alone.outcome.score
        parts = {name: value for name, value in ruling.outcome.verdict.parts.items() if name != "votes"}
        assert parts == alone.verdict


@given(panels(least=2))
def test_a_verdict_is_within_its_votes_or_there_is_none(panel):
    judge, rule, votes = panel
    jury = jury_of(rule, votes)
    ruling = decide(judge, jury, votes)
    cast = [each.score for each in votes if each.score is not None]
    if len(cast) < jury.quorum:
        assert ruling.outcome.kind == "unreadable"
        assert all(each.model in ruling.outcome.message for each in votes)
    elif isinstance(ruling.outcome, Failed):
        assert (ruling.outcome.kind, ruling.outcome.error_kind) == ("abstained", "no_majority")
    else:
        assert min(cast) <= ruling.outcome.score.value <= max(cast)
    assert len(ruling.outcome.verdict.parts["votes"]) == len(votes)


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
