"""Python's own ways to fill in a template, and ours: `str.format`, `%` and `string.Template` give the same text.

Only what Python takes is drawn: where it refuses a lone brace, per cent or dollar sign, we send it as it stands.
"""

import random
import string

from template_values import SPACE, drawn_values

from adjudge import templates

PAIRS = 600

TEXTS = ["question", "answer", "empty"]
NUMBERS = ["count", "zero"]
MEMBERS = ["person[name]", "person[home][city]", "pair[0]", "pair[1]", "two[0][title]", "two[1][rank]"]
LITERAL = ["", "text", "Q:", "a b", "é", ".", "- ", "<b>", "'", '"', "(", "a_b", "# T", "漢"]
TEXT_SPECS = [
    "",
    "",
    ":>12",
    ":<9",
    ":^11",
    ":*<8",
    ":.3",
    ":.^9.2",
    ":>3s",
    "!r",
    "!s",
    "!a",
    "!r:>14",
    ":s",
]
NUMBER_SPECS = ["", "", ":d", ":05d", ":+d", ":,", ":>8d", ":x", ":X", ":o", ":b", ":.2f", ":8.3f", ":e", ":.1%", ":g", ":_", "!r", "!s:>7", ":#x", ":=+6d"]  # fmt: skip
JSON = ['{{"score": 1}}', '{{"a": {{"b": [1, 2]}}}}', "{{}}", '{{\n  "score": {count},\n  "reason": "{answer}"\n}}', "[{{}}, {{}}]"]  # fmt: skip


def filler(source, *others):
    """Literal text between two tags that cannot be taken for a part of them."""
    return f"{source.choice(SPACE)}{source.choice([*LITERAL, *others])}{source.choice(SPACE)}"


def drawn(seed, tag, *others):
    source = random.Random(seed)
    parts = [filler(source, *others)]
    for _ in range(source.randrange(1, 7)):
        parts += [tag(source), source.choice([" ", "\n", ", ", ") "]), filler(source, *others)]
    return "".join(parts), drawn_values(source)


def ours(template, dialect, values):
    (message,) = templates.render(template, dialect, values)
    return message.content


def format_field(source):
    draw = source.random()
    if draw < 0.45:
        return f"{{{source.choice(TEXTS)}{source.choice(TEXT_SPECS)}}}"
    if draw < 0.8:
        return f"{{{source.choice(NUMBERS)}{source.choice(NUMBER_SPECS)}}}"
    return f"{{{source.choice(MEMBERS)}}}"


def test_str_format_and_we_write_the_same_text():
    for seed in range(PAIRS):
        template, values = drawn(seed, format_field, *JSON)
        assert ours(template, "python", values) == template.format(**values), template


def percent_tag(source):
    name = source.choice(TEXTS)
    if source.random() < 0.5:
        return f"%({name}){source.choice(['s', 's', 's', '10s', '-8s', '.3s', '-9.2s', 'r'])}"
    number = source.choice(
        ["d", "i", "5d", "05d", "-6d", "+d", "f", ".2f", "8.3f", "e", ".1e", "g", "s", "r"]
    )
    return f"%({source.choice(NUMBERS)}){number}"


def test_percent_with_names_and_we_write_the_same_text():
    for seed in range(PAIRS):
        template, values = drawn(seed, percent_tag, "100%% ", "%%", "{x}", "$x")
        assert ours(template, "printf", values) == template % values, template


def place_tag(source):
    label = source.choice(["", "Question: ", "\nAnswer:\n", "<text>", "[Score] "])
    return label + source.choice(["%s", "%s", "%d", "%5d", "%.2f", "%-6s|", "%i"])


def test_percent_in_order_and_we_write_the_same_text():
    for seed in range(PAIRS):
        template, _ = drawn(seed, place_tag, "100%% ", "%%")
        source = random.Random(seed)
        names = [reference.name for reference in templates.inputs(template, "printf")]
        arguments = tuple(source.choice([0, 7, -3, 123456]) for _ in names)
        values = dict(zip(names, arguments, strict=True))
        assert ours(template, "printf", values) == template % arguments, template


def dollar_tag(source):
    name = source.choice(TEXTS + NUMBERS)
    return source.choice([f"${name}", f"${{{name}}}"])


def test_string_template_and_we_write_the_same_text():
    for seed in range(PAIRS):
        template, values = drawn(seed, dollar_tag, "$$", "$$5", "{x}", "%s", "100%", '{"a": 1}')
        assert ours(template, "shell", values) == string.Template(template).substitute(values), template
