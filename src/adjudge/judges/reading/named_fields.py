"""Parts of a reply that a prompt names in headings and sentences: `# Score`, `a section called GRADE`, `in the explanation field`."""

import re

from adjudge.judges.reading.names import REFERENCE, has_role, is_label, is_rating
from adjudge.judges.reading.parts import ContractPart, FoundContract
from adjudge.judges.reading.textual import text_part
from adjudge.records import Form

_ANNOUNCED = re.compile(
    r"^(?=[^\n]{0,400}:[ \t*]*$)[^\n]{0,300}\b(?:parts?|sections?|format|report|structure|follows|headings)\b[^\n]{0,100}$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(r"^(?P<level>#{1,4})[ \t]+(?P<name>[^\n⟦#]{2,60}?)[ \t]*#{0,4}[ \t]*$", re.MULTILINE)
_CALLED = re.compile(
    r"\b(?:section|part|heading|block)s?[ ](?:called|named|titled|labell?ed|headed)[ ]"
    r"(?:[\"'`*“]{1,2}(?P<quoted>[^\"'`*”\n]{2,40})[\"'`*”]{1,2}|(?P<capitals>[A-Z][A-Z]+(?:[ _-][A-Z]+){0,4})\b)"
)
_FIELD = re.compile(
    r"(?:\b(?:in|to|into|under|as|for|use|fill)[ ](?:the[ ])?)?[`\"']{1,2}(?P<quoted>[A-Za-z]\w{1,40})[`\"']{1,2}[ ](?:field|key|property)\b"
    r"|\b(?:in|to|into|under)[ ]the[ ](?P<bare>[A-Za-z]\w{1,40})[ ](?:field|key|property)\b"
    r"|\b[Ss]et[ ][`\"']{1,2}(?P<set>[A-Za-z]\w{1,40})[`\"']{1,2}[ ](?:to|as)\b"
    r"|\b(?:in|under|into)[ ](?:the[ ])?[`\"']{1,2}(?P<under>[A-Za-z]\w{1,40})[`\"']{1,2}(?=[.,;\n ])"
    r"|\b[Ff]or[ ]the[ ](?P<asked>score|rating|verdict|label|decision|grade),[ ](?:respond|answer|reply|write|give|use|output)\b"
)
_JSON = re.compile(r"\bjson\b|\bdictionary\b", re.IGNORECASE)


def find_headings(text: str) -> FoundContract | None:
    """The headings that a reply should have, from the last place that announces them."""
    for announced in reversed(list(_ANNOUNCED.finditer(text))):
        first = _HEADING.match(text, len(text) - len(text[announced.end() :].lstrip()))
        if first is None:
            continue
        found = [first]
        for match in _HEADING.finditer(text, first.end()):
            if match["level"] != first["level"]:
                break
            found.append(match)
        last = text.find("\n\n", found[-1].end() + 2)
        ends = [*(match.start() for match in found[1:]), last if last > 0 else len(text)]
        below = [text[match.end() : end].strip() for match, end in zip(found, ends, strict=True)]
        names = [match["name"].strip(" *:") for match in found]
        if len(found) < 2 or not any(map(has_role, names)) or any(map(REFERENCE.search, below)):
            continue
        parts = tuple(
            text_part(name, said.split("\n\n", 1)[0] if said.startswith("[") else "", text)
            for name, said in zip(names, below, strict=True)
        )
        return _contract("sections", parts, announced.start(), ends[-1], guess=False)
    return None


def find_called_sections(text: str) -> FoundContract | None:
    """`In a section called SCORE, give …`."""
    found = list(_CALLED.finditer(text))
    names = dict.fromkeys((match["quoted"] or match["capitals"]).strip() for match in found)
    if len(names) < 2:
        return None
    parts = tuple(text_part(name, "", text) for name in names)
    return _contract("sections", parts, found[0].start(), found[-1].end())


def find_named_fields(text: str) -> FoundContract | None:
    """`Write your reasoning in "explanation"`, `set "choice" to one of …`, `the verdict field`."""
    found = [match for match in _FIELD.finditer(text) if not REFERENCE.search(match[0])]
    names = dict.fromkeys(name for match in found for name in match.groups() if name)
    filled = {match[1].lower() for match in REFERENCE.finditer(text)}
    named = [name for name in names if name.lower() not in filled]
    if len(named) < 2 or not any(is_rating(name) or is_label(name) for name in named):
        return None
    if not all(has_role(name) or "_" in name for name in named):
        return None
    parts = tuple(text_part(name, "", text) for name in named)
    return _contract("json" if _JSON.search(text) else "sections", parts, found[0].start(), found[-1].end())


def _contract(
    form: Form, parts: tuple[ContractPart, ...], start: int, end: int, *, guess: bool = True
) -> FoundContract | None:
    if len({part.name for part in parts}) != len(parts):
        return None
    return FoundContract(form=form, parts=parts, start=start, end=end, guess=guess)
