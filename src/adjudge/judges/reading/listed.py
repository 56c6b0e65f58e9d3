"""Parts of a reply that a prompt names one by one: in a list, under headings, in sentences."""

import re

from adjudge.judges.reading.kinds import ValueKind, read_kind
from adjudge.judges.reading.names import REFERENCE, has_role, is_label, is_rating, is_reason, snake_case
from adjudge.judges.reading.parts import ContractPart, FoundContract
from adjudge.judges.reading.shape import leaf_kind
from adjudge.judges.reading.skeleton import Leaf
from adjudge.judges.reading.textual import text_part
from adjudge.patterns import lazy_pattern
from adjudge.records import Form

_JSON = lazy_pattern(r"\bjson\b|\bdictionary\b", re.IGNORECASE)
_JSON_ANNOUNCED = lazy_pattern(
    r"\b(?:JSON|dictionary|dict|object)\b[^\n]{0,200}?(?:\b(?:keys?|fields?|propert(?:y|ies)|attributes?|elements?|entries|following|contain(?:s|ing)?|includ(?:es|ing)|with)\b|:)"
    r"|\b(?:keys?|fields?|properties)\b[^\n]{0,80}\b(?:JSON|dictionary|dict)\b",
    re.IGNORECASE,
)
_ANNOUNCED = lazy_pattern(
    r"^(?=[^\n]{0,300}:[ \t*]*$)[^\n]{0,200}\b(?:provide|include|output|respond|write|give|return|produce|contain|structure|format|sections?|parts|headings|report|follows|expected to)\b[^\n]{0,200}$",
    re.IGNORECASE | re.MULTILINE,
)
_NOT_PARTS = lazy_pattern(
    r"\b(?:criteria|criterion|aspects?|factors?|dimensions?|consider|rubric|scale|guidelines|rules|steps|instructions|inputs?|given|options|labels|based on|whether|if|when|true|(?:may|might|can|could)[ ](?:also[ ])?(?:include|contain))\b",
    re.IGNORECASE,
)
_ITEM = lazy_pattern(
    r"^[ \t>]{0,3}(?:[-*•+]|\d{1,2}[.)]|(?P<heading>#{1,4})(?:[ \t]+\d{1,2}[.)])?)[ \t]+[`\"'*_]{0,4}(?:(?:an?|the|your|one)[ \t]+)?[`\"'*_]{0,4}"
    r"(?P<name>[A-Za-z_][\w /&-]{1,50}?)[`\"'*_]{0,4}[ \t]*(?P<aside>[\[(<][^\])>\n]{1,160}[\])>])?[`\"'*_]{0,4}[ \t]*"
    r"(?:(?:[:=–—]|(?<!\w)-)+[`\"'*_]{0,4}[ \t]*(?P<text>[^\n]{0,500})"
    r"|\b(?P<rest>(?:explaining|justifying|describing|summarizing|of|that|for|with|to|in|is|key|field|property|attribute)\b[^\n]{0,500})|[.]?[ \t]*)(?<!\?)$",
    re.IGNORECASE,
)
_NAMED = lazy_pattern(r"[`\"'“‘*]{1,2}(?P<name>[A-Za-z_][A-Za-z0-9_ -]{0,40}?)[`\"'”’*]{1,2}")
_NEXT_NAME = lazy_pattern(
    r"[,;]?(?<!\s)\s++and\s+(?:an?\s+|the\s+)?[`\"'“](?![^`\"'”\n]{1,20}[`\"'”]\s*\))|[;\n]|,\s+[`\"'“][a-z_]+[`\"'”]\s*[:(]"
)
_LEAD = lazy_pattern(
    r"^\s*(?:(?:the|exactly|these|following|only|one|two|three|four|five|\d|an?|has|have|keys?|fields?|properties|attributes|elements|entries|called|named|in it)\b\s*)*:?",
    re.IGNORECASE,
)
_PLAIN_NAME = r"(?:an?\s|the\s)?([A-Za-z_]\w{0,40})(\s?\([^()\n]{1,160}\))?"
_PLAIN_LIST = lazy_pattern(
    rf"\s{{0,2}}{_PLAIN_NAME}(?:\s{{0,2}}(?:,\s{{0,2}}and\b|,|\band\b|&)\s{{1,2}}{_PLAIN_NAME}){{1,12}}"
)
_SENTENCE_END = lazy_pattern(r"\n\s*\n|(?<=[\w)\"'`])\.(?:\s|$)")
_SEVERAL = lazy_pattern(
    r"^\W*(?:list|enumerate|name|bullet)\b|^\W*(?:suggest|provide|give|identify|offer|mention|include)\s+(?:up to\s+|at least\s+)?(?:\d|two|three|several|a few|some|one or two|any)",
    re.IGNORECASE,
)
_PLURAL = lazy_pattern(r"(?<![siu])(?<!\bthought)(?<!\bcomment)s$", re.IGNORECASE)
_CALLED = lazy_pattern(
    r"\b(?:section|part|heading|block)s?[ ](?:called|named|titled|labell?ed|headed)[ ]"
    r"(?:[\"'`*“]{1,2}(?P<quoted>[^\"'`*”\n]{2,40})[\"'`*”]{1,2}|(?P<capitals>[A-Z][A-Z]+(?:[ _-][A-Z]+){0,4})\b)"
)
_FIELD = lazy_pattern(
    r"(?:\b(?:in|to|into|under|as|for|use|fill)[ ](?:the[ ])?)?[`\"']{1,2}(?P<quoted>[A-Za-z]\w{1,40})[`\"']{1,2}[ ](?:field|key|property)\b"
    r"|\b(?:in|to|into|under)[ ]the[ ](?P<bare>[A-Za-z]\w{1,40})[ ](?:field|key|property)\b"
    r"|\b[Ss]et[ ][`\"']{1,2}(?P<set>[A-Za-z]\w{1,40})[`\"']{1,2}[ ](?:to|as)\b"
    r"|\b(?:in|under|into)[ ](?:the[ ])?[`\"']{1,2}(?P<under>[A-Za-z]\w{1,40})[`\"']{1,2}(?=[.,;\n ])"
    r"|\b[Ff]or[ ]the[ ](?P<asked>score|rating|verdict|label|decision|grade),[ ](?:respond|answer|reply|write|give|use|output)\b"
)


