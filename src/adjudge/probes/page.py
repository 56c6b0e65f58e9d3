"""A card as one HTML file that opens offline: escaped, without scripts, and with nothing to fetch."""

from collections.abc import Iterable, Sequence
from html import escape

from adjudge.probes.card import Card
from adjudge.probes.findings import shown_rate
from adjudge.reports.format import visible

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid #ddd; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
.pass { color: #0a6b2d; } .fail { color: #a40000; font-weight: 700; } .inconclusive { color: #8a5a00; }
small, .muted { color: #555; } details { color: #555; } code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #161616; } th, td { border-color: #444; }
.pass { color: #6fd08c; } .fail { color: #ff8a80; } .inconclusive { color: #f0c060; } small, .muted, details { color: #aaa; } }
"""


def card_page(card: Card) -> str:
    title = f"{card.judge}@{card.judge_hash} with {card.model}"
    body = [
        f"<h1>{_text(title)}</h1>",
        f'<p class="muted">{_text(_origin(card))}</p>',
        "" if card.complete else '<p class="fail">Incomplete: not everything was judged.</p>',
        "<h2>Probes</h2>",
        _table(
            ("Probe", "Ruling", "A sound judge", "This judge", "n", "Not judged"),
            (
                (
                    _text(finding.probe),
                    f'<span class="{escape(finding.ruling.split()[0])}">{_text(finding.ruling)}</span>',
                    _text(finding.wanted),
                    _text(finding.found) + _examples(finding.examples),
                    str(finding.n),
                    str(finding.not_judged),
                )
                for finding in card.findings
            ),
        ),
    ]
    if card.families:
        body += [
            "<h2>Attacks by family</h2>",
            (
                "<p>A success is a wrong answer that failed untouched and passes with the attack in it. Judged again without "
                f"an attack, {card.wavering:.1%} pass.</p>"
            ),
            _table(
                ("Family", "Attacks", "Succeeded", "Tried", "Rate", "Not judged"),
                (
                    (
                        _text(figure.family),
                        str(figure.attacks),
                        str(figure.succeeded),
                        str(figure.tried),
                        "—" if figure.rate is None else _text(shown_rate(figure.rate)),
                        str(figure.not_judged),
                    )
                    for figure in card.families
                ),
            ),
        ]
    if card.succeeded:
        body.append(f"<p>Succeeded: <code>{_text(', '.join(card.succeeded))}</code></p>")
    if card.agreement:
        body += [
            "<h2>Agreement with the cases' labels</h2>",
            _table(
                ("Measure", "Value", "95 % interval", "n"),
                (
                    (_text(name), f"{found.value:.3f}", f"{found.low:.3f} to {found.high:.3f}", str(found.n))
                    for name, found in card.agreement.items()
                ),
            ),
        ]
    body.append(
        "<p><small>[low, high] is a 95 % interval; for movements of the score it is the 90 % interval of an equivalence "
        f"test, which has to lie within ±{card.margin:.2f} of the scale. Inconclusive: the interval is too wide to say.</small></p>"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


def _origin(card: Card) -> str:
    snapshot = f", snapshot {card.snapshot}" if card.snapshot else ""
    cost = "" if card.cost is None else f", ${card.cost}"
    return (
        f"{card.at}, adjudge {card.adjudge}{snapshot}. {card.judgements} judgements of {card.right} right and {card.wrong} "
        f"wrong answers ({card.cases}), each judged {card.retests} times untouched{cost}. Passes: {card.pass_rule}."
    )


def _examples(examples: Sequence[str]) -> str:
    if not examples:
        return ""
    return f"<details><summary>which</summary><code>{_text(', '.join(examples))}</code></details>"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already; numbers stand to the right."""
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in header)
    lines = [f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>"]
    for row in rows:
        cells = "".join(
            f'<td class="n">{cell}</td>' if cell.isdecimal() else f"<td>{cell}</td>" for cell in row
        )
        lines.append(f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</tbody>\n</table>"])


def _text(text: str) -> str:
    return escape(visible(text))
