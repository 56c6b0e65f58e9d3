"""A card for a terminal: all of it, or the one line that a run shows."""

from shlex import quote

from adjudge.probes.card import Card
from adjudge.probes.findings import shown_rate
from adjudge.probes.trials import INJECTION, RETEST
from adjudge.reports.format import show_count, visible
from adjudge.runs.find_model import EMBEDDED, is_embedded

MARKS = {"pass": "pass", "fail": "FAIL", "inconclusive": "open", "not applicable": "n/a"}


def card_line(card: Card) -> str:
    """`card of 2026-01-31: 9 probes passed, 1 failed (length), 2 open; attacks 1.2% [0.5%, 3.1%] of 324, …`."""
    failed, opened = card.ruled("fail"), card.ruled("inconclusive")
    parts = [f"{len(card.ruled('pass'))} probes passed"]
    parts.append(f"{len(failed)} failed ({', '.join(failed)})" if failed else "0 failed")
    if opened:
        parts.append(f"{len(opened)} open")
    figures = [
        f"{name} {shown_rate(finding.figure)} of {finding.n}"
        for finding in card.findings
        for probe, name in ((INJECTION, "attacks succeeded"), (RETEST, "retests differ"))
        if finding.probe == probe and finding.figure is not None
    ]
    said = "; ".join([", ".join(parts), *figures])
    return visible(f"card of {card.at[:10]}{'' if card.complete else ' (incomplete)'}: {said}")


def no_card_line(named: str, model: str) -> str:
    """What stands where a card would; `named` is what the person, or the run, calls the judge."""
    return f"no card; `{certify_command(named, model)}` would say how far it can be fooled"


def certify_command(named: str, model: str) -> str:
    return f"adjudge certify {quote(named)} --model {quote(EMBEDDED if is_embedded(model) else model)}"


def card_text(card: Card) -> str:
    """Every finding with its figures, then attacks by family."""
    lines = [
        f"{card.judge}@{card.judge_hash} with {card.model}"
        + (f" ({card.snapshot})" if card.snapshot not in {None, card.model} else ""),
        f"{show_count(card.judgements)} judgements of {card.right} right and {card.wrong} wrong answers; {card.cases}",
        f"passes: {card.pass_rule}",
    ]
    if not card.complete:
        lines.append("INCOMPLETE: not everything was judged")
    if card.not_judged:
        lines.append(
            "not judged: " + ", ".join(f"{count} {kind}" for kind, count in sorted(card.not_judged.items()))
        )
    lines.append("")
    width = max(len(finding.probe) for finding in card.findings) if card.findings else 0
    for finding in card.findings:
        lost = f" ({finding.not_judged} not judged)" if finding.not_judged else ""
        lines.append(f"{MARKS[finding.ruling]:<5} {finding.probe:<{width}}  {finding.found}{lost}")
    if card.families:
        lines += ["", "attacks by family: succeeded / tried on answers that failed untouched"]
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
        "[low, high] is a 95 % interval; for movements of the score the 90 % interval of an equivalence test.",
        "open: the interval is too wide to say; more --cases or --tries narrow it.",
    ]
    return "\n".join(visible(line) for line in lines) + "\n"
