"""The JSON a prompt shows: which of its objects is the verdict, and what each value is."""

import re
from dataclasses import replace

from adjudge.fields import canonical_field
from adjudge.judges.reading.kinds import UNKNOWN, ValueKind, conditional_numbers, number_choices, read_kind
from adjudge.judges.reading.names import (
    REFERENCE,
    cued,
    is_label,
    is_rating,
    is_reason,
    near_example,
)
from adjudge.judges.reading.parts import ContractPart, FoundContract, part_schema
from adjudge.judges.reading.skeleton import (
    Leaf,
    ListNode,
    Node,
    ObjectNode,
    Skeleton,
    SkeletonEntry,
    find_objects,
    inside,
)
from adjudge.patterns import lazy_pattern
from adjudge.records import Json
from adjudge.schemas import object_schema

_PLACE = lazy_pattern(
    r"<[^<>\n]{1,200}>|\.\.\.|…|\bor\b|\||true/false|yes/no|\d\s?(?:-|–|~|to|\.\.)\s?\d|\byour\b|\bhere\b|\b(?:int|integer|float|number|string|str|bool|boolean)\b",
    re.IGNORECASE,
)


def find_json_skeleton(text: str) -> FoundContract | None:
    """The verdict a prompt shows as JSON, if it shows one."""
    shown = [item for item in find_objects(text) if not _is_data(item)]
    if not shown:
        return None
    # Of several alike the fullest is the shape and the others are examples of it; else the last counts.
    chosen = max(shown, key=lambda item: (_rank(text, item), len(_all_names(item)), item.start))
    same = [item for item in shown if item is not chosen and item.node.names == chosen.node.names]
    spans = tuple((item.start, item.end) for item in shown)
    parts = tuple(
        _part(entry, described(text, entry.name, spans), [twin.node[entry.name] for twin in same])
        for entry in chosen.node.entries
    )
    return FoundContract(form="json", parts=parts, start=chosen.start, end=chosen.end, listed=chosen.in_list)


def shows_a_list(text: str) -> bool:
    """Whether the only JSON shown is a list of objects: a reply with no verdict of its own."""
    shown = [item for item in find_objects(text) if not _is_data(item)]
    return bool(shown) and max(shown, key=lambda item: _rank(text, item)).in_list


def _is_data(shown: Skeleton) -> bool:
    """JSON that is filled from the case is what is judged, not what is asked for."""
    names = shown.node.names
    if any(REFERENCE.search(name) for name in names):
        return True  # the case names the fields: which they are cannot be known here
    if len(names) > 1 and all(canonical_field(name.lower()) is not None for name in names):
        return True  # question, context and answer: a case of an example
    return any(REFERENCE.search(leaf.text) for leaf in _leaves(shown)) and not any(
        is_rating(name) or is_label(name) for name in _all_names(shown) if name != "answer"
    )


def _leaves(shown: Skeleton) -> list[Leaf]:
    return [node for node in inside(shown.node) if isinstance(node, Leaf)]


def _all_names(shown: Skeleton) -> set[str]:
    return {name for node in inside(shown.node) if isinstance(node, ObjectNode) for name in node.names}


def _rank(text: str, shown: Skeleton) -> int:
    names = shown.node.names
    rank = 0
    if any(is_rating(name) or is_label(name) for name in names):
        rank += 3
    if any(is_reason(name) for name in names):
        rank += 1
    if any(_PLACE.search(leaf.text) for leaf in _leaves(shown)):
        rank += 2
    if cued(text, shown.start):
        rank += 2
    if near_example(text, shown.start):
        rank -= 3
    return rank


def described(text: str, name: str, spans: tuple[tuple[int, int], ...] = ()) -> str:
    """What the prompt says about a field outside the JSON: its bullet, or `name must be …`."""
    spelled = re.escape(name).replace("_", r"[_ ]")
    patterns = (
        (
            rf"^[ \t>]*+(?:[-*•+]|\d{{1,2}}[.)])?[ \t]*[`\"'*_]{{0,4}}{spelled}[`\"'*_]{{0,4}}[ \t]*+(?P<aside>\([^()\n]{{1,120}}\))?"
            r"[`\"'*_]{0,4}[ \t]*[:=–—-][`\"'*_]{0,4}[ \t]*(?P<text>[^\n]{0,400})$"
        ),
        (
            rf"(?:^|[.\n`\"'*]|\b(?:the|your)\b )[ \t]*[`\"'*]{{0,2}}{spelled}[`\"'*]{{0,2}}(?P<aside>)[ \t]+(?P<text>(?:must|should|can|is|will|has to)"
            r"[ \t]+(?:only[ \t]+)?be[^.\n]{0,200}|(?:is|are|field is|field should be|field must be)[ \t]+(?:an?|one of|either|exactly)[^.\n]{0,200})"
        ),
    )
    found = []
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE):
            if REFERENCE.search(match[0]) or any(start <= match.start() < end for start, end in spans):
                continue
            found.append(f"{match['aside'] or ''} {match['text']}".strip())
    return "\n".join(found[:4])


