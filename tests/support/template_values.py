"""Values for generated templates, drawn from a seed: strings and integers to write, lists and objects to go through."""

import random

WORDS = (
    "", "a", "word", "two words", "<b>&amp;\"'", "{{question}}", "{{#docs}}", "}}", "{% if %}", "${x}", "é 漢 😀", " padded ",
    "line\nline", "\n", "\\", "\\{{", "0", "false", "null", "[]", "%s", "{x}", "|", "\t",
)  # fmt: skip
SPACE = ("", "", "", " ", "  ", "\n", "\n", "\n\n", "\n  ", " \n", "\t", "\r\n", " \r\n ")
LITERAL = (
    "",
    "text",
    "Q:",
    "a b",
    "é",
    ".",
    "- ",
    "{ ",
    " }",
    '{"a": 1 }',
    "$x",
    "%s",
    "<b>",
    "\\ ",
    "'",
    '"',
)


def drawn_values(source: random.Random) -> dict[str, object]:
    """One case's values; the same names and shapes each time, so that every name a template uses has a value."""

    def text() -> str:
        return source.choice(WORDS) + source.choice(WORDS)

    def number() -> int:
        return source.choice((0, 1, 2, 7, -3, 10, 123456))

    def strings() -> list[object]:
        return [source.choice((text(), number())) for _ in range(source.randrange(4))]

    def document() -> dict[str, object]:
        return {
            "title": text(),
            "rank": number(),
            "hot": source.random() < 0.5,
            "tags": strings(),
            "author": {"name": text(), "age": number()},
        }

    return {
        "question": text(),
        "answer": text(),
        "count": number(),
        "zero": 0,
        "empty": "",
        "yes": True,
        "no": False,
        "nothing": [],
        "words": strings(),
        "pair": [text() or "x", number()],
        "docs": [document() for _ in range(source.randrange(4))],
        "two": [document(), document()],
        "person": {"name": text(), "age": number(), "home": {"city": text()}, "tags": strings()},
    }


def drawn_filler(source: random.Random) -> str:
    """Literal text and white space between two tags."""
    return source.choice(SPACE) + source.choice(LITERAL) * (source.random() < 0.5) + source.choice(SPACE)
