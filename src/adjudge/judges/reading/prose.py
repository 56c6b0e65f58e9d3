"""JSON that a prompt describes in words: `a JSON object with the keys "score" (1-5) and "reason"`."""

import re

from adjudge.judges.reading.kinds import ValueKind, read_kind
from adjudge.judges.reading.names import REFERENCE, has_role, is_label, is_rating, is_reason
from adjudge.judges.reading.parts import ContractPart, FoundContract

_ANNOUNCED = re.compile(
    r"\b(?:JSON|dictionary|dict|object)\b[^\n]{0,200}?(?:\b(?:keys?|fields?|propert(?:y|ies)|attributes?|elements?|entries|following|contain(?:s|ing)?|includ(?:es|ing)|with)\b|:)"
    r"|\b(?:keys?|fields?|properties)\b[^\n]{0,80}\b(?:JSON|dictionary|dict)\b",
    re.IGNORECASE,
)
_BULLET = re.compile(
    r"^[ \t>]*(?:[-*•+]|\d{1,2}[.)])[ \t]+(?:(?:[Aa]n?|[Tt]he|[Oo]ne)[ \t]+(?=[`\"'*]))?[`\"'*_]{0,4}(?P<name>[A-Za-z_][A-Za-z0-9_]{0,40}(?:[ -][A-Za-z0-9_]{1,20}){0,2})[`\"'*_]{0,4}[ \t]*"
    r"(?P<aside>[\[(<][^\])>\n]{1,160}[\])>])?[`\"'*_]{0,4}[ \t]*(?:[:=–—-]+|\bis\b|$|(?:key|field|property|attribute)\b[ \t]*(?:[:=–—,-]+|\b(?:is|with|for|that|which|whose|containing|holding)\b|$))[`\"'*_]{0,4}[ \t]*(?P<text>[^\n]{0,500})$"
)
_NAMED = re.compile(
    r"[`\"'“‘*]{1,2}(?P<name>[A-Za-z_][A-Za-z0-9_ -]{0,40}?)[`\"'”’*]{1,2}(?P<colon>\s{0,2}:)?(?P<after>\s{0,2}\([^()\n]{1,200}\)|[^`\"'“‘*\n]{0,160})"
)
_LEAD = re.compile(
    r"^\s*(?:(?:the|exactly|these|following|only|one|two|three|four|five|\d|an?|has|have|keys?|fields?|properties|attributes|elements|entries|called|named|in it)\b\s*)*:?",
    re.IGNORECASE,
)
_BARE_LIST = re.compile(
    r"^[\s:]{0,4}(?:an?\s|the\s)?(?P<list>[A-Za-z_]\w{0,40}(?:\s?\([^()\n]{1,160}\))?(?:\s{0,2}(?:,\s{0,2}and\b|,|\band\b|&)\s{1,2}(?:an?\s|the\s)?[A-Za-z_]\w{0,40}(?:\s?\([^()\n]{1,160}\))?){1,12})"
)


def find_described_json(text: str) -> FoundContract | None:
    """The verdict that a prompt describes as JSON without showing it; the last description counts."""
    for match in reversed(list(_ANNOUNCED.finditer(text))):
        for read in (_bullets, _inline):
            found = read(text, match)
            if found is not None:
                return found
    return None


def _bullets(text: str, announced: re.Match[str]) -> FoundContract | None:
    line_end = text.find("\n", announced.end())
    if line_end < 0:
        return None
    parts: list[ContractPart] = []
    position = line_end + 1
    blank = 0
    for line in text[line_end + 1 : line_end + 6000].split("\n"):
        match = _BULLET.match(line)
        if match is None:
            if line.strip() and not (parts and line.startswith((" ", "\t"))):
                break
            blank += not line.strip()
            if blank > 1 + len(parts):
                break
        elif REFERENCE.search(line):
            return None
        elif not (parts and line.startswith(("   ", "\t"))):
            parts.append(_part(match["name"], match["aside"] or "", match["text"]))
        position += len(line) + 1
    return _checked(parts, announced.start(), position)


