"""An object that is almost JSON -> the object, or nothing: what a repair adds, drops or moves is not accepted."""

import json
import re
from typing import NamedTuple, cast

from adjudge.records import Json
from adjudge.verdicts.decode import DECODER, object_of_pairs
from adjudge.verdicts.scan import Loose

NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d{0,39})(?:\.\d{1,40})?(?:[eE][-+]?\d{1,3})?", re.ASCII)
MAX_REPAIR = 50_000
"""Characters of structure, strings aside, beyond which a broken object is left unread: repair is not linear."""
STAND_IN = "\ue000"
"""Marks the words that stand for strings while the library looks at the structure."""


class RepairedWord(NamedTuple):
    text: str
    is_key: bool


def repaired(found: Loose) -> dict[str, Json] | None:
    """The object, when it can be had without adding, dropping or moving a word of it."""
    if found.end is None or found.mismatched:
        return None
    try:
        value: Json = DECODER.decode("".join(map(_as_json, found.pieces)))
    except (ValueError, RecursionError):
        value = _by_library(found.pieces)
    return value if isinstance(value, dict) else None


def _as_json(piece: str) -> str:
    return json.dumps(piece[1:], ensure_ascii=False) if piece.startswith('"') else piece


def _by_library(pieces: list[str]) -> Json:
    """Have the structure repaired. Strings are replaced before and put back after: their content cannot matter."""
    strings: list[str] = []
    bare: list[str] = []
    for piece in pieces:
        if piece.startswith('"'):
            bare.append(f'"{STAND_IN}{len(strings)}"')
            strings.append(piece[1:])
        else:
            bare.append(piece)
    # A line of its own for each string shows the library where a comma is missing.
    text = "".join(f"\n{piece}\n" if piece.startswith('"') else piece for piece in bare)
    if len(text) > MAX_REPAIR or any(STAND_IN in piece for piece in pieces):
        return None
    import json_repair  # noqa: PLC0415 - off the start-up path; most replies need no repair

    try:
        value = cast("Json", json_repair.loads(text, skip_json_loads=True))
    except (ValueError, RecursionError, IndexError, KeyError, TypeError):
        return None
    if list(_words_of(value)) != _words_in(bare):
        return None
    return _restore(value, strings)


def _words_in(pieces: list[str]) -> list[RepairedWord]:
    """Keys and scalars of the source in order; bare words that nothing parts are one."""
    words: list[RepairedWord] = []
    joins = False
    for piece in pieces:
        if piece == ":" and words:
            words[-1] = RepairedWord(words[-1].text, is_key=True)
        elif piece.startswith('"'):
            words.append(RepairedWord(piece[1:-1], is_key=False))
        elif piece not in "{}[],:":
            word = _spelt(piece.strip())
            if joins:
                words[-1] = RepairedWord(words[-1].text + word, is_key=False)
            else:
                words.append(RepairedWord(word, is_key=False))
        joins = piece not in "{}[],:" and not piece.startswith('"')
    return words


def _words_of(value: Json) -> list[RepairedWord]:
    """The same of what the library made; a value it left empty is no word."""
    words: list[RepairedWord] = []
    todo: list[tuple[Json, bool]] = [(value, False)]
    while todo:
        item, is_key = todo.pop()
        if isinstance(item, dict):
            for key, inner in reversed(item.items()):
                todo += [(inner, False), (key, True)]
        elif isinstance(item, list):
            todo += [(inner, False) for inner in reversed(item)]
        elif item != "":
            text = item if isinstance(item, str) else json.dumps(item)
            words.append(RepairedWord(re.sub(r"\s+", "", _spelt(text)), is_key=is_key))
    return words


def _spelt(word: str) -> str:
    """Numbers in one spelling."""
    return json.dumps(json.loads(word.removeprefix("+"))) if NUMBER.fullmatch(word) else word


def _restore(value: Json, strings: list[str]) -> Json:
    if isinstance(value, str):
        return strings[int(value[1:])] if value.startswith(STAND_IN) else value
    if isinstance(value, list):
        return [_restore(item, strings) for item in value]
    if isinstance(value, dict):
        pairs = [
            (cast("str", _restore(key, strings)), _restore(item, strings)) for key, item in value.items()
        ]
        return object_of_pairs(pairs)
    return value
