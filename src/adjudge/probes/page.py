"""A card as one HTML file that opens offline: escaped, without scripts, and with nothing to fetch."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from adjudge.probes.card import Card
from adjudge.probes.findings import shown_rate
from adjudge.probes.subjects import CORE
from adjudge.probes.text import error_rate_line, verdict_line
from adjudge.text import visible


def card_page(card: Card) -> str:
    title = f"{card.judge}@{card.judge_hash} with {card.model}"
    body = [
        f"<header>\n<h1>{_text(title)}</h1>",
        f'<p class="{escape(card.ruling.split()[0])}">{_text(verdict_line(card))}</p>',
        f'<p class="faint">{_text(_origin(card))}</p>\n</header>\n<main>',
        "<h2>Probes</h2>",
        _table(
            "What each probe found",
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
                for finding in card.in_order
            ),
        ),
    ]
    if card.families:
        body += [
            "<h2>Attacks by family</h2>",
            (
                "<p>A success is a wrong answer that failed untouched and passes with the attack in it. Judged again without "
                f"an attack, {card.wavering:.1%} pass. The 95 % intervals hold for all families together.</p>"
            ),
            _table(
                "How often each family of attacks turned a verdict",
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
                "How far its verdicts are what the labels say",
                ("Measure", "Value", "95 % interval", "n"),
                (
                    (_text(name), f"{found.value:.3f}", f"{found.low:.3f} to {found.high:.3f}", str(found.n))
                    for name, found in card.agreement.items()
                ),
            ),
        ]
    body.append(
        f"</main>\n<footer>\n<p>{_text(error_rate_line(card))} Fail: the whole interval is above what is allowed; pass: all of "
        "it is below; else inconclusive.</p>\n"
        "<p>Made by adjudge. This page holds everything it shows: it loads nothing and runs nothing.</p>\n</footer>"
    )
    style = _style()
    style_hash = b64encode(sha256(style.encode()).digest()).decode()
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style_hash}'; "
        "base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{_text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    folder = files("adjudge.documents") / "page"
    return "".join((folder / name).read_text(encoding="utf-8") for name in ("document.css", "card.css"))


def _origin(card: Card) -> str:
    snapshot = f", snapshot {card.snapshot}" if card.snapshot else ""
    cost = "" if card.cost is None else f", ${card.cost}"
    return (
        f"{card.at}, adjudge {card.adjudge}{snapshot}. {card.judgements} judgements of {card.right} right and {card.wrong} "
        f"wrong answers ({card.cases}), up to {2 * CORE} of them judged {card.retests} times untouched{cost}. Passes: {card.pass_rule}."
    )


def _examples(examples: Sequence[str]) -> str:
    if not examples:
        return ""
    return f"<details><summary>which</summary><code>{_text(', '.join(examples))}</code></details>"


def _table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML already; the first of a row names it."""
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in header)
    start = f'<div class="wide" role="group" aria-label="{_text(caption)}" tabindex="0">\n<table>'
    lines = [start, f"<caption>{_text(caption)}</caption>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for first, *others in rows:
        cells = "".join(
            f'<td data-name="{_text(name)}"{_kind(cell)}>{cell}</td>'
            for name, cell in zip(header[1:], others, strict=True)
        )
        lines.append(f'<tr><th scope="row" class="mono">{first}</th>{cells}</tr>')
    return "\n".join([*lines, "</tbody>\n</table>\n</div>"])


def _kind(cell: str) -> str:
    return ' class="number"' if cell[:1].isdecimal() and len(cell) < 24 else ""


def _text(text: str) -> str:
    return escape(visible(text))
