"""A judge's card in words: the verdict, failed probes with an example, the other probes, agreement; methods as details."""

from collections.abc import Iterator
from shlex import quote

from adjudge.analysis.certification.records import (
    JudgeCard,
    NoRuling,
    ProbeExample,
    ProbeFinding,
    worst_family,
)
from adjudge.analysis.certification.rulings import ALLOWED, RULINGS, ProbeRuling
from adjudge.documents.document import (
    Block,
    CaseEntry,
    CaseList,
    Command,
    Document,
    Fact,
    Quote,
    Span,
    Table,
    Text,
    Tone,
    join,
    spans,
)
from adjudge.documents.numbers import show_count, show_mean, show_percent, show_rate
from adjudge.probes import names
from adjudge.runs.find_model import EMBEDDED, is_embedded
from adjudge.stats.intervals import Estimate
from adjudge.text import visible

ATTACKS_LISTED = 10
_VERDICTS: dict[ProbeRuling, tuple[str, Tone]] = {
    "pass": ("CERTIFIED", "good"),
    "fail": ("FAILED", "bad"),
    "inconclusive": ("INCONCLUSIVE", "warning"),
    "not applicable": ("INCONCLUSIVE", "warning"),
}
_LABELS: dict[ProbeRuling, tuple[str, Tone]] = {
    "fail": ("Failed", "bad"),
    "inconclusive": ("Inconclusive", "warning"),
    "pass": ("Passed", "plain"),
    "not applicable": ("Not applied", "plain"),
}
_EXPECTED = {
    names.RETEST: "the same verdict each time",
    names.ORDER: "the same verdict in both orders",
    names.FLIP: "the verdict follows the reference",
    **dict.fromkeys(names.CHANGES, "score and verdict do not change"),
    **dict.fromkeys((names.SHUFFLE, names.OPENERS), "fails"),
    **dict.fromkeys((names.MISSING, names.EMPTY), "does not pass"),
    names.INJECTION: "still fails",
    names.WORST: "no attack works repeatedly",
    names.RIGHT_ATTACKED: "still passes",
    names.HALO: "ratings lie as far apart as alone",
}
"""What a sound judge does."""
_EXPECTED_OF_TWO = {
    **_EXPECTED,
    **dict.fromkeys(names.CHANGES, "the winner does not change"),
    **dict.fromkeys((names.SHUFFLE, names.OPENERS), "loses to the answer whose place it takes"),
    **dict.fromkeys((names.MISSING, names.EMPTY), "loses, or has no verdict"),
    names.INJECTION: "still loses",
    names.RIGHT_ATTACKED: "still wins",
}
_WRONG = {
    names.FLIP: "verdicts did not follow the changed reference",
    names.SHUFFLE: "answers to another question passed",
    names.MISSING: "cases without a required input passed",
    names.EMPTY: "cases with a blank input passed",
    names.OPENERS: "openings without an answer passed",
    names.INJECTION: "attacks succeeded",
    names.WORST: "other wrong answers passed with the attack",
    names.RIGHT_ATTACKED: "right answers failed",
}
_WRONG_OF_TWO = {
    **_WRONG,
    names.ORDER: "verdicts changed with the order",
    names.SHUFFLE: "answers to another question did not lose",
    names.MISSING: "cases without a required input did not lose",
    names.EMPTY: "cases with a blank input did not lose",
    names.OPENERS: "openings without an answer did not lose",
    names.WORST: "other worse answers no longer lost with the attack",
    names.RIGHT_ATTACKED: "better answers no longer won",
}
_NO_RULING: dict[NoRuling, str] = {
    "no_reference": "the judge sees no reference",
    "not_labelled_both_ways": "the cases are not labelled both right and wrong",
    "part_of_the_rating": "without a reference the attack is part of what is rated",
    "nothing_to_try": "no answer to try it on",
    "never_judged_as_expected": "no answer was judged as expected before it was changed",
    "never_repeated": "no answer was judged more than once",
    "no_scores": "no score before and after to compare",
    "attacks_not_tried": "attacks were not tried",
    "attacks_unfinished": "the attacks were not finished",
    "no_attack_succeeded": "no attack succeeded, so there was none to try further",
}


# ---- one line ----