def _inline(text: str, announced: re.Match[str]) -> FoundContract | None:
    rest_end = re.compile(r"\n\s*\n|(?<=[\w)\"'`])\.(?:\s|$)").search(text, announced.end())
    end = min(rest_end.start() if rest_end else len(text), announced.end() + 800)
    rest = text[announced.end() : end]
    rest = _LEAD.sub("", rest, count=1)
    if REFERENCE.search(rest):
        return None
    parts: list[ContractPart] = []
    for match in _NAMED.finditer(rest):
        name = match["name"].strip()
        if name.lower() in {"json", "keys", "fields", "yes", "no", "true", "false"} or len(name.split()) > 3:
            continue
        if any(option == name for part in parts for option in part.kind.options):
            continue  # a value that an earlier field was said to take
        parts.append(_part(name, "", _own_words(rest, match)))
    found = _checked(parts, announced.start(), end)
    if found is not None:
        return found
    if (bare := _BARE_LIST.match(rest)) and re.search(
        r"(?:keys?|fields?|propert|attribut|with|contain|includ)", announced[0], re.IGNORECASE
    ):
        named = re.findall(
            r"(?:\ban?\s|\bthe\s)?([A-Za-z_]\w{0,40})(\s?\([^()\n]{1,160}\))?(?:\s{0,2}(?:,|\band\b|&|$)\s{0,2})+",
            bare["list"] + ",",
        )
        return _checked(
            [_part(name, aside, "") for name, aside in named if name not in {"and", "a", "an", "the"}],
            announced.start(),
            end,
        )
    return None


def _own_words(rest: str, match: re.Match[str]) -> str:
    """What follows a quoted name up to the next one that is a name: the options in `"verdict": "yes" or "no"` belong to it."""
    after = rest[match.end("name") + 1 : match.end("name") + 240]
    stop = re.search(
        r"[,;]?(?<!\s)\s++and\s+(?:an?\s+|the\s+)?[`\"'“](?![^`\"'”\n]{1,20}[`\"'”]\s*\))|[;\n]|,\s+[`\"'“][a-z_]+[`\"'”]\s*[:(]",
        after,
    )
    return after[: stop.start()] if stop else after


def _part(name: str, aside: str, said: str) -> ContractPart:
    about = f"{aside} {said}".strip()
    clean = name.strip().replace(" ", "_").replace("-", "_")
    kind = read_kind(aside, whole=True) if aside else ValueKind()
    if is_reason(clean) and not is_rating(clean):
        plain = read_kind(aside or _in_parentheses(said))
        return ContractPart(
            name=clean, kind=plain if plain.type == "array" else ValueKind(type="string"), says=about
        )
    said_kind = read_kind(about)
    if not kind.bounded and said_kind.known and (said_kind.bounded or not kind.known):
        typed = kind.type
        kind = said_kind
        if typed == "string" and kind.numeric and not is_rating(clean):
            kind = ValueKind(type="string")
    if not kind.known:
        kind = ValueKind(type="integer", assumed=True) if is_rating(clean) else ValueKind(type="string")
    return ContractPart(name=clean, kind=kind, says=about)


def _in_parentheses(said: str) -> str:
    """`(a list of quotes)` right after a name says what it is; further on, parentheses hold remarks."""
    opened = said.lstrip()
    return opened[: opened.find(")") + 1] if opened.startswith("(") else ""


def _checked(parts: list[ContractPart], start: int, end: int) -> FoundContract | None:
    names = [part.name for part in parts]
    unique = [part for index, part in enumerate(parts) if part.name not in names[:index]]
    if not unique or len(unique) > 20:
        return None
    telling = any(has_role(name) for name in names)
    typed = any(part.kind.decides for part in unique)
    if not telling and not typed:
        return None
    if len(unique) == 1 and not (is_rating(names[0]) or is_label(names[0]) or typed):
        return None
    return FoundContract(form="json", parts=tuple(unique), start=start, end=end)
