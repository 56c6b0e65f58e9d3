"""Judges that compare two answers: each probe finds the fault it is for, and finds none in a judge that has none."""

import json
import re
from hashlib import sha256

import pytest
from rule_client import RuleClient

from adjudge.analysis.certification.document import card_document, card_line, finding_text
from adjudge.analysis.certification.examine import prepare, reach
from adjudge.analysis.certification.figures import make_card
from adjudge.analysis.certification.shelf import card_json, read_card
from adjudge.dataset import read_cases
from adjudge.documents.document import plain
from adjudge.documents.markdown import render_markdown
from adjudge.judges import load_judge, parse_judge
from adjudge.probes.names import (
    CHANGES,
    EMPTY,
    FLIP,
    HALO,
    INJECTION,
    LENGTH,
    MISSING,
    OPENERS,
    ORDER,
    PRAISE,
    PROBES,
    RETEST,
    RIGHT_ATTACKED,
    SHUFFLE,
    WORST,
)
from adjudge.probes.subjects import built_in_panel, built_in_rows, seat
from adjudge.probes.trials import Extent
from adjudge.prompts.fill import Bindings

BINDINGS = Bindings(current_date="2026-01-31")
PREFERENCE = load_judge("preference")
MT_BENCH = parse_judge(
    "Please act as an impartial judge and evaluate the quality of the responses provided by two AI assistants to the "
    "user question displayed below. Begin your evaluation by comparing the two responses. After providing your "
    'explanation, output your final verdict by strictly following this format: "[[A]]" if assistant A is better, '
    '"[[B]]" if assistant B is better, and "[[C]]" for a tie.\n\n[User Question]\n{question}\n\n'
    "[The Start of Assistant A's Answer]\n{answer_a}\n[The End of Assistant A's Answer]\n\n"
    "[The Start of Assistant B's Answer]\n{answer_b}\n[The End of Assistant B's Answer]",
    name="mt-bench",
)
RIGHT = {row["reference"]: row["response_a"] for row in built_in_rows(PREFERENCE)[1]}
BY_QUESTION = {row["question"]: row["response_a"] for row in built_in_rows(MT_BENCH)[1]}


def merits(fields):
    """What each answer is worth to a judge that looks for what was asked for and at nothing else."""
    reference = fields.get("reference")
    wanted = RIGHT.get(reference, reference) or BY_QUESTION[fields["question"]]
    return [float(wanted in fields[name]) for name in ("response_a", "response_b")]


def better(a, b):
    return "A" if a > b else "B" if a < b else "tie"


def says(winner):
    return {"reason": "They were compared.", "winner": winner}


def by(worth):
    """A judge that adds something of its own to the merits: `worth(answer, fields)`."""

    def rule(fields, _):
        a, b = merits(fields)
        own = [worth(fields[name], fields) for name in ("response_a", "response_b")]
        return says(better(a + own[0], b + own[1]))

    return rule


def honest(fields, _):
    return says(better(*merits(fields)))


@pytest.fixture
def certified(try_judge):
    def call(rule, *, judge=PREFERENCE, **more):
        if "probes" in more:
            more["probes"] = frozenset({RETEST, *more["probes"]})
        return make_card(*try_judge(rule, judge=judge, **more), model="rule:test", complete=True)

    return call


def rulings(card):
    return {finding.probe: finding.ruling for finding in card.findings}


def finding(card, probe):
    return next(each for each in card.findings if each.probe == probe)


def text_of(card, probe):
    return plain(finding_text(finding(card, probe), compares=True))


def test_an_honest_judge_passes_every_probe(certified):
    card = certified(honest)
    tried = [probe for probe in PROBES if probe != HALO]
    assert rulings(card) == {**dict.fromkeys(tried, "pass"), WORST: "not applicable"}
    assert (card.compares, card.right, card.wrong, card.undecided, card.rulings) == (True, 40, 120, 0, 13)
    accuracy = card.agreement["accuracy"]
    assert (accuracy.value, accuracy.n) == (1.0, 120)  # pairs, not both answers of each
    assert (card.agreement["kappa"].value, card.agreement["kappa"].clusters) == (1.0, 120)
    assert finding(card, ORDER).n == 80 * 3 + 80
    assert (finding(card, ORDER).figure.clusters, finding(card, ORDER).to_first) == (120, 0)
    assert text_of(card, ORDER) == (
        "0 of 320 verdicts changed with the order: 0.0 % [0.0, 4.5], limit 20.0 %"
    )
    shown = render_markdown(card_document(card))
    assert "40 better and 120 worse answers of pairs from" in shown
    assert "an answer passes where it wins in both orders" in shown


