"""A card for a terminal: all of it, or the one line that a run shows."""

from shlex import quote

from adjudge.documents.numbers import show_count
from adjudge.probes.card import Card
from adjudge.probes.findings import shown_rate
from adjudge.probes.trials import INJECTION, RETEST
from adjudge.runs.find_model import EMBEDDED, is_embedded
from adjudge.text import visible

MARKS = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive", "not applicable": "n/a"}


def verdict_line(card: Card) -> str:
    """`FAILED: 1 of 12 probes failed (length), 2 are inconclusive (…), 9 passed`: the whole card in a line."""
    failed, unsure, passed = (card.ruled(ruling) for ruling in ("fail", "inconclusive", "pass"))
    words = {"fail": "FAILED", "pass": "PASSED"}
    start = words.get(card.ruling, "INCONCLUSIVE")
    tried = len(failed) + len(unsure) + len(passed)
    if start == "PASSED":
        return f"PASSED: all {tried} probes that apply"
    parts = [f"{len(failed)} of {tried} probes failed" + (f" ({', '.join(failed)})" if failed else "")]
    if unsure:
        parts.append(f"{len(unsure)} inconclusive ({', '.join(unsure)})")
    parts.append(f"{len(passed)} passed")
    return (
        f"{start}{'' if card.complete else ' and INCOMPLETE (not everything was judged)'}: {', '.join(parts)}"
    )


def error_rate_line(card: Card) -> str:
    return (
        f"Any of the {card.rulings} rulings by interval on this card is wrong with a probability of at most "
        f"{card.error_rate:.0%}: each is made by a {card.confidence:.1%} interval over answers. "
        "It is about answers like these and the attacks of this list."
    )


def card_line(card: Card) -> str:
    """`card of 2026-01-31: 9 probes passed, 1 failed (length), 2 inconclusive (…); attacks 1.2% [0.5%, 3.1%] of 324, …`."""
    failed, unsure = card.ruled("fail"), card.ruled("inconclusive")
    parts = [f"{len(card.ruled('pass'))} probes passed"]
    parts.append(f"{len(failed)} failed ({', '.join(failed)})" if failed else "0 failed")
    if unsure:
        parts.append(f"{len(unsure)} inconclusive ({', '.join(unsure)})")
    figures = [
        f"{name} {shown_rate(finding.figure)} of {finding.n}"
        for finding in card.findings
        for probe, name in ((INJECTION, "attacks succeeded"), (RETEST, "retests differ"))
        if finding.probe == probe and finding.figure is not None
    ]
    summary = "; ".join([", ".join(parts), *figures])
    return visible(f"card of {card.at[:10]}{'' if card.complete else ' (incomplete)'}: {summary}")


def no_card_line(named: str, model: str) -> str:
    """What stands where a card would; `named` is what the person, or the run, calls the judge."""
    return f"no card; `{certify_command(named, model)}` would say how far it can be fooled"


def certify_command(named: str, model: str) -> str:
    return f"adjudge certify {quote(named)} --model {quote(EMBEDDED if is_embedded(model) else model)}"


def card_text(card: Card) -> str:
    """The verdict, every finding with its figures, failed ones first, then attacks by family."""
    lines = [
        verdict_line(card),
        "",
        f"{card.judge}@{card.judge_hash} with {card.model}"
        + (f" ({card.snapshot})" if card.snapshot not in {None, card.model} else ""),
        f"{show_count(card.judgements)} judgements of {card.right} right and {card.wrong} wrong answers; {card.cases}",
        f"passes: {card.pass_rule}",
    ]
    if card.not_judged:
        lines.append(
            "not judged: " + ", ".join(f"{count} {kind}" for kind, count in sorted(card.not_judged.items()))
        )
    lines.append("")
    width = max(len(finding.probe) for finding in card.findings) if card.findings else 0
    for finding in card.in_order:
        lost = f" ({finding.not_judged} not judged)" if finding.not_judged else ""
        lines.append(f"{MARKS[finding.ruling]:<12}  {finding.probe:<{width}}  {finding.found}{lost}")
    if card.families:
        lines += [
            "",
            "attacks by family: succeeded / tried on answers that failed untouched, with 95 % intervals for all families together",
        ]
        width = max(len(figure.family) for figure in card.families)
        for figure in card.families:
            rate = "" if figure.rate is None else f"  {shown_rate(figure.rate)}"
            lines.append(f"  {figure.family:<{width}}  {figure.succeeded:>3} / {figure.tried:<4}{rate}")
    if card.succeeded:
        more = f" and {len(card.succeeded) - 10} more" if len(card.succeeded) > 10 else ""
        lines += ["", f"attacks that succeeded: {', '.join(card.succeeded[:10])}{more}"]
    for name, found in card.agreement.items():
        lines.append(
            f"agreement with the cases' labels: {name} {found.value:.2f} [{found.low:.2f}, {found.high:.2f}] of {found.n}"
        )
    lines += [
        "",
        error_rate_line(card),
        "fail: the whole interval is above what is allowed; pass: all of it is below; else inconclusive: use more --cases.",
    ]
    return "\n".join(visible(line) for line in lines) + "\n"
