"""Where cards are kept: a folder beside the store, one JSON file for each judge, model and snapshot."""

import os
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import orjson

from adjudge.analysis.certification.records import JudgeCard
from adjudge.documents.records_json import records_json
from adjudge.errors import StoreError
from adjudge.options import DEFAULT_STORE
from adjudge.records import Json
from adjudge.store.places import database_file
from adjudge.store.trust import remember

FOLDER = "cards"
FORMAT = 1


def shelf_of(store: str | Path) -> Path:
    """Beside the store's file; a store on a server has no folder, so its cards are in the default one."""
    file = database_file(store)
    return (Path(DEFAULT_STORE) if file is None else file.parent) / FOLDER


def keep_card(card: JudgeCard, shelf: Path) -> Path:
    """In one step: a reader sees the old card or the new one, never half of either."""
    path = shelf / _file_name(card)
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        write_whole(path, orjson.dumps(card_json(card), option=orjson.OPT_INDENT_2))
    except OSError as error:
        raise StoreError(
            str(shelf),
            f"the card could not be written ({error.strerror or error})",
            "check the folder and the disk, or name another store",
        ) from None
    remember(card.card_id, path)
    return path


def find_card(shelf: Path, *, judge_hash: str, model: str) -> JudgeCard | None:
    """The latest for this judge and model, whatever the snapshot."""
    of_model = [card for card in find_cards(shelf, judge_hash=judge_hash) if card.model == model]
    return of_model[0] if of_model else None


def find_cards(shelf: Path, *, judge_hash: str) -> list[JudgeCard]:
    """All of one judge, the latest first; a file that is no card is passed over."""
    found: list[JudgeCard] = []
    for path in sorted(shelf.glob("*.json")):
        if f"-{judge_hash}-" not in path.name:
            continue
        try:
            card = read_card(orjson.loads(path.read_bytes()))
        except (OSError, orjson.JSONDecodeError, msgspec.ValidationError):
            continue
        if card.judge_hash == judge_hash:
            found.append(card)
    return sorted(found, key=lambda card: card.at, reverse=True)


def write_whole(path: Path, data: bytes) -> None:
    """Written beside it and moved into place."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def card_json(card: JudgeCard) -> dict[str, Json]:
    """What `--json` prints and a file holds."""
    found = records_json(card)
    assert isinstance(found, dict)
    return {"format": FORMAT, **found}


def read_card(found: Mapping[str, Any]) -> JudgeCard:
    """A card from its JSON, its parts checked: a file that came with a repository can hold anything."""
    card = msgspec.convert(found, JudgeCard)
    if found.get("format") != FORMAT or not _is_part(dict(found), card_json(card)):
        raise msgspec.ValidationError(f"has parts that a card of format {FORMAT} has not")
    return card


def _is_part(some: Json, whole: Json) -> bool:
    """Whether all that is written here is written there; what is left out has its default value."""
    if isinstance(some, dict) and isinstance(whole, dict):
        return all(name in whole and _is_part(value, whole[name]) for name, value in some.items())
    if isinstance(some, list) and isinstance(whole, list):
        return len(some) == len(whole) and all(map(_is_part, some, whole))
    return some == whole


def _file_name(card: JudgeCard) -> str:
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in card.judge)[:60]
    return f"{name}-{card.judge_hash}-{_digest(card.model)}-{_digest(card.snapshot or '')}.json"


def _digest(text: str) -> str:
    """A model's name may hold what no file name can."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
