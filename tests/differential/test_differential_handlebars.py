"""Handlebars here and in npm's `handlebars`: the same templates and values, the same text."""

import random
from dataclasses import dataclass, field

import pytest
from template_values import drawn_filler, drawn_values

from adjudge import templates
from adjudge.errors import TemplateError

PAIRS = 500

DOCUMENT = {
    "title": "text", "rank": "text", "hot": "flag", "tags": "list", "author": {"name": "text", "age": "text"},
}  # fmt: skip
ROOT = {
    "question": "text", "answer": "text", "count": "text", "zero": "text", "empty": "text", "yes": "flag", "no": "flag",
    "nothing": "list", "words": "list", "pair": "list", "docs": [DOCUMENT], "two": [DOCUMENT],
    "person": {"name": "text", "age": "text", "home": {"city": "text"}, "tags": "list"},
}  # fmt: skip
"""The shapes of `drawn_values`: `text` can be written, `flag` tested, `list` holds texts, `[…]` holds objects."""


@dataclass
class Level:
    """What names mean at one place of a template."""

    shape: object
    """Of the context."""
    outer: "Level | None" = None
    looped: bool = False
    """`@index` has a value."""
    locals: dict = field(default_factory=dict)


def paths(shape, prefix, wanted):
    """Every path to a `wanted` shape, written in one of the ways there are."""
    if wanted(shape):
        yield prefix
    if isinstance(shape, dict):
        for name, inner in shape.items():
            yield from paths(inner, [*prefix, name], wanted)
    if shape == [DOCUMENT] and prefix == ["two"]:
        yield from paths(DOCUMENT, [*prefix, "[0]"], wanted)


def reachable(source, level, wanted):
    """The ways to write a path to a `wanted` shape from here."""
    found = []
    up, at = "", level
    while at is not None:
        for path in paths(at.shape, [], wanted):
            name = source.choice("./").join(path)
            if not path:
                # A loop over what the loop around it is about is no step up, and all inputs cannot be written.
                found += [] if up else [source.choice(("this", "."))]
            elif path[0] in level.locals and not up:
                found.append(f"this.{name}")
            else:
                found.append(up + name if up else source.choice((name, name, f"this.{name}", f"./{name}")))
        up, at = f"{up}../", at.outer
    if level.outer is not None:
        found += [f"@root.{'.'.join(path)}" for path in paths(ROOT, [], wanted)]
    for name, shape in level.locals.items():
        found += [".".join([name, *path]) for path in paths(shape, [], wanted)]
    return found


def is_text(shape):
    return shape == "text"


def is_any(shape):
    return True


def is_looped(shape):
    return shape == "list" or isinstance(shape, list) or (isinstance(shape, dict) and shape is not ROOT and all(inner == "text" for inner in shape.values()))  # fmt: skip


def is_object(shape):
    return isinstance(shape, dict) and shape is not ROOT


def element(shape):
    return "text" if shape == "list" or isinstance(shape, dict) else shape[0]