def find_described_json(text: str) -> FoundContract | None:
    """A JSON verdict that is described and not shown, the last description first: `with the keys "score" (1-5) and "reason"`."""
    for announced in reversed(list(_JSON_ANNOUNCED.finditer(text))):
        items, end = _items(text, max(text.find("\n", announced.end()), announced.end()))
        listed = [_json_part(item["name"], item["aside"] or "", said) for item, said in items]
        if found := _contract("json", listed, announced.start(), end):
            return found
        sentence = _SENTENCE_END.search(text, announced.end())
        end = min(sentence.start() if sentence else len(text), announced.end() + 800)
        rest = _LEAD.sub("", text[announced.end() : end], count=1)
        if not REFERENCE.search(rest):
            for told in (_quoted_names(rest), _plain_names(rest)):
                if found := _contract("json", told, announced.start(), end):
                    return found
    return None


def _quoted_names(rest: str) -> list[ContractPart]:
    parts: list[ContractPart] = []
    for match in _NAMED.finditer(rest):
        name = match["name"].strip()
        # What follows a name may quote the options that are its own: `"verdict": "yes" or "no"`.
        if not any(name == option for part in parts for option in part.kind.options):
            after = rest[match.end("name") + 1 : match.end("name") + 240]
            parts.append(_json_part(name, "", _NEXT_NAME.split(after, maxsplit=1)[0]))
    return parts


def _plain_names(rest: str) -> list[ContractPart]:
    listed = _PLAIN_LIST.match(rest)
    named = (
        re.findall(rf"{_PLAIN_NAME}(?:\s{{0,2}}(?:,|\band\b|&|$)\s{{0,2}})+", listed[0] + ",")
        if listed
        else []
    )
    return [_json_part(name, aside, "") for name, aside in named if name not in {"and", "a", "an", "the"}]


def _json_part(name: str, aside: str, said: str) -> ContractPart:
    clean, about = re.sub(r"[ /&-]", "_", name.strip()), f"{aside} {said}".strip()
    return ContractPart(name=clean, kind=leaf_kind(clean, Leaf(text="", quoted=False), about), says=about)


