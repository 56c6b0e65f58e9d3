"""PromptL here and in npm's `promptl-ai`: the same messages, and what it cannot parse is refused."""

import random

import pytest
from template_values import drawn_filler, drawn_values

from adjudge import templates
from adjudge.errors import TemplateError

PAIRS = 800

TEXTS = ["question", "answer", "empty", "person.name", "person.home.city", "person['name']", "pair[0]", "two[0].title", "'lit'", '"a \\"b\\" é"']  # fmt: skip
NUMBERS = ["count", "zero", "person.age", "pair[1]", "two[1].rank", "3", "100000", "0.5", "4.0", "words.length", "question.length", "docs?.length"]  # fmt: skip
TRUTHS = ["yes", "no", "true", "false", "two[0].hot", "!yes", "!nothing.length", "words.length"]


def plain(value):
    """Values on one line and without white space at their ends: PromptL trims and outdents those too, and we never change a value."""
    if isinstance(value, str):
        # JavaScript counts a character beyond the first 65,536 as two.
        return " ".join(value.replace("😀", "e").split())
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


class PromptlDraw:
    def __init__(self, source):
        self.source = source
        self.texts, self.numbers = list(TEXTS), list(NUMBERS)
        self.loops = 0

    def one(self, *choices):
        return self.source.choice(choices)

    def text(self, depth=2):
        draw = self.source.random()
        if depth and draw < 0.15:
            return f"({self.text(depth - 1)} + {self.one(self.text(depth - 1), self.number(depth - 1))})"
        if depth and draw < 0.3:
            return f"({self.test()} ? {self.text(depth - 1)} : {self.text(depth - 1)})"
        if depth and draw < 0.4:
            return f"({self.text(0)} {self.one('||', '&&', '??')} {self.text(0)})"
        return self.source.choice(self.texts)

    def number(self, depth=2):
        draw = self.source.random()
        if depth and draw < 0.4:
            return f"({self.number(depth - 1)} {self.one('+', '-', '*')} {self.number(depth - 1)})"
        if depth and draw < 0.5:
            return f"({self.number(0)} {self.one('/', '%')} {self.one('7', '100000', '2', '0.25')})"
        if depth and draw < 0.55:
            return f"(-{self.source.choice(self.numbers)})"
        return self.source.choice(self.numbers)

    def test(self):
        return self.one(
            f"{self.source.choice(self.numbers)} {self.one('==', '!=', '===', '!==', '<', '<=', '>', '>=')} {self.source.choice(self.numbers)}",
            f"{self.source.choice(self.texts)} {self.one('==', '!==', '<')} {self.source.choice(self.texts)}",
            self.source.choice(TRUTHS),
            f"({self.source.choice(TRUTHS)} {self.one('&&', '||')} {self.source.choice(TRUTHS)})",
            self.source.choice(self.texts),
        )

    def filler(self):
        return drawn_filler(self.source).replace("\\ ", "/ ")

    def statement(self, depth):
        draw = self.source.random()
        if not depth or draw < 0.5:
            value = self.text() if self.source.random() < 0.6 else self.number()
            return self.one(f"{{{{ {value} }}}}", f"{{{{{value}}}}}")
        if draw < 0.7:
            parts = [f"{{{{ if {self.test()} }}}}", self.body(depth)]
            for _ in range(self.source.randrange(3)):
                parts += [f"{{{{ else if {self.test()} }}}}", self.body(depth)]
            if self.source.random() < 0.6:
                parts += [self.one("{{ else }}", "{{else}}"), self.body(depth)]
            return "".join([*parts, self.one("{{ endif }}", "{{endif}}")])
        if draw < 0.9:
            return self.loop(depth)
        if draw < 0.95:
            self.loops += 1
            return f"{{{{ kept{self.loops} = {self.text()} }}}}{{{{ kept{self.loops} }}}}"
        return self.one("x/* note */", "<!-- note -->")

    def loop(self, depth):
        self.loops += 1
        item, index = f"item{self.loops}", f"index{self.loops}"
        texts, numbers = self.texts, self.numbers
        if self.source.random() < 0.5:
            source = self.one("docs", "two")
            self.texts, self.numbers = [f"{item}.title", f"{item}.author.name"], [f"{item}.rank", "count"]
        else:
            source = self.one("words", "pair", "person.tags", "two[0].tags")
            self.texts = [f"({item} + '')"]
        head = f"{{{{ for {item} in {source} }}}}"
        if self.source.random() < 0.5:
            head = f"{{{{ for {item}, {index} in {source} }}}}"
            self.numbers = [*self.numbers, index, index]
        body = self.body(depth)
        self.texts, self.numbers = texts, numbers
        otherwise = "{{ else }}" + self.body(depth) if self.source.random() < 0.3 else ""
        return head + body + otherwise + "{{ endfor }}"

    def body(self, depth):
        return self.filler() + self.statement(depth - 1) + self.filler()

    def text_block(self):
        return "".join(self.statement(2) + self.filler() for _ in range(self.source.randrange(1, 4)))

    def template(self):
        if self.source.random() < 0.5:
            return "Judge." + self.filler() + self.text_block()
        parts = []
        for _ in range(self.source.randrange(1, 4)):
            role = self.one("system", "user", "assistant")
            inside = f"{self.one('', ' ', chr(10), chr(10) + '  ')}Say {self.text_block()}"
            parts.append(f"<{role}>{inside}</{role}>")
            if self.source.random() < 0.2:
                parts.append(f"\nStray {self.text_block()}\n")
        return self.one("\n", "").join(parts)


def drawn_pairs():
    pairs = []
    for seed in range(PAIRS):
        source = random.Random(seed)
        pairs.append((PromptlDraw(source).template(), plain(drawn_values(source))))
    return pairs


def ours(template, values):
    return [[message.role, message.content] for message in templates.render(template, "promptl", values)]


def alike(messages):
    """Without what differs on purpose: text outside message tags is the user's here and the system's there."""
    return [["system" if role == "user" else role, text] for role, text in messages]


def test_promptl_and_we_make_the_same_messages(node_render):
    pairs = drawn_pairs()
    compared = 0
    for (template, values), theirs in zip(pairs, node_render("promptl-ai", pairs), strict=True):
        if "error" in theirs:
            continue
        assert alike(ours(template, values)) == alike(theirs["text"]), (template, values)
        compared += 1
    assert compared > PAIRS * 0.95


REFUSED = [
    "{{ question", "{{ if yes }}", "{{ if }}a{{ endif }}", "{{ endif }}", "{{ endfor }}", "{{ else }}", "{{ for x in words }}", "{{ for x of words }}{{ endfor }}",
    "{{ for in words }}{{ endfor }}", "{{ if yes }}{{ endfor }}", "{{ for x in words }}{{ endif }}", "{{ if yes }}a{{ elseif no }}b{{ endif }}",
    "{{ question + }}", "{{ (count }}", "{{ count) }}", "{{ words[0 }}", "{{ 'open }}", "{{ yes ? 1 }}", "{{ question answer }}",
    "{{ question.. name }}", "<user>a", "<user>{{ if yes }}</user>{{ endif }}", "<user><system>a</system></user>", "{{ for x in words }}{{ else if yes }}{{ endfor }}",
    "{{ `a${count}` }}",
]  # fmt: skip


def test_what_promptl_refuses_is_refused_here(node_render):
    values = plain(drawn_values(random.Random(1)))
    results = node_render("promptl-ai", [(template, values) for template in REFUSED])
    for template, theirs in zip(REFUSED, results, strict=True):
        assert "error" in theirs, template
        with pytest.raises(TemplateError):
            templates.inputs(template, "promptl")