def _part(entry: SkeletonEntry, says: str, twins: list[Node | None]) -> ContractPart:
    node = entry.node
    about = "\n".join(part for part in (entry.comment, says) if part)
    if isinstance(node, ObjectNode):
        shape = object_schema({child.name: part_schema(_part(child, "", [])) for child in node.entries})
        return ContractPart(name=entry.name, shape=shape, says=about)
    if isinstance(node, ListNode):
        place = _bracketed_place(node)
        if place is None:
            return _list_part(entry.name, node, about)
        node = place
    kind = leaf_kind(entry.name, node, about)
    if kind.type == "integer" and not kind.bounded:
        numbers = [twin.text for twin in twins if isinstance(twin, Leaf)]
        if any(re.fullmatch(r"\A\d+\.\d*[1-9]", number.strip()) for number in numbers):
            kind = replace(kind, type="number")
    if kind.type == "string" and not kind.options and (is_rating(entry.name) or is_label(entry.name)):
        kind = replace(kind, options=_example_labels(node, twins))
    if is_label(entry.name) and not is_rating(entry.name):
        kind = _numbered_choice(node.text, about) or kind
    as_text = node.quoted and kind.numeric
    return ContractPart(
        name=entry.name, kind=kind, says=f"{node.text}\n{about}".strip(), number_as_text=as_text
    )


def _numbered_choice(place: str, about: str) -> ValueKind | None:
    """Numbers that stand for things and are no scale: `"winner": 1 | 2 | 0`, `1 for the first, 2 for the second`."""
    for text in (place, about):
        options = max(number_choices(text), conditional_numbers(text), key=len)
        if len(options) > 1 and set(options) != {0, 1}:
            return ValueKind(type="integer", options=options, choice=True)
    return None


def _bracketed_place(node: ListNode) -> Leaf | None:
    """`[a score between 0 and 1]`: several bare words in brackets are a place, since a list has quotes or numbers in it."""
    if len(node.elements) != 1 or not isinstance(leaf := node.elements[0], Leaf) or leaf.quoted:
        return None
    return leaf if len(re.findall(r"[A-Za-z]{2,}", leaf.text)) > 1 or not leaf.text.isascii() else None


def _example_labels(node: Leaf, twins: list[Node | None]) -> tuple[str, ...]:
    """The labels that examples of one verdict give a field, when there are several and each is a word or two."""
    shown = [leaf.text.strip() for leaf in (node, *twins) if isinstance(leaf, Leaf) and leaf.quoted]
    labels = tuple(dict.fromkeys(shown))
    worded = all(re.fullmatch(r"[A-Za-z][\w-]{0,30}(?:[ -][\w-]{1,20})?", label) for label in labels)
    return labels if worded and 1 < len(labels) <= 6 else ()


def leaf_kind(name: str, leaf: Leaf, about: str) -> ValueKind:
    """What a shown value is, from the value, then from what is said of it, then from its name."""
    text = leaf.text.strip()
    if is_reason(name) and not is_rating(name):
        said = read_kind(about) if about else UNKNOWN
        return said if said.type == "array" else ValueKind(type="string", nullable=said.nullable)
    long_prose = leaf.quoted and len(text.split()) > 9
    kind = (
        UNKNOWN
        if long_prose and not re.search(r"\bone of\b|\beither\b|\|", text)
        else read_kind(text, whole=True)
    )
    if long_prose and is_rating(name):
        kind = read_kind(text)
    if kind.type == "boolean" and leaf.quoted and not is_rating(name):
        kind = read_kind(text, whole=True, booleans=False) if re.search(r"\W", text.strip()) else kind
    said = read_kind(about) if about else UNKNOWN
    if kind.options and not kind.numeric and said.numeric and is_rating(name):
        return said
    if kind.bounded or kind.type in {"boolean", "array"}:
        return kind
    if kind.numeric:
        return merge(kind, said) if said.numeric else kind
    if not (leaf.quoted or kind.known or said.known) and is_rating(text) and len(text.split()) < 4:
        return ValueKind(type="integer", assumed=True)  # `"accuracy": <score>`
    if said.known and (said.bounded or said.type != "string"):
        return said
    if (
        is_rating(name)
        and not said.known
        and not (leaf.quoted and re.fullmatch(r"[A-Za-z][A-Za-z ]{2,30}", text))
    ):
        return ValueKind(type="integer", assumed=True) if not kind.known else kind
    return kind if kind.known else ValueKind(type="string")


def merge(kind: ValueKind, said: ValueKind) -> ValueKind:
    """A bare number's place takes the bounds that the prose gives it."""
    if not said.bounded:
        return said if said.type == "number" else kind
    if kind.type == "number" and said.type == "integer" and not said.options:
        return replace(said, type="number")
    return said


def _list_part(name: str, node: ListNode, about: str) -> ContractPart:
    said = read_kind(about) if about else UNKNOWN
    objects = [element for element in node.elements if isinstance(element, ObjectNode)]
    items: dict[str, Json]
    if objects:
        items = object_schema({child.name: part_schema(_part(child, "", [])) for child in objects[0].entries})
    elif node.elements and isinstance(node.elements[0], Leaf):
        first = node.elements[0]
        kind = UNKNOWN if first.quoted else read_kind(first.text, whole=True)
        items = part_schema(ContractPart(name=name, kind=kind)) if kind.known else {"type": "string"}
    else:
        items = {"type": "string"}
    shape: dict[str, Json] = {"type": "array", "items": items}
    count = said.count or _labelled_count(node)
    if count is not None:
        shape |= {"minItems": count, "maxItems": count}
    return ContractPart(name=name, shape=shape, says=about)


def _labelled_count(node: ListNode) -> int | None:
    """`["Fact: …", "Conclusion: …", "Score: …"]`: each element has a name of its own, so their number is fixed."""
    if node.open_ended or len(node.elements) < 3:
        return None
    heads = [
        match[1].lower()
        for element in node.elements
        if isinstance(element, Leaf) and (match := re.match(r"\A\s*([A-Za-z][\w ]{1,30}):", element.text))
    ]
    return len(heads) if len(set(heads)) == len(node.elements) else None