def card_line(card: JudgeCard) -> str:
    """`certified 2026-01-31: 12 of 12 probes passed; attacks succeeded 1.2 % [0.5, 3.1] of 324; …`."""
    figures = [
        f"{name} {show_rate(finding.figure)} of {finding.n}"
        for finding in card.findings
        for probe, name in (
            (names.INJECTION, "attacks succeeded"),
            (names.ORDER, "verdicts change with the order"),
            (names.RETEST, "retests differ"),
        )
        if finding.probe == probe and finding.figure is not None
    ]
    words: dict[ProbeRuling, str] = {"pass": "certified", "fail": "failed certification"}
    start = words.get(card.ruling, "certification inconclusive")
    unfinished = "" if card.complete else " (incomplete)"
    return visible("; ".join([f"{start} {card.at[:10]}{unfinished}: {_counts(card, named=True)}", *figures]))


def certify_command(named: str, model: str) -> str:
    """`named` is what the person, or the run, calls the judge."""
    return f"adjudge certify {quote(named)} --model {quote(EMBEDDED if is_embedded(model) else model)}"


def _counts(card: JudgeCard, *, named: bool = False) -> str:
    """`2 of 12 probes failed (length, injection), 3 inconclusive (…), 7 passed`; `all 12 probes passed`."""
    probes = {ruling: card.probes(ruling) for ruling in RULINGS[:3]}
    tried = sum(map(len, probes.values()))
    if not tried:
        return "no probe applies"
    if len(probes["pass"]) == tried:
        return f"all {tried} probes that apply passed"
    counts = {"fail": f"of {tried} probes failed", "inconclusive": "inconclusive", "pass": "passed"}
    return ", ".join(
        f"{len(names)} {counts[ruling]}"
        + (f" ({', '.join(names)})" if named and ruling != "pass" and names else "")
        for ruling, names in probes.items()
        if names or ruling == "fail"
    )


# ---- the whole card ----


def card_document(card: JudgeCard) -> Document:
    label, tone = _VERDICTS[card.ruling]
    blocks: list[Block] = [Fact(kind="verdict", label=label, text=_counts(card), tone=tone)]
    blocks += _probes(card)
    blocks += _attacks(card)
    blocks += _labels(card)
    if card.not_judged:
        lost = ", ".join(f"{show_count(count)} {kind}" for kind, count in sorted(card.not_judged.items()))
        blocks.append(Fact(kind="not_judged", label="Not judged", text=Quote(lost), tone="warning"))
    if card.ruled("inconclusive"):
        text = ("more answers narrow the intervals: ", Command("--cases FILE"))
        blocks.append(Fact(kind="next", label="Next", text=text))
    blocks += _details(card)
    return Document(
        banner="" if card.complete else "INCOMPLETE: not everything was judged",
        title=("certify ", Quote(f"{card.judge}@{card.judge_hash}"), " · ", Quote(card.model)),
        aside=f"{show_count(card.judgements)} judgements",
        blocks=tuple(blocks),
    )


def finding_text(finding: ProbeFinding, *, compares: bool = False) -> Text:
    """What the judge did, with the figure and what is allowed, or why nothing can be said; `compares`: of two answers."""
    words = _WRONG_OF_TWO if compares else _WRONG
    figure, wrong = finding.figure, words.get(finding.probe, "trials went wrong")
    if finding.no_ruling is not None:
        share = "" if figure is None else f"; {show_rate(figure)} of {finding.n} {wrong}"
        return f"{_NO_RULING[finding.no_ruling]}{share}"
    if figure is None or finding.allowed is None:
        return f"{finding.wrong} of {finding.n} {wrong}"
    if finding.probe in names.CHANGES:
        return _movement(finding, figure, finding.allowed)
    if finding.probe == names.HALO:
        return _halo(finding, figure, finding.allowed)
    if finding.probe == names.LABELS:
        informed = f"{figure.value:.2f} [{figure.low:.2f}, {figure.high:.2f}]"
        kind = ("better answers win", "worse ones") if compares else ("right answers pass", "wrong ones")
        share = f"as a share of all, {kind[0]} {informed} more often than {kind[1]}"
        return (
            f"{finding.wrong} of {finding.n} not as labelled; {share}, at least {finding.allowed:.2f} wanted"
        )
    limit = f"limit {show_percent(finding.allowed)}"
    if finding.probe == names.RETEST:
        kappa = "" if finding.kappa is None else f", κ {finding.kappa:.2f}"
        return f"{show_rate(figure)} of pairs of repeats disagree{kappa}, {limit}"
    attack: tuple[Span, ...] = () if finding.attack is None else (" ", Quote(finding.attack))
    parts: list[Text] = [(f"{finding.wrong} of {finding.n} {wrong}", *attack, f": {show_rate(figure)}")]
    if finding.to_first is not None and finding.wrong:
        to_second = finding.wrong - finding.to_first
        parts.append(f"{finding.to_first} of them to the answer shown first, {to_second} to the second")
    again, ruled = finding.untouched, finding.ruled
    if again is not None and ruled is not None and (ruled.value or again.value):
        how = "in the same order" if finding.probe == names.ORDER else "without an attack"
        without = f"{show_percent(again.value)} when judged again {how}"
        parts.append(f"{without}, so {show_rate(ruled)} beyond that")
    return join(", ", [join("; ", parts), limit])


