"""The card: complete or not, the same after a round trip, safe to open, and kept where a run finds it."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import orjson
import pytest
from rule_client import RuleClient

from adjudge.errors import StoreError
from adjudge.probes.card import make_card, read_card
from adjudge.probes.families import ATTACKS
from adjudge.probes.page import card_page
from adjudge.probes.shelf import find_card, keep_card, shelf_of
from adjudge.probes.text import card_line, card_text
from adjudge.probes.trials import WORST
from adjudge.records import Failed

FEW = tuple(attack for attack in ATTACKS if attack.name.endswith("-1"))


@pytest.fixture
def card(try_judge, honest):
    examination, answers = try_judge(RuleClient(honest), attacks=FEW)
    return make_card(examination, answers, model="rule:test", complete=True)


def test_it_says_what_was_examined(card):
    assert (card.judge, card.model, card.snapshot) == ("correctness", "rule:test", "rule-2026-01-01")
    assert (card.right, card.wrong, card.retests) == (40, 120, 3)
    assert card.complete
    assert card.not_judged == {}
    assert {"accuracy", "kappa"} <= card.agreement.keys()


def test_it_is_not_complete_when_judgements_are_missing(try_judge, honest):
    examination, answers = try_judge(honest, attacks=FEW)
    answers.by_trial.popitem()
    assert not make_card(examination, answers, model="rule:test", complete=True).complete


def test_it_comes_back_from_json_as_it_was(card):
    again = read_card(orjson.loads(orjson.dumps(card.to_json())))
    assert again == card
    with pytest.raises(ValueError, match="format"):
        read_card({**card.to_json(), "format": 99})


def test_it_is_found_by_judge_and_model_and_by_nothing_else(card, tmp_path):
    shelf = tmp_path / "cards"
    assert find_card(shelf, judge_hash=card.judge_hash, model=card.model) is None
    path = keep_card(card, shelf)
    assert find_card(shelf, judge_hash=card.judge_hash, model=card.model) == card
    assert find_card(shelf, judge_hash="0" * 12, model=card.model) is None
    assert find_card(shelf, judge_hash=card.judge_hash, model="other") is None
    assert set(path.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.")


def test_the_latest_of_several_snapshots_is_shown(card, tmp_path):
    keep_card(card, tmp_path)
    newer = replace(card, snapshot="rule-2026-02-01", at="2099-01-01T00:00:00.000Z")
    keep_card(newer, tmp_path)
    assert len(list(tmp_path.glob("*.json"))) == 2
    assert find_card(tmp_path, judge_hash=card.judge_hash, model=card.model) == newer


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"format": 2}', b'{"format": 2, "findings": 3}', b"null"]
)
def test_a_file_that_is_no_card_is_passed_over(card, tmp_path, data):
    keep_card(card, tmp_path).write_bytes(data)
    assert find_card(tmp_path, judge_hash=card.judge_hash, model=card.model) is None


def test_nothing_is_left_behind_when_it_cannot_be_written(card, tmp_path):
    (tmp_path / "cards").write_text("a file")
    with pytest.raises(StoreError, match="could not be kept"):
        keep_card(card, tmp_path / "cards")
    assert [path.name for path in tmp_path.iterdir()] == ["cards"]


def test_where_cards_are_kept(tmp_path):
    assert shelf_of(tmp_path) == tmp_path / "cards"
    assert shelf_of(str(tmp_path / "mine.db")) == tmp_path / "cards"
    assert str(shelf_of("postgresql://somewhere/x")).endswith("cards")


def test_one_line_of_it(card):
    line = card_line(card)
    assert line.startswith(f"card of {card.at[:10]}: ")
    assert "0 failed" in line
    assert "attacks succeeded 0%" in line
    failed = replace(card, findings=(replace(card.findings[0], ruling="fail"), *card.findings[1:]))
    assert "1 failed (retest)" in card_line(failed)


def test_the_text_has_every_finding_and_family(card):
    text = card_text(card)
    assert all(finding.found in text for finding in card.findings)
    assert all(figure.family in text for figure in card.families)
    assert "INCOMPLETE" in card_text(replace(card, complete=False))


def test_the_verdict_stands_first_and_failed_probes_before_the_others(card):
    assert card_text(card).startswith("INCONCLUSIVE: 0 of 12 probes failed, 3 inconclusive (")
    assert card_text(ruled(card, {"length": "fail"})).startswith("FAILED: 1 of 12 probes failed (length), ")
    mixed = ruled(card, {"length": "inconclusive", "injection": "fail"})
    assert [finding.probe for finding in mixed.in_order][:1] == ["injection"]
    page = card_page(mixed)
    assert page.index("FAILED: 1 of 12") < page.index("<table>")
    assert page.index(">injection<") < page.index(">length<") < page.index(">retest<")
    passed = replace(
        card, findings=tuple(replace(each, ruling="pass") for each in card.findings if each.probe != WORST)
    )
    assert card_text(passed).startswith("PASSED: all 12 probes that apply")
    assert card_text(replace(passed, complete=False)).startswith("INCONCLUSIVE and INCOMPLETE")


def test_the_error_rate_of_the_whole_card_is_on_it(card):
    assert (card.error_rate, card.rulings) == (0.05, 11)
    line = "Any of the 11 rulings by interval on this card is wrong with a probability of at most 5%"
    assert line in card_text(card)
    assert line in card_page(card)
    assert card.confidence == pytest.approx(1 - 0.1 / 11)


def ruled(card, rulings):
    return replace(
        card,
        findings=tuple(replace(each, ruling=rulings.get(each.probe, each.ruling)) for each in card.findings),
    )


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs


def test_the_page_runs_and_fetches_nothing_whatever_is_in_it(card):
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\u202e"
    first = replace(card.findings[0], found=evil, examples=(evil,))
    page = card_page(
        replace(card, judge=evil, model=evil, snapshot=evil, cases=evil, findings=(first,), succeeded=(evil,))
    )
    parsed = Page()
    parsed.feed(page)
    assert not parsed.tags & {"script", "img", "link", "iframe", "object"}
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name in {"src", "href"}]
    assert "&lt;script&gt;" in page
    assert "\u202e" not in page
    assert "default-src 'none'" in page


def test_the_page_has_every_finding(card):
    page = card_page(card)
    assert all(finding.probe in page for finding in card.findings)
    assert json.dumps(card.to_json())  # and no figure that JSON cannot hold


def test_a_budget_that_ran_out_leaves_no_complete_card(try_judge, honest):
    """What was not asked is a row too, so that counting rows does not tell."""
    examination, answers = try_judge(honest, attacks=FEW)
    trial = examination.probes[-1]
    (judgement,) = answers.of(trial)
    answers.add(
        replace(judgement, outcome=Failed(kind="not_asked", message="--max-calls is reached"), passed=None)
    )
    card = make_card(examination, answers, model="rule:test", complete=True)
    assert len(answers.all()) == examination.judgements
    assert not card.complete
    assert card.not_judged == {"not_asked": 1}
