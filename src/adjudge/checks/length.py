"""Checks of a text by itself or against another: `exact`, `contains`, `regex`, `length`, `language`."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from adjudge.checks.finding import (
    Finding,
    expected_texts,
    failed,
    not_checked,
    passed,
    quoted,
    response_text,
)
from adjudge.checks.language import detected_language
from adjudge.checks.regex import compile_pattern
from adjudge.records import Failed, Json
from adjudge.scoring.text import LETTERS_WITHOUT_SPACES
from adjudge.text import encodable, utf8_size, words

BYTES_PER_TOKEN = 4
LISTED = 5
ABBREVIATIONS = words(
    """mr mrs ms dr prof st jr sr vs eg ie etc fig no vol pp cf al inc ltd co corp dept approx est jan feb mar apr jun jul
    aug sep sept oct nov dec us uk am pm ca bzw zb usw nr"""
)
LONGEST_ABBREVIATION = 12
_SENTENCE_END = re.compile(
    r"(?<![.!?…])(?:(?P<point>\.)(?![.!?…])|[.!?…]++)['\"”’»)\]*_]{0,4}(?:\s{1,4}(?![a-zß-ÿ\s])|$)|[。！？]['\"”’»」』）]{0,4}"
)
_LAST_WORD = re.compile(r"(?<![\w.])[\w.]+$")
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")


def check_exact(fields: Mapping[str, Json], parameters: Mapping[str, Json]) -> Finding | Failed:
    response = response_text(fields)
    expected = expected_texts(fields, parameters.get("text"))
    if not expected:
        return not_checked("missing_input", "`reference` is blank", "reference")
    ignored = _ignored(parameters)
    folded = _fold(response, ignored)
    how = _how(ignored)
    for text in expected:
        if _fold(text, ignored) == folded:
            return passed(f"The response is the expected text {quoted(text)}{how}.", expected=quoted(text))
    wanted = quoted(expected[0]) if len(expected) == 1 else f"any of {_listed(expected)}"
    return failed(
        f"The response {quoted(response)} is not {wanted}{how}.",
        expected=_listed(expected),
        response=quoted(response),
    )


def check_contains(fields: Mapping[str, Json], parameters: Mapping[str, Json]) -> Finding | Failed:
    response = response_text(fields)
    expected = expected_texts(fields, parameters.get("text"))
    if not expected:
        return not_checked("missing_input", "`reference` is blank", "reference")
    ignored = _ignored(parameters)
    folded, how = _fold(response, ignored), _how(ignored)
    need = parameters.get("need") or ("any" if parameters.get("text") is None else "all")
    found = [text for text in expected if _fold(text, ignored) in folded]
    missing = [text for text in expected if text not in found]
    details = {"found": _listed(found) or "none", "not found": _listed(missing) or "none"}
    if need == "none":
        if found:
            return failed(f"The response contains {_listed(found)}{how}.", **details)
        return passed(f"The response contains none of {_listed(expected)}{how}.", **details)
    if missing and (need == "all" or not found):
        return failed(f"The response does not contain {_listed(missing)}{how}.", **details)
    return passed(f"The response contains {_listed(found)}{how}.", **details)


def check_regex(fields: Mapping[str, Json], parameters: Mapping[str, Json]) -> Finding | Failed:
    pattern = str(parameters["pattern"])
    response = encodable(response_text(fields))
    compiled = compile_pattern(pattern)
    whole = parameters["match"] == "full"
    match = compiled.fullmatch(response) if whole else compiled.search(response)
    of_what = "The whole response" if whole else "The response"
    if match is None:
        reason, found = f"{of_what} does not match {quoted(pattern)}", "none"
    else:
        found = quoted(match.group())
        reason = f"{of_what} matches {quoted(pattern)}: {found} at character {match.start() + 1}"
    finding = passed if (match is None) == bool(parameters["absent"]) else failed
    wanted = ", as it should not" if parameters["absent"] and match is None else ""
    unwanted = ", which it should not" if parameters["absent"] and match is not None else ""
    return finding(f"{reason}{wanted}{unwanted}.", pattern=quoted(pattern), match=found)


def check_length(fields: Mapping[str, Json], parameters: Mapping[str, Json]) -> Finding | Failed:
    unit = str(parameters["unit"])
    count = count_units(response_text(fields), unit)
    least, most = parameters.get("min"), parameters.get("max")
    about = "about " if unit == "tokens" else ""
    size = f"The response has {about}{count} {unit if count != 1 else unit.removesuffix('s')}"
    bounds = " and ".join(
        text for text, bound in ((f"at least {least}", least), (f"at most {most}", most)) if bound is not None
    )
    low = isinstance(least, int) and count < least
    high = isinstance(most, int) and count > most
    finding = failed if low or high else passed
    return finding(f"{size}; {bounds} allowed.", count=str(count), allowed=bounds)


def check_language(fields: Mapping[str, Json], parameters: Mapping[str, Json]) -> Finding | Failed:
    wanted = parameters["is"]
    assert isinstance(wanted, list)
    found = detected_language(response_text(fields))
    if found is None:
        return not_checked(
            "abstained", "the response is too short, or too mixed, to tell its language", "cannot_tell"
        )
    named = " or ".join(map(str, wanted))
    finding = passed if found in wanted else failed
    return finding(f"The response is in `{found}`; `{named}` was wanted.", found=found, wanted=named)


def count_units(text: str, unit: str) -> int:
    match unit:
        case "characters":
            return len(text)
        case "words":
            return count_words(text)
        case "sentences":
            return count_sentences(text)
        case _:
            return -(-utf8_size(text) // BYTES_PER_TOKEN)


def count_words(text: str) -> int:
    """Runs of letters and digits; in scripts without spaces each character is one."""
    signs = len(LETTERS_WITHOUT_SPACES.findall(text))
    return signs + sum(1 for _ in _WORD.finditer(LETTERS_WITHOUT_SPACES.sub(" ", text)))


def count_sentences(text: str) -> int:
    """By their ends; each line apart, because an item of a list without a full stop is a sentence too.

    A point after an abbreviation, an initial or before a small letter ends none.
    """
    count = 0
    for line in text.splitlines():
        start = 0
        for end in _SENTENCE_END.finditer(line):
            before = _LAST_WORD.search(line[max(start, end.start() - LONGEST_ABBREVIATION) : end.start()])
            word = "" if before is None else before[0].lower().replace(".", "")
            if end["point"] and (word in ABBREVIATIONS or (len(word) == 1 and word.isalpha())):
                continue
            count += _says_something(line[start : end.end()])
            start = end.end()
        count += _says_something(line[start:])
    return count


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


def _ignored(parameters: Mapping[str, Json]) -> frozenset[str]:
    listed = parameters.get("ignore")
    return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()


def _how(ignored: frozenset[str]) -> str:
    """In the order in which the docs name them."""
    named = [name for name in ("case", "space", "punctuation") if name in ignored]
    return f" ({', '.join(named)} ignored)" if named else ""


def _fold(text: str, ignored: frozenset[str]) -> str:
    """The same text however its characters are composed."""
    text = unicodedata.normalize("NFC", text)
    if "case" in ignored:
        text = text.casefold()
    if "punctuation" in ignored:
        text = "".join(each for each in text if not unicodedata.category(each).startswith("P"))
    return " ".join(text.split()) if "space" in ignored else text


def _listed(texts: Iterable[str]) -> str:
    every = list(texts)
    more = f" and {len(every) - LISTED} more" if len(every) > LISTED else ""
    return ", ".join(map(quoted, every[:LISTED])) + more
