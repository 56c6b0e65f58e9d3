"""Ratings asked for together are compared with the same ratings asked for alone."""

import json
from contextlib import closing
from types import SimpleNamespace

import pytest
from rule_client import RuleClient

from adjudge.analysis.certification.document import finding_text
from adjudge.analysis.certification.figures import make_card
from adjudge.analysis.certification.halo import ratings_of
from adjudge.judges import parse_judge
from adjudge.judges.alone import rating_alone
from adjudge.probes.names import HALO, RETEST
from adjudge.records import Completion
from adjudge.store import open_store

TWO = """---
adjudge: 1
name: two
ratings:
  clarity: {scale: [1, 5], passes: score >= 4}
  effort: {scale: [0, 8], better: lower}
---
How clear is the answer to {{ fenced.question }}, and how much effort does it take to read?
{{ fenced.response }}
"""
JUDGE = parse_judge(TWO, name="two")
PROBES = frozenset({RETEST, HALO})


def alone(fields):
    """What the model thinks of an answer: clear ones are hard work, and the other way round."""
    clarity = 1 + len(fields["response"]) % 5
    return {"clarity": clarity, "effort": (clarity - 1) * 2}


def together(fields):
    """The same, each drawn to the middle of the two."""
    return {"clarity": 3, "effort": 4}


class Rater(RuleClient):
    """Says one thing when it is asked for both ratings, and another for each alone."""

    async def complete(self, request):
        asked = [name for name in ("clarity", "effort") if f'"{name}"' in str(request.prompt)]
        said = self.rule(request, asked)
        self.requests.append((asked, request))
        said = {name: value for name, value in said.items() if name in asked}
        return Completion(
            text=json.dumps({"reason": "So it is.", **said}), structured=True, model_snapshot="1"
        )


def examined(try_judge, rule, **more):
    client = Rater(rule)
    examination = try_judge(client, judge=JUDGE, probes=PROBES, retests=2, **more)
    card = make_card(*examination, model="rule:test", complete=True)
    return next(each for each in card.findings if each.probe == HALO), card, client


def test_a_judge_with_a_halo_is_caught(try_judge):
    found, card, client = examined(
        try_judge, lambda request, asked: (together if len(asked) == 2 else alone)(request.fields)
    )
    assert found.ruling == "fail"
    assert found.together == 0
    assert found.alone == pytest.approx(found.figure.value)
    assert found.alone > 0.3
    assert found.n == 80
    assert found.wrong > 40
    assert found.examples
    assert "0.00 of the scale apart together" in finding_text(found)
    singles = [request for asked, request in client.requests if len(asked) == 1]
    assert len(singles) == 2 * 80
    assert (
        card.judgements == 80 * 2 + 80 + 2 * 80
    )  # untouched twice, the other wrong answers, each rating alone
    assert card.complete


def test_a_judge_without_one_passes(try_judge):
    found, card, _ = examined(try_judge, lambda request, _: alone(request.fields))
    assert (found.ruling, found.wrong) == ("pass", 0)
    assert found.together == pytest.approx(found.alone)
    assert card.rulings == 2


def test_what_wavers_from_call_to_call_is_no_halo(try_judge):
    """Both ratings of one call move together by two points, and so does each alone: the distance is the noise's."""

    def wavering(request, asked):
        up = (len(request.fields["response"]) + request.repeat + (asked == ["effort"])) % 2
        return {"clarity": 2 + 2 * up, "effort": 6 - 4 * up}

    found, *_ = examined(try_judge, wavering)
    assert found.together == pytest.approx(found.alone)
    assert found.ruling == "pass"


def test_ratings_that_fail_alone_are_counted(try_judge):
    def refusing(request, asked):
        return {"clarity": 9} if asked == ["clarity"] else alone(request.fields)

    found, *_ = examined(try_judge, refusing)
    assert (found.ruling, found.no_ruling, found.not_judged) == ("inconclusive", "no_scores", 80)


def test_a_truth_value_is_no_rating():
    said = SimpleNamespace(verdict={"clarity": True, "effort": 4})
    assert ratings_of(JUDGE, said) == {"effort": 0.5}


def test_one_rating_alone_is_a_judge_of_its_own():
    clarity, effort = (rating_alone(JUDGE, rating) for rating in JUDGE.ratings)
    assert (clarity.name, effort.name) == ("two.clarity", "two.effort")
    assert len({JUDGE.hash, clarity.hash, effort.hash}) == 3
    assert effort.better == "lower"
    assert clarity.messages == JUDGE.messages
    assert "clarity" in clarity.format_message
    assert "effort" not in clarity.format_message


def test_what_was_asked_is_kept_and_not_asked_again(try_judge, tmp_path):
    def ask(request, _):
        return alone(request.fields)

    before, _, client = examined(try_judge, ask, store=tmp_path / "s.db")
    with closing(open_store(tmp_path / "s.db")) as store:
        kept = [each for each in store.judgements("examined") if each.judge != "two"]
        hashes = {each.judge_hash for each in kept}
        assert len(kept) == 160
        assert all(store.judge_text(each) for each in hashes)
        assert len(hashes) == 2
    again, _, second = examined(try_judge, ask, store=tmp_path / "s.db")
    assert (again.figure, len(second.requests)) == (before.figure, 0)
    assert client.requests
