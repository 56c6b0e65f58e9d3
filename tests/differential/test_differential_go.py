"""Go templates here and in Go's own text/template: the same text, and what Go cannot parse is refused."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from template_values import drawn_filler, drawn_values

from adjudge import templates
from adjudge.errors import TemplateError

PROGRAM = Path(__file__).parent / "go" / "main.go"
PAIRS = 1_200
BUILD_SECONDS = 300

FIELDS = {
    "root": {
        "text": ["question", "answer", "empty", "person.name", "person.home.city"],
        "number": ["count", "zero", "person.age"],
        "truth": ["yes", "no"],
        "list": ["words", "pair", "nothing", "person.tags"],
        "documents": ["docs", "two"],
        "object": ["person"],
    },
    "document": {
        "text": ["title", "author.name"],
        "number": ["rank", "author.age"],
        "truth": ["hot"],
        "list": ["tags"],
        "documents": [],
        "object": ["author"],
    },
    "object": {
        "text": ["name"],
        "number": ["age"],
        "truth": [],
        "list": [],
        "documents": [],
        "object": [],
    },
    "scalar": {key: [] for key in ("text", "number", "truth", "list", "documents", "object")},
}
TEXTS = ['"a"', '""', '"two \\"words\\"\\n"', "`raw\\n`", '"é\\u00e9\\x41"', '"}}"', "`{{`", '"%d"']
NUMBERS = ["0", "1", "-2", "0x1F", "1_000", "010", "'a'", "+3"]
FORMATS = {
    "text": ["%s", "%v", "%q", "%8s", "%-8s|", "%.2s", "%08s", "%x", "%X", "%d", "%5.1q"],
    "number": ["%d", "%v", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%o", "%b", "%.3d", "%8.3d", "%c", "%U", "%s", "%q"],
    "truth": ["%t", "%v", "%8v", "%s", "%d"],
}  # fmt: skip


class GoDraw:
    """Draws a template that Go renders without an error: every call gets the types that it takes."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.variables: list[list[tuple[str, str]]] = [[]]
        self.dots = ["root"]

    def one(self, *choices):
        return self.source.choice(choices)

    def path(self, kind: str) -> str | None:
        found = [f".{path}" for path in FIELDS[self.dots[-1]][kind]]
        found += [f"$.{path}" for path in FIELDS["root"][kind]]
        for scope in self.variables:
            for name, what in scope:
                found += [name] * 2 if what == kind else []
                found += [f"{name}.{path}" for path in FIELDS.get(what, {}).get(kind, ())]
        return self.source.choice(found) if found else None

    def text(self, depth: int) -> str:
        draw = self.source.random()
        if depth and draw < 0.25:
            return f"({self.call('text', depth - 1)})"
        return self.source.choice(TEXTS) if draw < 0.4 else self.path("text")

    def number(self, depth: int) -> str:
        draw = self.source.random()
        if depth and draw < 0.2:
            return f"({self.call('number', depth - 1)})"
        return self.source.choice(NUMBERS) if draw < 0.45 else self.path("number")

    def truth(self, depth: int) -> str:
        if depth and self.source.random() < 0.6:
            return f"({self.call('truth', depth - 1)})"
        return self.one("true", "false", self.path("truth"))

    def draw(self, kind: str, depth: int) -> str:
        return {"text": self.text, "number": self.number, "truth": self.truth}[kind](depth)

    def anything(self, depth: int) -> str:
        kind = self.one("text", "number", "truth", "list", "object")
        return (kind in FIELDS["root"] and kind in {"list", "object"} and self.path(kind)) or self.draw(
            self.one("text", "number", "truth"), depth
        )

    def scalars(self, depth: int, most: int) -> list[str]:
        return [
            self.draw(self.one("text", "number", "truth"), depth) for _ in range(self.source.randrange(most))
        ]

    def printf(self, depth: int) -> str:
        kinds = [self.one("text", "number", "truth") for _ in range(self.source.randrange(1, 4))]
        form = " ".join(self.source.choice(FORMATS[kind]) for kind in kinds)
        values = [self.draw(kind, depth) for kind in kinds]
        if self.source.random() < 0.1:
            values.append(self.number(0))
        elif self.source.random() < 0.1:
            values.pop()
        return " ".join([f'printf "{form}%%"', *values])

    def call(self, kind: str, depth: int) -> str:
        if kind == "text":
            return self.one(
                " ".join(["print", *self.scalars(depth, 4)]),
                " ".join(["println", *self.scalars(depth, 3)]),
                self.printf(depth),
                f"html {self.text(depth)}",
                f"or {self.text(depth)} {self.text(depth)}",
                f"and {self.text(depth)} {self.text(depth)}",
                f'printf "%s" "abcdef" | printf "%s-%s" {self.text(depth)}',
                f'slice "abcdef" {self.one(0, 1)} {self.one(2, 3)}',
            )
        if kind == "number":
            return self.one(
                f"len {self.text(depth)}",
                f"len {self.path('list')}",
                f"len {self.path('object') or '$.person'}",
                'index "abc" 1',
                'index $.person "age"',
                "index $.pair 1" if self.source.random() < 0.5 else "index .pair 1" if self.dots[-1] == "root" else "len $.two",
                f"or {self.number(depth)} {self.number(depth)}",
            )  # fmt: skip
        same = self.one("text", "number")
        return self.one(
            f"not {self.anything(depth)}",
            f"{self.one('eq', 'ne', 'lt', 'le', 'gt', 'ge')} {self.draw(same, depth)} {self.draw(same, depth)}",
            f"eq {self.draw(same, depth)} {self.draw(same, depth)} {self.draw(same, depth)}",
            f"eq {self.truth(0)} {self.truth(0)}",
            f"and {self.truth(depth)} {self.truth(depth)} {self.truth(0)}",
            f"or {self.truth(depth)} {self.truth(0)}",
        )

    def pipeline(self, kind: str) -> str:
        draw = self.source.random()
        if draw < 0.4:
            return self.draw(kind, 2)
        value = self.call(kind, 2)
        if kind == "text" and draw > 0.7:
            value += self.one(' | printf "%q"', " | print", " | html", ' | printf "%s=%v" .' if self.dots[-1] == "scalar" else " | print 1")  # fmt: skip
        return value

    def tag(self, content: str) -> str:
        left = self.one("{{", "{{", "{{ ", "{{- ", "{{-\n")
        right = self.one("}}", "}}", " }}", " -}}", "\n-}}")
        return f"{left}{content}{right}"

    def output(self, _depth: int) -> str:
        if self.dots[-1] == "scalar" and self.source.random() < 0.5:
            return self.tag(self.one(".", 'printf "%v" .', "print ."))
        return self.tag(self.pipeline(self.one("text", "text", "number", "truth")))

    def body(self, depth: int) -> str:
        self.variables.append([])
        parts = [
            drawn_filler(self.source) + self.statement(depth) for _ in range(self.source.randrange(1, 3))
        ]
        self.variables.pop()
        return "".join(parts) + drawn_filler(self.source)

    def otherwise(self, depth: int) -> str:
        return self.tag("else") + self.body(depth) if self.source.random() < 0.5 else ""

    def condition(self, depth: int) -> str:
        self.variables.append([])
        declared = ""
        test = self.anything(2) if self.source.random() < 0.5 else self.call("truth", 1)
        if self.source.random() < 0.2:
            test, declared = self.pipeline("text"), "$t"
            self.variables[-1].append((declared, "text"))
        parts = [self.tag(f"if {declared} := {test}" if declared else f"if {test}"), self.body(depth)]
        for _ in range(self.source.randrange(3)):
            parts += [self.tag(f"else if {self.call('truth', 1)}"), self.body(depth)]
        parts += [self.otherwise(depth), self.tag("end")]
        self.variables.pop()
        return "".join(parts)

    def with_block(self, depth: int) -> str:
        self.variables.append([])
        target, dot = self.path("object"), "object"
        if target is None or self.source.random() < 0.5:
            target, dot = self.text(1), "scalar"
        if target.endswith("person"):
            dot = "object"
        declared = ""
        if self.source.random() < 0.4:
            declared = "$w := "
            self.variables[-1].append(("$w", "object" if dot == "object" else "text"))
        self.dots.append(dot)
        body = self.body(depth)
        self.dots.pop()
        text = self.tag(f"with {declared}{target}") + body + self.otherwise(depth) + self.tag("end")
        self.variables.pop()
        return text

    def loop(self, depth: int) -> str:
        source, dot = self.path("documents"), "document"
        if source is None or self.source.random() < 0.5:
            source, dot = self.path("list"), "scalar"
        if self.source.random() < 0.15:
            source, dot = "$.person.home", "scalar"
        names = self.source.choice([[], [], ["$x"], ["$i", "$x"]])
        self.variables.append([("$x", dot)] if "$x" in names else [])
        if "$i" in names and source != "$.person.home":
            self.variables[-1].append(("$i", "number"))
        self.dots.append(dot)
        body = self.body(depth)
        self.dots.pop()
        self.variables.pop()
        declared = ", ".join(names) + " := " if names else ""
        return self.tag(f"range {declared}{source}") + body + self.otherwise(depth) + self.tag("end")

    def assignment(self, _depth: int) -> str:
        kind = self.one("text", "number")
        value = self.pipeline(kind)
        known = [name for scope in self.variables for name, what in scope if what == kind]
        hidden = [name for scope in self.variables for name, what in scope if what != kind]
        if known and self.source.random() < 0.4 and (name := self.source.choice(known)) not in hidden:
            return self.tag(f"{name} = {value}")
        name = "$n" if kind == "number" else "$s"
        self.variables[-1].append((name, kind))
        return self.tag(f"{name} := {value}")

    def comment(self, _depth: int) -> str:
        return self.one("{{/* a }} b */}}", "{{- /* a\nb */ -}}", "{{/**/ -}}")

    def statement(self, depth: int) -> str:
        kinds = [self.output] * 4 + [self.assignment, self.comment]
        if depth:
            kinds += [self.condition, self.with_block, self.loop] * 2
        return self.source.choice(kinds)(depth - 1)

    def template(self) -> str:
        return "".join(
            self.statement(2) + drawn_filler(self.source) for _ in range(self.source.randrange(1, 5))
        )