def _movement(finding: ProbeFinding, mean: Estimate, allowed: float) -> str:
    value, low, high = (
        f"{each:+.2f}".replace("-0.00", "+0.00") for each in (mean.value, mean.low, mean.high)
    )
    text = f"score moved {value} [{low}, {high}], limit ±{allowed:.2f} of the scale"
    if finding.changed is None:
        return text
    return (
        f"{text}; {finding.wrong} of {finding.changed.n} verdicts changed, {show_rate(finding.changed)} beyond "
        f"judging again, limit {show_percent(ALLOWED[finding.probe])}"
    )


def _halo(finding: ProbeFinding, lost: Estimate, allowed: float) -> str:
    spread = f"ratings of one answer lie {finding.together:.2f} of the scale apart together and {finding.alone:.2f} alone"
    return f"{spread}: {lost.value:+.2f} [{lost.low:+.2f}, {lost.high:+.2f}] lost, limit {allowed:.2f}"


def _probes(card: JudgeCard) -> Iterator[Block]:
    """Failed ones first, each with an example; then those that are open, passed, or did not apply."""
    for ruling in RULINGS:
        label, tone = _LABELS[ruling]
        for finding in card.ruled(ruling):
            lost = f" ({show_count(finding.not_judged)} not judged)" if finding.not_judged else ""
            family = worst_family(card.families) if finding.probe == names.INJECTION else None
            worst: Text = ""
            if family is not None:
                of = f": {family.succeeded} of {family.tried}, {show_rate(family.rate)}"
                worst = ("worst family ", Quote(family.family), of)
            found = join("; ", [finding_text(finding, compares=card.compares), worst])
            text = (Quote(finding.probe), ": ", *spans(found), lost)
            if ruling == "fail":
                cases = () if finding.example is None else (_entry(finding.probe, finding.example),)
                yield CaseList(kind="failed", label=label, text=text, cases=cases, tone=tone)
            else:
                yield Fact(kind=ruling, label=label, text=text, tone=tone)


def _entry(probe: str, example: ProbeExample) -> CaseEntry:
    if example.opponent is None:
        words = {True: "pass", False: "fail", None: "no verdict"}
        change = f"{words[example.passed_before]} → {words[example.passed]}"
    else:
        orders = ("first: ", "second: ") if probe == names.ORDER else ("", "")
        before, after = example.standing_before, example.standing
        was = "" if before is None else f"{orders[0]}{_outcome(before)} → "
        change = f"{was}{orders[1]}{_outcome(after)}"
    lines = (("expected", example.reference), ("got", example.response), ("against", example.opponent))
    return CaseEntry(
        case_id=example.case_id,
        question=example.question,
        lines=tuple((word, text) for word, text in lines if text is not None),
        marks=() if example.attack is None else (visible(example.attack),),
        change=change,
        reason=example.reason,
    )


def _outcome(standing: float | None) -> str:
    if standing is None:
        return "no verdict"
    return "wins" if standing > 0.5 else "loses" if standing < 0.5 else "ties"


def _attacks(card: JudgeCard) -> Iterator[Fact]:
    if card.succeeded:
        more = len(card.succeeded) - ATTACKS_LISTED
        listed = Quote(", ".join(card.succeeded[:ATTACKS_LISTED]))
        text = ("succeeded at least once: ", listed, f" and {more} more" if more > 0 else "")
        yield Fact(kind="attacks", label="Attacks", text=text)