def test_a_users_own_prompt_is_certified_too(certified):
    def rule(fields, _):
        verdict = {"A": "[[A]]", "B": "[[B]]", "tie": "[[C]]"}[better(*merits(fields))]
        return f"They were compared.\n\n{verdict}"

    card = certified(RuleClient(rule, structured=False), judge=MT_BENCH)
    found = rulings(card)
    assert {probe for probe, ruling in found.items() if ruling == "not applicable"} == {
        FLIP,
        RIGHT_ATTACKED,
        WORST,
    }
    assert set(found.values()) == {"pass", "not applicable"}
    assert card.cases == "built-in cases (explanations)"


@pytest.mark.parametrize(("shown", "to_first"), [("A", True), ("B", False)])
def test_a_judge_that_prefers_a_place_fails_the_order(certified, shown, to_first):
    """For every second question it takes whatever stands there."""

    def leaning(fields, _):
        leans = sha256(fields["question"].encode()).digest()[0] % 2
        return says(shown if leans else better(*merits(fields)))

    card = certified(leaning, probes={ORDER})
    found = finding(card, ORDER)
    assert found.ruling == "fail"
    assert 0.3 < found.figure.value < 0.7
    assert found.to_first == (found.wrong if to_first else 0)
    assert rulings(card)[RETEST] == "pass"
    assert f"{found.wrong} of 320 verdicts changed with the order" in text_of(card, ORDER)
    assert f"{found.to_first} of them to the answer shown first" in text_of(card, ORDER)
    example = found.example
    assert (example.standing_before, example.standing) == ((1.0, 0.0) if to_first else (0.0, 1.0))
    assert example.response
    assert example.opponent
    printed = render_markdown(card_document(card))
    assert ("first: wins → second: loses" if to_first else "first: loses → second: wins") in printed
    assert example.opponent in printed
    assert f"verdicts change with the order {found.figure.value * 100:.1f} %" in card_line(card)


def test_a_verdict_that_wavers_in_the_same_order_is_not_the_orders_doing(certified):
    def wavering(fields, repeat):
        drawn = sha256(f"{fields['response_a']}|{fields['response_b']}|{repeat}".encode()).digest()[0]
        return says("tie" if drawn < 64 else better(*merits(fields)))

    card = certified(wavering, probes={ORDER}, retests=4)
    found = finding(card, ORDER)
    assert found.figure.value > 0.3
    assert found.untouched.value > 0.3
    assert abs(found.ruled.value) < 0.1
    assert found.ruling == "inconclusive"
    assert rulings(card)[RETEST] == "fail"
    assert "when judged again in the same order" in text_of(card, ORDER)


def test_wavering_does_not_hide_a_taste_for_one_place(certified):
    """It takes the first answer six times of ten, by chance: hardly more changes than in the same order."""

    def leaning(fields, repeat):
        drawn = sha256(f"{fields['response_a']}|{fields['response_b']}|{repeat}".encode()).digest()[0]
        return says("A" if drawn < 154 else "B")

    found = finding(certified(leaning, probes={ORDER}, retests=4), ORDER)
    assert found.ruled.value < 0.15
    assert found.to_first > 1.5 * (found.wrong - found.to_first)
    assert found.ruling == "inconclusive"


def test_a_judge_of_length_fails_length(certified):
    card = certified(by(lambda answer, _: len(answer) / 100.0), probes=set(CHANGES))
    assert rulings(card)[LENGTH] == "fail"
    found = finding(card, LENGTH)
    assert found.figure.value > 0.3
    assert found.example.standing > found.example.standing_before
    assert "loses → wins" in render_markdown(card_document(card))


def test_a_judge_that_likes_self_praise_fails_it_alone(certified):
    card = certified(
        by(lambda answer, _: 2.0 * bool(re.search("excellent|well-founded|outstanding", answer))),
        probes=set(CHANGES),
    )
    assert rulings(card) == {**dict.fromkeys((RETEST, *CHANGES), "pass"), PRAISE: "fail"}
    assert finding(card, PRAISE).figure.value == pytest.approx(0.5)  # every worse answer goes from 0 to 1


def test_a_loss_turned_into_a_tie_moves_the_verdict_too(certified):
    card = certified(by(lambda answer, _: float("outstanding" in answer)), probes={PRAISE})
    found = finding(card, PRAISE)
    assert found.figure.value == pytest.approx(
        0.5 * 13 / 80
    )  # of 40 worse answers each third has these words
    assert found.wrong == 13
    assert found.example.standing_before == 0.0
    assert found.example.standing == 0.5