def find_sections(text: str) -> FoundContract | None:
    """The sections a reply should have, from the last list that announces them: `1. **Strengths**: List 2-3 …`, `# Score`."""
    for announced in reversed(list(_ANNOUNCED.finditer(text))):
        items, end = ([], 0) if _NOT_PARTS.search(announced[0]) else _items(text, announced.end())
        parts = [_section(item, said) for item, said in items]
        if len(parts) > 1 and (found := _contract("sections", parts, announced.start(), end)):
            return found
    return None


def _section(item: re.Match[str], said: str) -> ContractPart:
    spoken = re.sub(r"^(?:brief|short|concise)\s", "", item["name"].strip(), flags=re.IGNORECASE)
    name, about = snake_case(spoken), f"{item['aside'] or ''} {said}".strip()
    kind = ValueKind(type="string")
    if is_rating(name) or (is_label(name) and not is_reason(name)):
        read = read_kind(about, booleans=False)
        kind = read if read.decides else ValueKind(type="integer", assumed=True) if is_rating(name) else kind
    elif _SEVERAL.match(said) or (not item["heading"] and _PLURAL.search(spoken)):
        kind = ValueKind(type="array")
    return ContractPart(name=name, kind=kind, says=about, labels=(name.replace("_", " "),))


def _items(text: str, start: int) -> tuple[list[tuple[re.Match[str], str]], int]:
    """The items of the list on the lines that follow, each with what is said of it, and where the list ends."""
    items: list[tuple[re.Match[str], str]] = []
    position, blank = start, 0
    for line in text[start : start + 6000].split("\n")[1:]:
        first = items[0][0] if items else None
        item = _ITEM.match(line)
        if REFERENCE.search(line):
            break
        if not line.strip():
            blank += 1
            if blank > 2 + 2 * len(items):
                break
        elif item and (first is None or item["heading"] == first["heading"]):
            items.append((item, item["text"] or item["rest"] or ""))
        elif first and line.startswith(("  ", "\t")):
            pass
        elif first and first["heading"]:
            last, said = items[-1]
            items[-1] = (last, f"{said} {line}".strip())
        else:
            break
        position += len(line) + 1
    return items, position


def find_called_sections(text: str) -> FoundContract | None:
    """`In a section called SCORE, give …`."""
    found = list(_CALLED.finditer(text))
    names = dict.fromkeys((match["quoted"] or match["capitals"]).strip() for match in found)
    parts = [text_part(name, "", text) for name in names]
    return (
        _contract("sections", parts, found[0].start(), found[-1].end(), guess=True)
        if len(parts) > 1
        else None
    )


def find_named_fields(text: str) -> FoundContract | None:
    """`Write your reasoning in "explanation"`, `set "choice" to one of …`, `the verdict field`."""
    found = [match for match in _FIELD.finditer(text) if not REFERENCE.search(match[0])]
    filled = {match[1].lower() for match in REFERENCE.finditer(text)}
    names = dict.fromkeys(
        name for match in found for name in match.groups() if name and name.lower() not in filled
    )
    if len(names) < 2 or not any(is_rating(name) or is_label(name) for name in names):
        return None
    if not all(has_role(name) or "_" in name for name in names):
        return None
    parts = [text_part(name, "", text) for name in names]
    form: Form = "json" if _JSON.search(text) else "sections"
    return _contract(form, parts, found[0].start(), found[-1].end(), guess=True)


def _contract(
    form: Form, listed: list[ContractPart], start: int, end: int, *, guess: bool = False
) -> FoundContract | None:
    """The contract of these parts, if they may well be those of a verdict."""
    parts = tuple({part.name: part for part in reversed(listed)}.values())[::-1]
    named = any(has_role(part.name) for part in parts)
    decided = any(part.kind.decides for part in parts)
    if (
        not (named or decided)
        or len(parts) > 20
        or (form == "sections" and (not named or len(parts) < len(listed)))
    ):
        return None
    if len(parts) == 1 and not (is_rating(parts[0].name) or is_label(parts[0].name) or decided):
        return None
    return FoundContract(form=form, parts=parts, start=start, end=end, guess=guess)