def _labels(card: JudgeCard) -> Iterator[Fact]:
    for name, found in card.agreement.items():
        if name == "accuracy":
            agreed = f"{show_count(round(found.value * found.n))} of {show_count(found.n)}"
            text: Text = f"agrees with the labels on {agreed}: {show_rate(found)}"
        else:
            text = (Quote(name), f" {show_mean(found)} of {show_count(found.clusters or found.n)}")
        yield Fact(kind="labels", label="Labels", text=text)


# ---- details ----


def _details(card: JudgeCard) -> Iterator[Block]:
    findings = [finding for ruling in RULINGS for finding in card.ruled(ruling)]
    expected = _EXPECTED_OF_TWO if card.compares else _EXPECTED
    lost = "lost" if card.compares else "failed"
    yield Table(
        kind="probes",
        caption="Probes",
        header=("Probe", "Ruling", "Trials", "Not judged", "Expected"),
        rows=tuple(
            (
                Quote(each.probe),
                each.ruling,
                show_count(each.n),
                show_count(each.not_judged),
                "score does not rise" if each.only_gains else expected.get(each.probe, ""),
            )
            for each in findings
        ),
        numeric=(2, 3),
        detail=True,
    )
    for finding in findings:
        if finding.examples:
            text = (Quote(finding.probe), ": ", Quote(", ".join(finding.examples)))
            yield Fact(kind="examples", label="Went wrong", text=text, detail=True)
    if card.families:
        yield Table(
            kind="families",
            caption=f"Attacks by family, on answers that {lost} without an attack",
            header=("Family", "Attacks", "Succeeded", "Tried", "Rate", "Not judged"),
            rows=tuple(
                (
                    Quote(each.family),
                    *map(show_count, (each.attacks, each.succeeded, each.tried)),
                    show_rate(each.rate),
                    show_count(each.not_judged),
                )
                for each in card.families
            ),
            numeric=(1, 2, 3, 5),
            detail=True,
        )
    for label, note in _notes(card):
        yield Fact(kind="note", label=label, text=note, detail=True)


def count_answers(right: int, wrong: int, *, undecided: int, compares: bool) -> str:
    """`40 right and 120 wrong answers`; of pairs, how many are the better one, the worse one, or neither."""
    if not compares:
        return f"{right} right and {wrong} wrong answers"
    no_label = f", {undecided} that no label decides" if undecided else ""
    return f"{right - undecided} better and {wrong} worse answers of pairs{no_label}"


def _evidence(card: JudgeCard) -> str:
    return "the answers to these questions" if card.cases.startswith("built-in") else "questions"


def _wavering(card: JudgeCard) -> str:
    if card.compares:
        return "worse answers that lost no longer lose"
    return "wrong answers that failed now pass"


def _notes(card: JudgeCard) -> Iterator[tuple[str, Text]]:
    if card.snapshot not in {None, card.model}:
        yield "Model", ("snapshot ", Quote(card.snapshot or ""))
    repeats = f"those of the retest judged {card.retests} times"
    counts = count_answers(card.right, card.wrong, undecided=card.undecided, compares=card.compares)
    yield "Answers", (f"{counts} from ", Quote(card.cases), f", {repeats}")
    if card.compares:
        rule: Text = (
            "an answer passes where it wins in both orders and fails where it loses; a tie is neither"
        )
    else:
        rule = Quote(card.pass_rule) if card.pass_rule else "the middle of the scale: the judge has none"
    yield "Pass rule", rule
    noise = "unknown" if card.noise_sd is None else f"standard deviation {card.noise_sd:.3f} of the scale"
    yield "Noise", f"between repeats: {noise}; margin ±{card.margin:.2f}, whatever the noise"
    if card.families:
        yield (
            "Attacks",
            (
                f"judged again without an attack, {show_percent(card.wavering)} of {_wavering(card)}; the 95 % "
                "intervals of the families hold simultaneously"
            ),
        )
    yield (
        "Method",
        (
            "fail: the whole interval is above the limit; pass: the whole interval is at or below it; otherwise inconclusive"
        ),
    )
    yield (
        "Error rate",
        (
            f"the probability that any of the {card.rulings} rulings by interval is wrong is at most {show_percent(card.error_rate, 0)}: "
            f"each uses a {show_percent(card.confidence)} interval over {_evidence(card)}, and holds for answers and attacks like these"
        ),
    )
    cost: Text = "unknown" if card.cost is None else ("$", Quote(card.cost))
    yield "Cost", cost
    yield "Made", (Quote(card.at), " by adjudge ", Quote(card.adjudge))
