"""Which colours depend on the width of the screen: the browser tests look at those on narrow screens, and trust the rest."""

import re
from pathlib import Path

import adjudge

ROOT = Path(adjudge.__file__).parent
COLOURED = re.compile(
    r"(?:^|[;{\s])(?:color|background|background-color|opacity|filter|fill|mix-blend-mode)\s*:"
)
KNOWN = {
    "document.css": {"tbody tr", "td[data-name]::before"},
    "style.css": {
        "table.cards td[data-label]::before",
        "table.runs tbody",
        "table.runs td[data-label]::before",
    },
    "cases.css": {".cases td::before"},
}
"""What axe looks at on narrow screens (`narrow_colours`), or cannot: it does not read generated labels, whose colour on the
page's own background is that of other dim text."""


def by_width(text):
    """The rules that hold on some widths only, as (selector, declarations)."""
    for media in re.finditer(r"@media[^{]*width[^{]*\{", text):
        depth, at = 1, media.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        for rule in re.finditer(r"([^{}]+)\{([^{}]*)\}", text[media.end() : at - 1]):
            yield " ".join(rule[1].split()), rule[2]


def test_widths_change_no_other_colours():
    found = {
        (path.name, selector)
        for path in ROOT.rglob("*.css")
        for selector, declared in by_width(path.read_text(encoding="utf-8"))
        if COLOURED.search(declared)
    }
    assert found == {(name, selector) for name, selectors in KNOWN.items() for selector in selectors}
