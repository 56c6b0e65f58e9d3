"""The card: complete or not, the same after a round trip, safe to open, and kept where a run finds it."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import orjson
import pytest
from msgspec import structs
from rule_client import RuleClient

from adjudge.analysis.certification.document import card_document, card_line, finding_text
from adjudge.analysis.certification.figures import make_card
from adjudge.analysis.certification.shelf import card_json, find_card, keep_card, read_card, shelf_of
from adjudge.documents.document import CaseList, Fact, Table, plain
from adjudge.documents.html import render_html
from adjudge.documents.markdown import render_markdown
from adjudge.documents.terminal import render_terminal
from adjudge.errors import StoreError
from adjudge.probes.attacks import ATTACKS
from adjudge.probes.names import WORST
from adjudge.records import Failed

FEW = tuple(attack for attack in ATTACKS if attack.name.endswith("-1"))


@pytest.fixture(scope="session")
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
    again = read_card(orjson.loads(orjson.dumps(card_json(card))))
    assert again == card
    with pytest.raises(ValueError, match="format"):
        read_card({**card_json(card), "format": 99})


@pytest.mark.parametrize(
    "broken",
    [
        {"judgements": "many"},
        {"findings": [{"probe": "length", "ruling": "maybe"}]},
        {"margin": None},
        {"agreement": {"accuracy": {"value": "high"}}},
        {"surprise": 1},
    ],
)
def test_a_card_with_parts_of_other_types_is_not_read(card, broken):
    with pytest.raises((KeyError, TypeError, ValueError)):
        read_card({**card_json(card), **broken})


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
    "data",
    [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 1, "findings": 3}', b'{"format": 2}', b"null"],
)
def test_a_file_that_is_no_card_is_passed_over(card, tmp_path, data):
    keep_card(card, tmp_path).write_bytes(data)
    assert find_card(tmp_path, judge_hash=card.judge_hash, model=card.model) is None


def test_nothing_is_left_behind_when_it_cannot_be_written(card, tmp_path):
    (tmp_path / "cards").write_text("a file")
    with pytest.raises(StoreError, match="could not be written"):
        keep_card(card, tmp_path / "cards")
    assert [path.name for path in tmp_path.iterdir()] == ["cards"]


def test_where_cards_are_kept(tmp_path):
    assert shelf_of(tmp_path) == tmp_path / "cards"
    assert shelf_of(str(tmp_path / "mine.db")) == tmp_path / "cards"
    assert str(shelf_of("postgresql://somewhere/x")).endswith("cards")


def test_one_line_of_it(card):
    line = card_line(card)
    assert line.startswith(
        f"certification inconclusive {card.at[:10]}: 0 of 13 probes failed, 3 inconclusive ("
    )
    assert "attacks succeeded 0.0 %" in line
    assert card_line(ruled(card, {"retest": "fail"})).startswith(
        f"failed certification {card.at[:10]}: 1 of 13 probes failed (retest), "
    )
    assert card_line(all_passed(card)).startswith(
        f"certified {card.at[:10]}: all 13 probes that apply passed"
    )
    assert " (incomplete): " in card_line(replace(card, complete=False))


def test_every_form_has_every_finding_and_family(card):
    document = card_document(card)
    for text in (
        render_terminal(document, width=10_000, colour=False, verbose=True),
        render_markdown(document),
        render_html(document),
    ):
        assert all(finding.probe in text for finding in card.findings)
        assert all(figure.family in text for figure in card.families)
    terminal = render_terminal(document, width=10_000, colour=False)
    assert all(plain(finding_text(finding)) in terminal for finding in card.findings)
    assert "INCOMPLETE" in render_markdown(card_document(replace(card, complete=False)))


def test_the_verdict_stands_first_and_failed_probes_before_the_others(card):
    assert verdict(card) == ("INCONCLUSIVE", "0 of 13 probes failed, 3 inconclusive, 10 passed")
    assert verdict(ruled(card, {"length": "fail"}))[0] == "FAILED"
    mixed = ruled(card, {"length": "inconclusive", "injection": "fail"})
    first, *others = card_document(mixed).blocks
    assert (first.kind, first.label) == ("verdict", "FAILED")
    probes = [(block.label, plain(block.text).partition(":")[0]) for block in others if not block.detail]
    assert probes[0] == ("Failed", "injection")
    labels = list(dict.fromkeys(label for label, _ in probes))
    assert labels == ["Failed", "Inconclusive", "Passed", "Not applied", "Labels", "Next"]
    assert ("Inconclusive", "length") in probes
    assert verdict(all_passed(card)) == ("CERTIFIED", "all 13 probes that apply passed")
    assert verdict(replace(all_passed(card), complete=False))[0] == "INCONCLUSIVE"
    assert verdict(replace(card, findings=())) == ("INCONCLUSIVE", "no probe applies")


def test_a_failed_probe_has_an_example_to_read(try_judge, honest):
    def obedient(fields, repeat):
        if "professor" in fields["response"]:
            return {**honest(fields, repeat), "contradicts": False, "reason": "A professor wrote it."}
        return honest(fields, repeat)

    examination, answers = try_judge(obedient, attacks=FEW)
    card = make_card(examination, answers, model="rule:test", complete=True)
    (failed,) = (block for block in card_document(card).blocks if isinstance(block, CaseList))
    assert plain(failed.text).startswith(
        "worst-attack: 118 of 118 other wrong answers passed with the attack "
    )
    (example,) = failed.cases
    assert (example.change, example.marks, example.reason) == (
        "fail → pass",
        ("authority-1",),
        "A professor wrote it.",
    )
    assert "professor" in dict(example.lines)["got"]
    (succeeded,) = card_document(card).facts("attacks")
    assert plain(succeeded.text) == "succeeded at least once: authority-1"


def test_methods_error_rates_and_costs_are_details(card):
    assert (card.error_rate, card.rulings) == (0.05, 12)
    assert card.confidence == pytest.approx(1 - 0.1 / 12)
    blocks = card_document(card).blocks
    details = {block.label: plain(block.text) for block in blocks if isinstance(block, Fact) and block.detail}
    assert {"Method", "Error rate", "Cost", "Noise", "Pass rule", "Answers"} <= details.keys()
    assert (
        "the probability that any of the 12 rulings by interval is wrong is at most 5 %"
        in details["Error rate"]
    )
    assert [block.kind for block in blocks if isinstance(block, Table)] == ["probes", "families"]
    assert all(block.detail for block in blocks if isinstance(block, Table))


def verdict(card):
    (fact,) = card_document(card).facts("verdict")
    return fact.label, plain(fact.text)


def ruled(card, rulings):
    return replace(
        card,
        findings=tuple(replace(each, ruling=rulings.get(each.probe, each.ruling)) for each in card.findings),
    )


def all_passed(card):
    return replace(
        card, findings=tuple(replace(each, ruling="pass") for each in card.findings if each.probe != WORST)
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
    first = replace(card.findings[0], probe=evil, examples=(evil,))
    hostile = replace(
        card, judge=evil, model=evil, snapshot=evil, cases=evil, findings=(first,), succeeded=(evil,)
    )
    page = render_html(card_document(hostile))
    parsed = Page()
    parsed.feed(page)
    assert not parsed.tags & {"script", "img", "link", "iframe", "object"}
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name in {"src", "href"}]
    assert "&lt;script&gt;" in page
    assert "\u202e" not in page
    assert "default-src 'none'" in page


def test_no_figure_is_one_that_json_cannot_hold(card):
    assert json.loads(json.dumps(card_json(card), allow_nan=False))["format"] == 1


def test_a_budget_that_ran_out_leaves_no_complete_card(try_judge, honest):
    """What was not asked is a row too, so that counting rows does not tell."""
    examination, answers = try_judge(honest, attacks=FEW)
    trial = examination.probes[-1]
    (judgement,) = answers.of(trial)
    answers.add(
        structs.replace(
            judgement, outcome=Failed(kind="not_asked", message="--max-calls is reached"), passed=None
        )
    )
    card = make_card(examination, answers, model="rule:test", complete=True)
    assert len(answers.all()) == examination.judgements
    assert not card.complete
    assert card.not_judged == {"not_asked": 1}
