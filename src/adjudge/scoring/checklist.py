"""Coverage's checklist: the facts, conclusions and terms of a reference, each with the words it comes from."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.records import Json
from adjudge.scoring.scorer import Invalid
from adjudge.scoring.steps import Category
from adjudge.scoring.terms import is_quoted, is_term, term_key
from adjudge.scoring.text import clipped, fold
from adjudge.text import as_text

MAX_ITEMS = 300
NAMED_AT_MOST = 10


class CategoryShape(NamedTuple):
    category: Category
    key: str
    letter: str


SHAPES = (
    CategoryShape("facts", "fact", "F"),
    CategoryShape("conclusions", "conclusion", "C"),
    CategoryShape("terms", "term", "T"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One thing to look for."""

    item_id: str
    text: str
    quote: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Checklist:
    facts: tuple[Item, ...]
    conclusions: tuple[Item, ...]
    terms: tuple[Item, ...]
    notes: tuple[str, ...] = ()

    def of(self, category: Category) -> tuple[Item, ...]:
        match category:
            case "facts":
                return self.facts
            case "conclusions":
                return self.conclusions
            case "terms":
                return self.terms

    def as_json(self) -> dict[str, Json]:
        listed: dict[str, Json] = {
            shape.category: [
                {"id": item.item_id, shape.key: item.text, "quote": item.quote}
                for item in self.of(shape.category)
            ]
            for shape in SHAPES
        }
        return {**listed, "notes": list(self.notes)}


def named(what: list[str]) -> str:
    more = len(what) - NAMED_AT_MOST
    return ", ".join(what[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")


def misquoted(what: list[str], source: str) -> Invalid:
    return Invalid(
        why=f"the quote of {named(what)} does not occur in the {source}; quote its words exactly, without leaving any out"
    )


def unanswered(ids: list[str]) -> Invalid:
    return Invalid(why=f"no answer for {named(ids)}; every id has to be answered once")


def unknown_ids(answers: Iterable[str], known: Collection[str]) -> list[str]:
    """As notes."""
    return [f"unknown_id:{clipped(each, 20)}" for each in answers if each not in known]


def statement_key(text: str) -> str:
    """The same for two texts that say the same in other signs."""
    return term_key(text).strip() or fold(text)


def build_checklist(parts: Mapping[str, Json], reference: str) -> Checklist | Invalid:
    """The checklist of a first call's reply, checked against the reference; what is no term or a repetition is dropped."""
    folded = fold(reference)
    seen: set[str] = set()
    built: dict[Category, tuple[Item, ...]] = {}
    notes: list[str] = []
    wrong: list[str] = []
    for shape in SHAPES:
        listed = parts.get(shape.category)
        rows: Json = [] if listed is None else listed
        if not isinstance(rows, list) or len(rows) > MAX_ITEMS:
            return Invalid(why=f"`{shape.category}` has to be a list of at most {MAX_ITEMS} items")
        items: list[Item] = []
        for position, row in enumerate(rows, 1):
            found = read_row(row, shape, position)
            if isinstance(found, Invalid):
                return found
            if shape.category == "terms" and not is_term(found.text):
                notes.append(f"term_dropped:{clipped(found.text, 40)}")
                continue
            if not is_quoted(found.quote, folded):
                wrong.append(f"{shape.key} {position} (`{clipped(found.quote)}`)")
                continue
            # Terms are words, not statements: they are compared among themselves.
            key = f"{'terms' if shape.category == 'terms' else ''}:{statement_key(found.text)}"
            if key in seen:
                notes.append(f"duplicate_dropped:{shape.key} {position}")
                continue
            seen.add(key)
            items.append(Item(item_id=f"{shape.letter}{len(items) + 1}", text=found.text, quote=found.quote))
        built[shape.category] = tuple(items)
    if wrong:
        return misquoted(wrong, "reference")
    if folded and not built["facts"] and not built["conclusions"]:
        return Invalid(
            why="the checklist has neither a fact nor a conclusion, but the reference is not blank"
        )
    return Checklist(
        facts=built["facts"], conclusions=built["conclusions"], terms=built["terms"], notes=bounded(notes)
    )


def bounded(notes: list[str], most: int = 20) -> tuple[str, ...]:
    return tuple(notes) if len(notes) <= most else (*notes[:most], f"notes_left_out:{len(notes) - most}")


def read_row(row: Json, shape: CategoryShape, position: int) -> Item | Invalid:
    """One row as the model gave it; a term may stand for its own quote."""
    if shape.category == "terms" and isinstance(row, str):
        row = {shape.key: row}
    if not isinstance(row, dict):
        return Invalid(why=f"{shape.key} {position} has to be an object with `{shape.key}` and `quote`")
    text, quote = row.get(shape.key), row.get("quote")
    if not isinstance(text, str) or not fold(text):
        return Invalid(why=f"{shape.key} {position} has no `{shape.key}`")
    if shape.category == "terms" and (quote is None or not as_text(quote).strip()):
        quote = text
    if not isinstance(quote, str) or not quote.strip():
        return Invalid(why=f"{shape.key} {position} has no `quote` from the reference")
    return Item(item_id="", text=text.strip(), quote=quote.strip())


def read_checklist(items: Mapping[str, Json]) -> Checklist | Invalid:
    """A checklist that `build_checklist` made and a store kept."""
    built: dict[Category, tuple[Item, ...]] = {}
    for shape in SHAPES:
        rows = items.get(shape.category)
        found: list[Item] = []
        for row in rows if isinstance(rows, list) else []:
            if not isinstance(row, dict):
                return Invalid(why=f"the checklist's {shape.category} are not items")
            item_id, text, quote = row.get("id"), row.get(shape.key), row.get("quote")
            if not (isinstance(item_id, str) and isinstance(text, str) and isinstance(quote, str)):
                return Invalid(why=f"the checklist's {shape.category} are not numbered items with quotes")
            found.append(Item(item_id=item_id, text=text, quote=quote))
        built[shape.category] = tuple(found)
    notes = items.get("notes")
    return Checklist(
        facts=built["facts"],
        conclusions=built["conclusions"],
        terms=built["terms"],
        notes=tuple(note for note in notes if isinstance(note, str)) if isinstance(notes, list) else (),
    )
