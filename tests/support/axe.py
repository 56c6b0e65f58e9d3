"""Deque's axe-core, as the `axe-playwright-python` package brings it, run inside a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
COLOUR_RULES = ("color-contrast", "link-in-text-block")
"""Those that look at colours: nothing else of a page is another in the other colour scheme."""
_CONTRAST = "color-contrast"
_good_kinds: set[str] = set()
"""Colours, size and weight of texts, with all that shines through behind them, which axe-core found to be good.

More than half of its time goes into contrasts, and pages have the same few kinds of text: each kind is looked at until it
is good once. Of a kind are texts whose colours are equal all the way up; what is laid over something that shines through is of none."""
_MAX_PLACES = 5
_THERE = "typeof window.axe?.run === 'function'"
"""Half a megabyte of script is sent to each page once, not for each look at it."""
_RUN = "([within, options]) => axe.run(within ?? document, options).then(found => found.violations)"
_LOOK_AT_CONTRAST = """async ([within, good]) => {
  const behind = new Map(), known = new Set(good);
  const layers = each => {  // null: it may lie over something that is not around it
    if (!each) return '';
    if (!behind.has(each)) {
      const style = getComputedStyle(each), below = layers(each.parentElement);
      const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode].join();
      const over = each.namespaceURI.endsWith('svg')
        || ['absolute', 'fixed'].includes(style.position) && !style.backgroundColor.startsWith('rgb(');
      behind.set(each, over || below === null ? null
        : own === 'rgba(0, 0, 0, 0),none,1,none,normal' ? below : `${own}; ${below}`);
    }
    return behind.get(each);
  };
  const kind = each => {
    const style = getComputedStyle(each), below = layers(each);
    return below === null ? null : [style.color, style.fontSize, style.fontWeight, style.textShadow, below].join();
  };
  const roots = within ? [...document.querySelectorAll(within)] : [document.body];
  const include = roots.flatMap(root => [root, ...root.querySelectorAll('*')]).filter(each =>
    (each.matches('input, select, textarea') || [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    && each.checkVisibility() && !known.has(kind(each)));
  const first = [...new Map(include.map(each => [kind(each) ?? each, each])).values()], passed = new Set();
  let violated = false;
  const look = async nodes => {
    if (!nodes.length) return;
    const quick = {selectors: false, elementRef: true, resultTypes: ['violations', 'passes']};
    const found = await axe.run({include: nodes}, {runOnly: ['color-contrast'], ...quick});
    violated ||= found.violations.length > 0;
    found.passes.forEach(rule => rule.nodes.forEach(node => passed.add(kind(node.element))));
  };
  await look(first);
  await look(include.filter(each => !first.includes(each) && !passed.has(kind(each))));  // the first may be hidden
  const violations = violated ? (await axe.run({include}, {runOnly: ['color-contrast']})).violations : [];
  return {passed: [...passed].filter(each => each !== null), violations};
}"""


def axe_violations(
    page: Page, *, within: str | None = None, without: Sequence[str] = (), only: Sequence[str] = ()
) -> list[str]:
    """Each violation in readable lines; `within` is a CSS selector, `without` and `only` are ids of rules."""
    rules = [rule for rule in only if rule != _CONTRAST]
    options = {
        "runOnly": {"type": "rule", "values": rules} if only else {"type": "tag", "values": list(RULES)},
        "rules": {rule: {"enabled": False} for rule in (*without, _CONTRAST)},
        "resultTypes": ["violations"],
    }
    if not page.evaluate(_THERE):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(_RUN, [within, options]) if rules or not only else []
    if _CONTRAST not in without and (not only or _CONTRAST in only):
        looked = page.evaluate(_LOOK_AT_CONTRAST, [within, list(_good_kinds)])
        _good_kinds.update(looked["passed"])
        violations += looked["violations"]
    return [_readable(violation) for violation in violations]


def assert_axe_clean(
    page: Page, *, within: str | None = None, without: Sequence[str] = (), only: Sequence[str] = ()
) -> None:
    """WCAG 2.2 A and AA and axe's best practices, as far as a program can tell."""
    violations = axe_violations(page, within=within, without=without, only=only)
    assert not violations, f"{page.url[:200]}\n" + "\n".join(violations)


def _readable(violation: Mapping[str, Any]) -> str:
    places = violation["nodes"]
    lines = [f"{violation['id']} ({violation['impact']}): {violation['help']}, in {len(places)} places"]
    for place in places[:_MAX_PLACES]:
        lines.append(f"  at {' '.join(map(str, place['target']))}: {' '.join(place['html'].split())[:160]}")
        checks = [*place.get("any", ()), *place.get("all", ()), *place.get("none", ())]
        lines += [f"     {check['message']}" for check in checks]
    return "\n".join(lines)
