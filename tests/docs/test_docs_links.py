"""Every link between pages leads somewhere, and every page is in an index."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
DECISIONS = DOCS / "internals" / "decisions"
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    found = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    return [link for link in found if "://" not in link]


def test_every_link_leads_to_a_file():
    broken = [
        (page.name, link) for page in PAGES for link in links(page) if not (page.parent / link).exists()
    ]
    assert broken == []


def test_every_page_is_linked_from_an_index():
    indexes = [DOCS / "README.md", DOCS / "internals" / "README.md"]
    linked = {(index.parent / link).resolve() for index in indexes for link in links(index)}
    assert [page.name for page in DOCS.rglob("*.md") if page.resolve() not in linked | {indexes[0]}] == []


def test_every_decision_has_a_status_and_no_number_is_used_twice():
    pages = {page: page.read_text(encoding="utf-8") for page in DECISIONS.glob("*.md")}
    assert [
        page.name for page, text in pages.items() if not re.search(r"^Status: accepted", text, re.MULTILINE)
    ] == []
    assert len({page.name[:4] for page in pages}) == len(pages)