@pytest.fixture(scope="module")
def go_render(tmp_path_factory):
    """What Go makes of each template and values: {text}, or {error, parsed}."""
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    folder = tmp_path_factory.mktemp("go")
    program = folder / "render"
    environment = {
        **os.environ,
        "GOCACHE": str(folder / "cache"),
        "GOPATH": str(folder / "path"),
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GO111MODULE": "off",
    }
    subprocess.run(
        ["go", "build", "-o", program, PROGRAM],
        env=environment,
        check=True,
        capture_output=True,
        timeout=BUILD_SECONDS,
    )

    def render(pairs):
        lines = [json.dumps({"template": template, "values": values}) for template, values in pairs]
        done = subprocess.run(
            [program],
            input="\n".join(lines),
            encoding="utf-8",
            capture_output=True,
            check=True,
            timeout=BUILD_SECONDS,
        )
        return [json.loads(line) for line in done.stdout.split("\n") if line]

    return render


def test_go_and_we_write_the_same_text(go_render):
    pairs = []
    for seed in range(PAIRS):
        source = random.Random(seed)
        pairs.append((GoDraw(source).template(), drawn_values(source)))
    compared = 0
    for (template, values), theirs in zip(pairs, go_render(pairs), strict=True):
        assert theirs["parsed"], (theirs, template)
        if "error" in theirs:
            continue  # Go stops at values that we write as nothing
        (message,) = templates.render(template, "go", values)
        assert message.content == theirs["text"], (template, values)
        compared += 1
    assert compared > PAIRS * 0.95


