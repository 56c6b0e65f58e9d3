"""Go's text/template: fields, variables, blocks, pipelines, and what is refused."""

import pytest

from adjudge import templates
from adjudge.errors import TemplateError


def render(text, **values):
    (message,) = templates.render(text, "go", values)
    return message.content


def inputs(text):
    return {reference.name: reference.guarded for reference in templates.inputs(text, "go")}


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{{.Q}} {{ .A.B }}", {"Q": "q", "A": {"B": 2}}, "q 2"),
        ("{{$x := .Q}}{{$x}}{{$.Q}}", {"Q": "q"}, "qq"),
        ("a {{- .Q -}} b", {"Q": "q"}, "aqb"),
        ("a {{- /* no */ -}} b", {}, "ab"),
        ("{{range .Xs}}<{{.}}>{{end}}", {"Xs": ["a", 1]}, "<a><1>"),
        ("{{range $i, $x := .Xs}}{{$i}}={{$x.n}} {{end}}", {"Xs": [{"n": "a"}, {"n": "b"}]}, "0=a 1=b "),
        ("{{range $k, $v := .M}}{{$k}}={{$v}} {{end}}", {"M": {"b": 1, "a": 2}}, "a=2 b=1 "),
        ("{{range .Xs}}x{{else}}none{{end}}", {"Xs": []}, "none"),
        ("{{range .Xs}}{{$.Q}}{{end}}", {"Xs": [1, 2], "Q": "q"}, "qq"),
        ('{{if eq .Q "a" "b"}}1{{else if .N}}2{{else}}3{{end}}', {"Q": "c", "N": 0}, "3"),
        ("{{if .Xs}}some{{else}}none{{end}}", {"Xs": []}, "none"),
        ("{{with .A}}{{.B}}{{else}}none{{end}}", {"A": {"B": "b"}}, "b"),
        ("{{with $y := .A}}{{$y}}{{else}}none{{end}}", {"A": ""}, "none"),
        ("{{if $n := len .Q}}{{$n}}{{else}}empty{{end}}", {"Q": "é"}, "2"),
        ('{{.Q | printf "%q"}} {{printf "%03d|%-4s|" .N .Q}}', {"Q": "q", "N": 7}, '"q" 007|q   |'),
        ("{{print 1 2 .Q 3}}", {"Q": "q"}, "1 2q3"),
        ("{{index .Xs 1}}{{(index .Xs 0).n}}", {"Xs": [{"n": "a"}, "b"]}, "ba"),
        ("{{range .}}{{.n}}{{end}}", {"value": [{"n": 1}, {"n": 2}]}, "12"),
        ("{{.}}", {"value": "all"}, "all"),
        ("{{.Q}}{{$}}", {"Q": "q"}, 'q{"Q": "q"}'),
        ("{{.Xs}}", {"Xs": [1, {"a": None}]}, '[1, {"a": null}]'),
        ("{{.Gone}}|{{.Q.Gone}}", {"Q": "q"}, "|"),
        ("{{.fenced.Q}}", {"Q": "q", "fenced.Q": "<q>"}, "<q>"),
        ('{{`{{`}}{{"}}"}} } }}', {}, "{{}} } }}"),
    ],
)
def test_what_is_written(text, values, expected):
    assert render(text, **values) == expected


def test_variables_are_those_of_their_block():
    assert render("{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}") == "21"
    assert render("{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}") == "2"
    assert render("{{$x := 0}}{{range .Xs}}{{$x = .}}{{end}}{{$x}}", Xs=[4, 5]) == "5"


def test_inputs_are_the_fields_of_the_data():
    text = "{{.Q}}{{range .Docs}}{{.Title}}{{$.N}}{{end}}{{with .A}}{{.B}}{{end}}{{if .C}}{{.C}}{{end}}"
    assert inputs(text) == {"Q": False, "Docs": False, "N": False, "A": True, "C": True}
    assert templates.outline(text, "go") == "⟦Q⟧⟦Docs⟧⟦N⟧⟦A⟧⟦C⟧"
    assert inputs('{{or .Q "none"}}') == {"Q": True}
    assert inputs('{{index . "the question"}}') == {"the question": False}
    assert inputs("{{range .}}{{.}}{{end}}") == {"value": False}


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("a\n{{.Q | toJson}}", "line 2", "the function `toJson` is not known here"),
        ("{{prinf .Q}}", "line 1", "the function `prinf` is not known here"),
        ("{{printf .Q}}", "line 1", "the format of `printf` is not written out"),
        ('{{printf "%*d" 1 2}}', "line 1", "a format with `*`"),
        ('{{printf "%99999d" 1}}', "line 1", "a width of more than 1000"),
        ('{{template "x" .}}', "line 1", "`{{template}}` is not supported"),
        ("{{$x}}", "line 1", "the variable `$x` is not declared here"),
        ("\n\n{{if .Q}}", "line 3", "`{{if}}` is never closed"),
        ("{{end}}", "line 1", "outside of any block"),
        ("{{range .Q}}{{else if .A}}{{end}}", "line 1", "inside `{{range}}` of line 1"),
        ("{{.Q .A}}", "line 1", "only functions take values"),
        ("{{len}}", "line 1", "`len` takes 1 values, found 0"),
        ("{{" + "(" * 40 + ".Q" + ")" * 40 + "}}", "line 1", "nests deeper"),
        ("{{/* a", "line 1", "is never closed"),
    ],
)
def test_what_is_refused_says_where_and_why(text, where, problem):
    with pytest.raises(TemplateError) as error:
        templates.inputs(text, "go")
    assert error.value.where == where
    assert problem in str(error.value)


def test_a_function_that_is_nearly_known_is_suggested():
    with pytest.raises(TemplateError, match="did you mean `printf`"):
        templates.inputs("{{prinf .Q}}", "go")


def test_the_form_changes_with_what_is_sent_and_not_with_how_it_is_laid_out():
    assert templates.canonical("{{.Q}}", "go") == templates.canonical("{{  .Q\n}}{{/* c */}}", "go")
    assert templates.canonical("{{.Q}}", "go") != templates.canonical("{{.A}}", "go")
    assert templates.canonical('{{printf "%d" .Q}}', "go") != templates.canonical('{{printf "%5d" .Q}}', "go")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("Q: {{.Question}}\nA: {{ .Answer }}", "go"),
        ("{{range .Docs}}- {{.Title}}\n{{end}}", "go"),
        ("{{range $i, $d := .Docs}}{{$i}}: {{$d}}{{end}}", "go"),
        ('{{if eq .Kind "x"}}a{{else if .B}}b{{end}}', "go"),
        ('{{- /* c */ -}}{{printf "%s" .Q}}', "go"),
        ("{{.A | toJson}}", "go"),
        ("{{$x := .A}}{{$x}}", "go"),
        ("{{.a}} {{b}}", "mustache"),
        ('{{.a}} {{"score": 1}}', "mustache"),
        ("{{#xs}}{{.name}}{{/xs}}", "mustache"),
        ("{{$question}} and {{$answer}}", "shell"),
        ("{{ if x > .5 }}{{ x }}{{ endif }}", "promptl"),
        ("{{ x | default(' .net') }}", "jinja"),
    ],
)
def test_fields_and_blocks_tell_go_from_the_others(text, dialect):
    assert templates.detect(text) == dialect
