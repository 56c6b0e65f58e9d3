"""A prompt without a placeholder -> the inputs that its text announces, and the message that carries them.

Such a text is a system prompt whose material comes in another message. What it calls that material stands in the sentence
that hands it over ("You will be given a question and an answer", "provided below in an <output> tag").
"""

import re
from collections.abc import Mapping

from adjudge.judges.reading.inputs import may_lack
from adjudge.judges.reading.names import snake_case
from adjudge.patterns import lazy_pattern
from adjudge.records import Input, PromptMessage

_HANDS_OVER = lazy_pattern(
    r"\b(?:given|provided?|shown|presented|receives?|following|below|consider(?:ing)?|attached|supplied|inputs? (?:data )?(?:are|is|include|consist))\b",
    re.IGNORECASE,
)
_SENTENCE = lazy_pattern(r"[^\n.!?]{1,1000}")
_NOUNS: tuple[tuple[str, str], ...] = (
    (
        "reference",
        r"[\"“]?(?:reference|gold|golden|ground[ -]truth|expected|correct|ideal|target)[\"”]? (?:answers?|responses?|outputs?|solutions?|summar(?:y|ies))|ground[ -]truths?|reference",
    ),
    ("tool_calls", r"tool[ -]calls?"),
    ("messages", r"conversations?|dialogues?|chat (?:history|transcript)s?|transcripts?"),
    ("context", r"contexts?|documents?|passages?|articles?|source (?:texts?|documents?)|knowledge"),
    (
        "response",
        r"(?:(?:new|model|model's|student|student's|assistant|candidate|submitted|generated|ai|chatbot|agent) )?(?:answers?|responses?|outputs?|completions?|submissions?)",
    ),
    (
        "question",
        r"questions?|(?:user )?quer(?:y|ies)|user (?:inputs?|prompts?|requests?|messages?)|instructions?|prompts?",
    ),
)
_NOUN = lazy_pattern("|".join(rf"(?P<{field}>\b(?:{words})\b)" for field, words in _NOUNS), re.IGNORECASE)
_IN_TAG = lazy_pattern(r"[^<>.]{0,80}?\bin (?:an? |the |their )?[`\"\']?<(?P<tag>[A-Za-z][\w-]{0,40})>")

_USUAL: tuple[tuple[str, bool], ...] = (
    ("question", False),
    ("response", True),
    ("reference", False),
    ("context", False),
    ("tool_calls", False),
)
"""What is sent where the text announces nothing: the response, and of the rest what the case has."""


def announced_inputs(outline: str) -> tuple[Input, ...]:
    """The inputs that a text without placeholders announces; the usual ones where it announces nothing."""
    found: dict[str, Input] = {}
    for sentence in _SENTENCE.finditer(outline):
        if not _HANDS_OVER.search(sentence[0]):
            continue
        for noun in _NOUN.finditer(sentence[0]):
            field = str(noun.lastgroup)
            if field in found or sentence[0][: noun.start()].lower().endswith("your "):
                continue
            tagged = _IN_TAG.match(sentence[0], noun.end())
            between = "" if tagged is None else sentence[0][noun.end() : tagged.start("tag")]
            name = (
                snake_case(tagged["tag"])
                if tagged is not None and not _NOUN.search(between)
                else _singular(noun[0])
            )
            found[field] = Input(name=name, required=not may_lack(name, outline), source=field)
    if not found.keys() & {"response", "messages", "tool_calls"}:
        return tuple(Input(name=name, required=required, source=name) for name, required in _USUAL)
    if "messages" in found:
        # a conversation holds its questions and answers
        return tuple(
            item if field == "messages" else Input(name=item.name, required=False, source=item.source)
            for field, item in found.items()
        )
    return tuple(found.values())


def _singular(noun: str) -> str:
    name = snake_case(noun)
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def attachment(inputs: tuple[Input, ...]) -> PromptMessage:
    """The message that holds these inputs, each between marks that its text cannot contain."""
    pieces = [_PIECE[item.required or item.default is not None] % {"name": item.name} for item in inputs]
    return PromptMessage(role="user", text="".join(pieces), dialect="handlebars", attached=True)


_PIECE: Mapping[bool, str] = {
    True: "{{ fenced.%(name)s }}\n",
    False: "{{#if %(name)s}}{{ fenced.%(name)s }}\n{{/if}}",
}