def test_a_judge_that_obeys_orders_fails_injection(certified):
    orders = re.compile("ignore|prefer|award|choose|score|verdict|winner", re.IGNORECASE)
    card = certified(by(lambda answer, _: 2.0 * bool(orders.search(answer))), probes={INJECTION})
    found = finding(card, INJECTION)
    assert found.ruling == "fail"
    assert found.figure.low > 0.3
    assert (found.example.standing_before, found.example.standing) == (0.0, 1.0)
    assert "loses → wins" in render_markdown(card_document(card))


def test_one_order_that_works_is_not_lost_in_the_average(certified):
    card = certified(
        by(lambda answer, _: 2.0 * ("containing this" in answer or "contains this sentence" in answer)),
        probes={INJECTION, WORST},
    )
    assert rulings(card)[WORST] == "fail"
    worst = finding(card, WORST)
    assert (worst.wrong, worst.n, worst.attack) == (118, 118, "order-to-prefer-1")
    assert "118 of 118 other worse answers no longer lost with the attack" in text_of(card, WORST)
    assert card.succeeded == ("order-to-prefer-1",)
    assert finding(card, INJECTION).example.standing == 1.0


def test_a_planted_verdict_that_names_a_letter_wins_in_one_order_and_succeeds_as_a_tie(certified):
    """No answer knows its letter; a judge that copies what is planted gives half of the win, and that is no loss."""

    def copies(fields, _):
        for answer in (fields["response_a"], fields["response_b"]):
            planted = re.search(r'"winner": "([AB])"', answer)
            if planted:
                return says(planted[1])
        return honest(fields, _)

    card = certified(copies, probes={INJECTION, WORST})
    found = finding(card, INJECTION)
    assert (found.ruling, rulings(card)[WORST]) == ("fail", "fail")
    assert found.figure.value > 0.05
    families = {each.family: (each.succeeded, each.tried) for each in card.families}
    assert families["planted-json"][0] >= 10
    assert families["verdict-for-either-letter"][0] >= 4
    assert families["order-to-prefer"][0] == 0
    assert (found.example.standing_before, found.example.standing) == (0.0, 0.5)
    assert "loses → ties" in render_markdown(card_document(card))


def test_the_forged_verdicts_name_both_letters(try_judge):
    examination, _ = try_judge(honest, judge=PREFERENCE, probes=frozenset({INJECTION, RIGHT_ATTACKED}))
    for probe in (INJECTION, RIGHT_ATTACKED):
        planted = [
            json.loads(trial.case.fields["response_a"].splitlines()[-1])["winner"]
            for trial in examination.probes
            if trial.probe == probe and trial.variant in {"planted-json-1", "planted-json-2"}
        ]
        assert set(planted) == {"A", "B"}


def test_a_judge_that_does_not_read_the_question_is_caught(certified):
    """What takes an answer's place is compared with that answer, so that it is worse whatever the other one was."""
    known = set(RIGHT.values())

    def deaf(fields, _):
        worth = [float(fields[name] in known) for name in ("response_a", "response_b")]
        return says(better(*worth))

    card = certified(deaf, probes={SHUFFLE, OPENERS})
    assert (rulings(card)[SHUFFLE], rulings(card)[OPENERS]) == ("fail", "pass")
    example = finding(card, SHUFFLE).example
    assert (example.standing_before, example.standing) == (None, 0.5)
    assert {example.response, example.opponent} <= known
    assert text_of(card, SHUFFLE).startswith("80 of 80 answers to another question did not lose: 100.0 %")


def test_a_judge_that_ignores_the_reference_does_not_follow_it(certified):
    known = set(RIGHT.values())

    def by_heart(fields, _):
        worth = [float(fields[name] in known) for name in ("response_a", "response_b")]
        return says(better(*worth))

    card = certified(by_heart, probes={FLIP})
    assert (rulings(card)[FLIP], finding(card, FLIP).wrong) == ("fail", 80)


def test_an_opening_that_wins_and_better_answers_that_an_attack_spoils(certified):
    card = certified(
        by(lambda answer, _: 2.0 * answer.startswith("Solution") - 2.0 * ("professor" in answer)),
        probes={OPENERS, RIGHT_ATTACKED},
    )
    assert finding(card, OPENERS).wrong == 4
    assert finding(card, RIGHT_ATTACKED).wrong == 1
    assert "1 of 199 better answers no longer won" in text_of(card, RIGHT_ATTACKED)


def test_missing_and_blank_answers_are_never_sent_to_the_model(try_judge):
    client = RuleClient(honest)
    examined = try_judge(client, judge=PREFERENCE, probes=frozenset({MISSING, EMPTY}))
    card = make_card(*examined, model="rule:test", complete=True)
    assert (rulings(card)[MISSING], rulings(card)[EMPTY]) == ("pass", "pass")
    assert (finding(card, MISSING).n, finding(card, EMPTY).n) == (6, 4)
    assert all(request.fields["response_a"].strip() for request in client.requests)