REFUSED = [
    "{{", "{{.question", "{{.question}", "{{}}", "{{ }}", "{{|}}", "{{.a | }}{{end}}", "{{end}}", "{{else}}", "{{if .a}}", "{{if}}x{{end}}",
    "{{if .a}}{{else}}{{else}}{{end}}", "{{if .a}}{{else}}{{else if .b}}{{end}}", "{{range .a}}{{else if .b}}{{end}}",
    "{{with .a}}{{else with .b}}{{end}}", "{{range}}{{end}}", "{{with}}{{end}}", "{{$x}}", "{{$x.y}}", "{{if .a}}{{$x := 1}}{{end}}{{$x}}",
    "{{range $x := .a}}{{end}}{{$x}}", "{{$x, $y := .a}}", "{{range $a, $b, $c := .x}}{{end}}", "{{range $a, .b}}{{end}}",
    "{{question}}", "{{.a | unknown}}", "{{unknown .a}}", "{{.a .b | 3}}", '{{.a | "x"}}', "{{.a | .}}", "{{.a | true}}", "{{.a | nil}}",
    "{{print(3)}}", '{{"a""b"}}', "{{.a-b}}", "{{.a,.b}}", "{{$x=1}}", "{{1abc}}", "{{.a.0}}", "{{0x}}", "{{08}}", "{{99999999999999999999}}",
    '{{"a}}', "{{`a}}", "{{'ab'}}", "{{''}}", '{{"\\q"}}', "{{\"\\'\"}}", "{{'\\\"'}}", '{{"a\nb"}}', "{{(.a}}", "{{.a)}}", "{{()}}", '{{print "a" ( ) }}',
    "{{true.x}}", '{{"a".x}}', "{{..a}}", "{{.}.a}}", "{{/* a }}", "{{/* a */ }}", "{{ /* a */}}", "{{- 3 - }}", "{{ - 3}}", "{{#if .a}}{{/if}}",
    "{{a.b}}", "{{.a + .b}}", "{{.a == 1}}", "{{!a}}", '{{"score": 1}}', "{{end .a}}", "{{if .a}}{{end end}}", "{{else if}}", "{{nil | print | 3}}",
    '{{range .a}}{{define "x"}}{{end}}{{end}}', "{{template}}", "{{.a | range}}", "{{.é€}}", "{{&.a}}", "{{if .a}}{{else}}x",
    "{{.a || .b}}", "{{.a | | print}}", "{{print | }}{{", "{{$ := 1}}{{", "{{,}}", "{{=}}", "{{:=}}", "{{.a := 1}}", "{{if .a}}{{else .b}}{{end}}",
]  # fmt: skip


def test_what_go_cannot_parse_is_refused_here(go_render):
    for template, theirs in zip(REFUSED, go_render([(text, {}) for text in REFUSED]), strict=True):
        assert not theirs["parsed"], template
        with pytest.raises(TemplateError):
            templates.inputs(template, "go")


BROKEN = ["{{", "}}", "(", ")", "|", ".", "$", '"', "end", "else", " ", "-", ",", ":=", "`", "if ", "1"]


def test_damaged_templates_are_refused_where_go_refuses_them(go_render):
    """One piece of a good template is taken out or put in: what Go then cannot parse, we cannot either."""
    pairs = []
    for seed in range(PAIRS):
        source = random.Random(seed)
        text = GoDraw(source).template()
        place = source.randrange(len(text) + 1)
        damaged = (
            text[:place] + source.choice(BROKEN) + text[place:]
            if source.random() < 0.5
            else text[:place] + text[place + source.randrange(1, 4) :]
        )
        pairs.append((damaged, drawn_values(source)))
    refused = 0
    for (template, _), theirs in zip(pairs, go_render(pairs), strict=True):
        if not theirs["parsed"]:
            refused += 1
            with pytest.raises(TemplateError):
                templates.inputs(template, "go")
    assert refused > PAIRS // 4