class Writer:
    def __init__(self, source):
        self.source = source

    def pick(self, level, wanted):
        """A path to a `wanted` shape; None when there is none."""
        options = reachable(self.source, level, lambda shape: wanted(shape) and shape is not ROOT)
        return self.source.choice(options) if options else None

    def shape_of(self, level, path):
        at = level
        while path.startswith("../"):
            at, path = at.outer, path[3:]
        if path.startswith("@root."):
            shape, path = ROOT, path[6:]
        elif path.split(".")[0] in level.locals and at is level:
            shape = {"": None, **level.locals}
        else:
            shape = at.shape
        for step in (
            path.replace("./", "", 1).replace("/", ".").split(".") if path not in {".", "this"} else []
        ):
            if step in {"this", ""}:
                continue
            shape = shape[0] if step == "[0]" else shape[step]
        return shape

    def space(self):
        return self.source.choice(("", "", "", " ", "\n"))

    def marks(self):
        return self.source.choice(("", "", "", "", "~")), self.source.choice(("", "", "", "", "~"))

    def write(self, level):
        source = self.source
        left, right = self.marks()
        kind = source.random()
        if kind < 0.1 and level.looped:
            fact = source.choice(("index", "index", "key", "first", "last"))
            return f"{{{{{left}@{fact}{right}}}}}"
        if kind < 0.16:
            target, key = source.choice(
                (("person", '"name"'), ("two", "1"), ("pair", "0"), ("pair", "@root.zero"))
            )
            root = "" if level.outer is None else "@root."
            if target == "two":
                return f'{{{{{left}lookup (lookup {root}two {key}) "title"{right}}}}}'
            return f"{{{{{left}lookup {root}{target} {key}{right}}}}}"
        path = self.pick(level, is_text)
        form = source.random()
        if form < 0.2:
            return f"{{{{{left}{{{self.space()}{path}{self.space()}}}{right}}}}}"
        if form < 0.3:
            return f"{{{{{left}&{self.space()}{path}{self.space()}{right}}}}}"
        return f"{{{{{left}{self.space()}{path}{self.space()}{right}}}}}"

    def divided(self, level, depth):
        """The branches after a block's first."""
        source = self.source
        parts = []
        if source.random() < 0.3:
            left, right = self.marks()
            word = source.choice(("else if", "else if", "else unless", " else  if"))
            parts += [f"{{{{{left}{word} {self.pick(level, is_any)}{right}}}}}", self.body(level, depth - 1)]
        if source.random() < 0.5:
            left, right = self.marks()
            word = source.choice(("else", "else", " else ", "^"))
            parts += [f"{{{{{left}{word}{right}}}}}", self.body(level, depth - 1)]
        return parts

    def block(self, level, depth):
        source = self.source
        kind = source.choice(("if", "if", "unless", "each", "each", "with", "plain", "inverse"))
        left, right = self.marks()
        close_left, close_right = self.marks()
        wanted = {"each": is_looped, "with": is_object}.get(kind, is_any)
        path = self.pick(level, wanted)
        if path is None:
            return self.write(level)
        shape = self.shape_of(level, path)
        names, name = "", kind
        inner = level
        if kind in {"each", "with"}:
            inside = element(shape) if kind == "each" else shape
            inner = Level(inside, level, level.looped or kind == "each", dict(level.locals))
            if source.random() < 0.3:
                names = f" as |{source.choice(('item', 'title', 'x'))}{source.choice(('', ' i')) if kind == 'each' else ''}|"
                item, *index = names[5:-1].split()
                inner.locals[item] = inside
                inner.locals.update(dict.fromkeys(index, "text"))
            opening = f"#{kind} {path}{names}"
        elif kind in {"plain", "inverse"}:
            name = path
            opening = f"#{path}" if kind == "plain" else f"^{path}"
            if kind == "plain" and shape != "flag":
                looped = shape == "list" or isinstance(shape, list)
                inside = element(shape) if looped else shape
                inner = Level(inside, level, level.looped or looped, dict(level.locals))
        else:
            opening = f"#{kind} {path}{source.choice(('', '', ' includeZero=true'))}"
        parts = [f"{{{{{left}{opening}{right}}}}}", self.body(inner, depth - 1)]
        if kind == "inverse":
            if source.random() < 0.5:
                parts += ["{{else}}", self.body(level, depth - 1)]
        else:
            parts += self.divided(level, depth)
        return "".join([*parts, f"{{{{{close_left}/{name}{close_right}}}}}"])

    def body(self, level, depth):
        source = self.source
        parts = [drawn_filler(source)]
        for _ in range(source.randrange(1, 4)):
            kind = source.random()
            if kind < 0.12:
                parts.append(
                    source.choice(
                        (
                            "{{! a note }}",
                            "{{!-- has }} inside --}}",
                            "{{~! x ~}}",
                            "{{!--\n two\n--~}}",
                            "{{!}}",
                        )
                    )
                )
            elif kind < 0.18:
                parts.append(
                    source.choice(("\\{{question}}", "\\\\{{@root.question}}", "\\{{{x}}} ", "\\{{#if x}}"))
                )
            elif kind < 0.5 or depth <= 0:
                if not any(part.strip() and not part.startswith("{{!") for part in parts):
                    parts.append(".")  # with escaping off, Handlebars adds up numbers that begin a body
                parts.append(self.write(level))
            else:
                parts.append(self.block(level, depth))
            parts.append(drawn_filler(source))
        return "".join(parts)