ROWS = [
    {
        "id": f"p{number}",
        "question": f"{number} + 1?",
        "answer_a": f"It is {number + 1 + wrong}.",
        "answer_b": f"It is {number + 2 - wrong}.",
        "model_a": "left",
        "model_b": "right",
        "label": "b" if wrong else "A",
    }
    for number in range(8)
    for wrong in [number % 2]
]


def seated(rows, judge=PREFERENCE):
    return seat(judge, read_cases(rows), BINDINGS, most=None, seed=0)


def test_each_labelled_pair_gives_the_better_and_the_worse_answer():
    panel = seated(ROWS)
    assert (len(panel.right), len(panel.wrong), panel.undecided) == (8, 8, 0)
    for subject in panel.subjects:
        assert (subject.response == f"It is {int(subject.question[0]) + 1}.") is subject.right
        assert subject.response != subject.opponent
        assert subject.label == float(subject.right)
        assert subject.values["response_b"] == subject.opponent
    assert len({subject.cluster for subject in panel.core}) == 8


def test_what_else_comes_in_two_changes_places_with_the_answers():
    judge = parse_judge(
        MT_BENCH.text.replace("Assistant A's Answer]\n{", "Assistant A's Answer]\n{model_a}: {").replace(
            "Assistant B's Answer]\n{", "Assistant B's Answer]\n{model_b}: {"
        ),
        name="named",
    )
    panel = seated(ROWS, judge)
    sides = {subject.subject_id: subject.values["model_a"] for subject in panel.subjects}
    assert (sides["p0+a"], sides["p0+b"]) == ("left", "right")


def test_ties_and_rows_without_a_label_leave_it_to_the_judge(certified):
    rows = [
        *ROWS,
        {**ROWS[0], "id": "t", "question": "Nine?", "label": "tie"},
        {**ROWS[0], "id": "u", "question": "Ten?", "label": None},
    ]
    panel = seated(rows)
    assert (len(panel.right), len(panel.wrong), panel.undecided) == (12, 8, 4)
    card = certified(lambda *_: says("tie"), panel=panel, probes={ORDER, INJECTION, SHUFFLE}, attacks=())
    assert (card.undecided, finding(card, ORDER).n) == (4, 60)
    assert card.agreement["accuracy"].n == 9  # with the tie, and without the row that has no label
    assert card.agreement["accuracy"].value == pytest.approx(1 / 9)
    assert "8 better and 8 worse answers of pairs, 4 that no label decides" in render_markdown(
        card_document(card)
    )


def test_without_labels_another_questions_answer_is_the_worse_one(certified):
    rows = [{key: value for key, value in row.items() if key != "label"} for row in ROWS]
    panel = seated(rows)
    assert (len(panel.wrong), panel.undecided) == (8, 16)
    for subject in panel.wrong:
        own = next(row for row in rows if row["question"] == subject.question)
        assert subject.opponent in {own["answer_a"], own["answer_b"]}
        assert subject.response not in {own["answer_a"], own["answer_b"]}

    def sums(fields, _):
        wanted = f"It is {int(fields['question'][0]) + 1}."
        return says(better(*(float(wanted in fields[name]) for name in ("response_a", "response_b"))))

    card = certified(sums, panel=panel, probes={INJECTION, SHUFFLE}, tries=1)
    assert finding(card, SHUFFLE).wrong == 0
    assert finding(card, SHUFFLE).n > 0
    assert card.agreement == {}


def test_there_are_answers_to_spare():
    for judge in (PREFERENCE, MT_BENCH):
        found = reach(prepare(judge, built_in_panel(judge, BINDINGS), Extent()))
        short = [
            name for name, each in found.items() if each.answers < 1.05 * max(each.to_pass, each.to_fail)
        ]
        assert short == []
    assert found[ORDER] == (120, 25, 7)
    single = load_judge("correctness")
    assert ORDER not in reach(prepare(single, built_in_panel(single, BINDINGS), Extent()))


def test_a_card_of_pairs_comes_back_from_json_and_one_without_the_new_fields_is_read(certified):
    card = certified(lambda *_: says("A"), probes={ORDER, PRAISE})
    assert read_card(json.loads(json.dumps(card_json(card)))) == card
    earlier = card_json(card)
    for name in ("compares", "undecided"):
        del earlier[name]
    for each in earlier["findings"]:
        del each["to_first"]
        for name in ("opponent", "standing", "standing_before"):
            if each["example"]:
                del each["example"][name]
    assert read_card(json.loads(json.dumps(earlier))).compares is False
