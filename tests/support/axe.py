"""Deque's axe-core, as the `axe-playwright-python` package brings it, run inside a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""Those that look at colours: nothing else of a page is another in the other colour scheme."""
_MOST_PLACES = 5
_THERE = "typeof window.axe?.run === 'function'"
"""Half a megabyte of script is sent to each page once, not for each look at it."""
_RUN = "([within, options]) => axe.run(within ?? document, options).then(found => found.violations)"


def axe_violations(
    page: Page, *, within: str | None = None, without: Sequence[str] = (), only: Sequence[str] = ()
) -> list[str]:
    """Each violation in readable lines; `within` is a CSS selector, `without` and `only` are ids of rules."""
    options = {
        "runOnly": {"type": "rule", "values": list(only)} if only else {"type": "tag", "values": list(RULES)},
        "rules": {rule: {"enabled": False} for rule in without},
        "resultTypes": ["violations"],
    }
    if not page.evaluate(_THERE):
        page.evaluate(AXE_SCRIPT)
    return [_readable(violation) for violation in page.evaluate(_RUN, [within, options])]


def assert_axe_clean(
    page: Page, *, within: str | None = None, without: Sequence[str] = (), only: Sequence[str] = ()
) -> None:
    """WCAG 2.2 A and AA and axe's best practices, as far as a program can tell."""
    violations = axe_violations(page, within=within, without=without, only=only)
    assert not violations, f"{page.url[:200]}\n" + "\n".join(violations)


def _readable(violation: Mapping[str, Any]) -> str:
    places = violation["nodes"]
    lines = [f"{violation['id']} ({violation['impact']}): {violation['help']}, in {len(places)} places"]
    for place in places[:_MOST_PLACES]:
        lines.append(f"  at {' '.join(map(str, place['target']))}: {' '.join(place['html'].split())[:160]}")
        checks = [*place.get("any", ()), *place.get("all", ()), *place.get("none", ())]
        lines += [f"     {check['message']}" for check in checks]
    return "\n".join(lines)