def test_generated_templates_give_the_text_that_handlebars_gives(node_render):
    source = random.Random(13)
    pairs = [(Writer(source).body(Level(ROOT), 3), drawn_values(source)) for _ in range(PAIRS)]
    differ = []
    for (template, values), theirs in zip(pairs, node_render("handlebars", pairs), strict=True):
        try:
            (message,) = templates.render(template, "handlebars", values)
            ours = {"text": message.content}
        except TemplateError as error:
            ours = {"error": str(error)}
        if theirs != ours:
            differ.append((template, values, theirs, ours))
    assert not differ, (
        f"{len(differ)} of {len(pairs)} differ; the shortest: {min(differ, key=lambda d: len(d[0]))!r}"
    )


REFUSED = [
    "{{#if yes}}", "{{#each docs}}{{title}}", "{{/if}}", "{{#if yes}}{{/each}}", "{{#if yes}}{{#each docs}}{{/if}}{{/each}}",
    "{{else}}", "{{else if yes}}", "{{^}}", "{{question", "{{question}", "{{{question}}", "{{question}}}", "{{}}", "{{ }}",
    "{{! never closed", "{{!-- never closed }}", "{{#if yes}}{{else}}{{else}}{{/if}}", "{{question answer=}}", "{{a..b}}",
    "{{person/../question}}", "{{person.this}}", "{{person..name}}", "{{question | upper}}", "{{question, answer}}",
    "{{#each docs as |}}{{/each}}", "{{#each docs as ||}}{{/each}}", "{{#each docs as |x}}{{/each}}", "{{@}}", "{{@question.}}",
    "{{lookup (person}}", "{{lookup person)}}", "{{#docs}}{{/words}}", "{{#docs}}{{/docs title}}", "{{'never closed}}",
    "{{person.[name}}", "{{^yes}}{{else if no}}{{/yes}}", "{{&}}", "{{{}}}", "{{~}}", "{{=<% %>=}}", "{{question}~}}", "{{{question~}}}",
    '{{"score": 1}}', "{{#}}{{/}}", "{{#if yes}}{{/if", "{{question + answer}}", "{{question;}}", "{{yes ? no : no}}",
    "{{question = 1}}", "{{{{question}}}}", "{{question}}}}", "{{else.x}}",  "{{lookup a=1 person}}",
]  # fmt: skip


def test_what_handlebars_refuses_is_refused_here(node_render):
    values = drawn_values(random.Random(1))
    pairs = [(text, values) for text in REFUSED]
    for template, theirs in zip(REFUSED, node_render("handlebars", pairs), strict=True):
        assert "error" in theirs, template
        with pytest.raises(TemplateError) as caught:
            templates.inputs(template, "handlebars")
        assert caught.value.where.startswith("line "), template
        assert caught.value.hint, template


def test_damaged_templates_are_refused_by_both_or_by_neither(node_render):
    """One character less or one bracket more: what is no template there is none here."""
    source = random.Random(31)
    pairs = []
    for _ in range(PAIRS):
        template = Writer(source).body(Level(ROOT), 1)
        at = source.randrange(len(template) + 1)
        change = source.choice(
            (
                "",
                "{",
                "}",
                "{{",
                "}}",
                "~",
                '"',
                "(",
                ")",
                ".",
                "/",
                "#",
                "else",
                "|",
                "as |x|",
                "[",
                "]",
                " ",
                "\\",
            )
        )
        pairs.append((template[:at] + change + template[at + (not change) :], drawn_values(source)))
    wrong = []
    for (template, _), theirs in zip(pairs, node_render("handlebars", pairs), strict=True):
        try:
            templates.inputs(template, "handlebars")
        except TemplateError:
            continue
        if "error" in theirs:
            wrong.append((template, theirs))
    assert not wrong, (
        f"{len(wrong)} are read here only; the shortest: {min(wrong, key=lambda pair: len(pair[0]))!r}"
    )
