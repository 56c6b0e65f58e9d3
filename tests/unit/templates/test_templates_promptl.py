"""PromptL: conditions, loops, expressions, message tags, comments."""

import pytest

from adjudge import templates
from adjudge.errors import TemplateError
from adjudge.records import Message


def content(text, values=None):
    (message,) = templates.render(text, "promptl", values or {})
    assert message.role == "user"
    return message.content


def guarded(text):
    return {reference.name: reference.guarded for reference in templates.inputs(text, "promptl")}


@pytest.mark.parametrize(
    ("expression", "values", "expected"),
    [
        ("x", {"x": "v"}, "v"),
        ("x", {}, ""),
        ("a.b", {"a": {"b": 1}}, "1"),
        ("a?.b", {}, ""),
        ("a?.b?.c", {"a": {}}, ""),
        ("a.b.c", {}, ""),
        ("a[0]", {"a": ["z"]}, "z"),
        ("a?.[0]", {"a": ["z"]}, "z"),
        ("a[9]", {"a": ["z"]}, ""),
        ('a["k"]', {"a": {"k": 2}}, "2"),
        ("a[k]", {"a": {"j": 3}, "k": "j"}, "3"),
        ("a.length", {"a": [1, 2]}, "2"),
        ("a.length", {"a": "four"}, "4"),
        ("a.length", {"a": {"length": "own"}}, "own"),
        ("x ?? 'none'", {}, "none"),
        ("x ?? 'none'", {"x": None}, "none"),
        ("x ?? 'none'", {"x": ""}, ""),
        ("x || 'none'", {"x": ""}, "none"),
        ("x && y", {"x": 1, "y": "both"}, "both"),
        ("!x", {}, "true"),
        ("!!x", {"x": []}, "true"),
        ("!!x", {"x": {}}, "true"),
        ("x == 1", {"x": "1"}, "true"),
        ("x === 1", {"x": "1"}, "false"),
        ("x === 1", {"x": 1.0}, "true"),
        ("x != null", {}, "false"),
        ("x == null", {}, "true"),
        ("x == undefined", {}, "true"),
        ("x !== null", {"x": 0}, "true"),
        ("x == false", {"x": 0}, "true"),
        ("x == 'a'", {"x": "a"}, "true"),
        ("x == ys", {"x": [1], "ys": [1]}, "true"),
        ("x < 10", {"x": 9}, "true"),
        ("x < 10", {"x": "9"}, "true"),
        ("x <= 'b'", {"x": "a"}, "true"),
        ("x > 1", {}, "false"),
        ("x > 1", {"x": "words"}, "false"),
        ("x >= 1", {"x": 1}, "true"),
        ("1 + 2 * 3", {}, "7"),
        ("(1 + 2) * 3", {}, "9"),
        ("7 % 4", {}, "3"),
        ("-7 % 4", {}, "-3"),
        ("6 / 3", {}, "2"),
        ("1 / 2", {}, "0.5"),
        ("1 / 0", {}, ""),
        ("5 - 2 - 1", {}, "2"),
        ("-x", {"x": 2}, "-2"),
        ("'a' + 1", {}, "a1"),
        ("x + ' apples'", {"x": 3}, "3 apples"),
        ("x * 2", {"x": "no number"}, ""),
        ("x ? 'yes' : 'no'", {"x": 1}, "yes"),
        ("a ? 1 : b ? 2 : 3", {"b": 1}, "2"),
        ("[1, 'a', x]", {"x": None}, '[1, "a", null]'),
        ("[1, 2].length", {}, "2"),
        ("4.0", {}, "4"),
        ("1.5 * 2", {}, "3"),
        ("x / 100000", {"x": 7}, "0.00007"),
        ("x / 100000000", {"x": 7}, "7e-8"),
        ("x * 10", {"x": 1e21}, "1e+22"),
        ("0 * -0.5", {}, "0"),
        ("true", {}, "true"),
        ("null", {}, "null"),
        (r'"a\n\"b\" \u00e9"', {}, 'a\n"b" é'),
        ("'it''", {}, None),
        ("item.input", {"item.input": "i"}, "i"),
        ("'}}'", {}, "}}"),
    ],
)
def test_expressions_follow_javascript(expression, values, expected):
    text = f"<{{{{ {expression} }}}}>"
    if expected is None:
        with pytest.raises(TemplateError):
            content(text, values)
    else:
        assert content(text, values) == f"<{expected}>"


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{{ if x }}a{{ else }}b{{ endif }}", {"x": 1}, "a"),
        ("{{ if x }}a{{ else }}b{{ endif }}", {}, "b"),
        ("{{if x}}a{{endif}}c", {}, "c"),
        ("{{ if x == 1 }}a{{ else if x == 2 }}b{{ else if x == 3 }}c{{ else }}d{{ endif }}", {"x": 3}, "c"),
        ("{{ if x == 1 }}a{{ else if x == 2 }}b{{ else if x == 3 }}c{{ else }}d{{ endif }}", {"x": 2}, "b"),
        ("{{ if x }}{{ if y }}xy{{ endif }}{{ endif }}", {"x": 1, "y": 1}, "xy"),
        ("{{ if x?.length }}some{{ else }}none{{ endif }}", {"x": []}, "none"),
        ("{{ for d, i in ds }}{{ i }}:{{ d.t }};{{ endfor }}", {"ds": [{"t": "a"}, {"t": "b"}]}, "0:a;1:b;"),
        ("{{ for d in ds }}{{ d }}{{ else }}empty{{ endfor }}", {"ds": []}, "empty"),
        ("{{ for d in ds }}{{ d }}{{ else }}empty{{ endfor }}", {}, "empty"),
        ("{{ for d in ds }}{{ d }}{{ endfor }}{{ d }}", {"ds": [1], "d": "outer"}, "1outer"),
        ("{{ for a in m }}{{ for b in a }}{{ b }}{{ endfor }};{{ endfor }}", {"m": [[1, 2], [3]]}, "12;3;"),
        ("{{ y = x ?? 'dflt' }}{{ y }}{{ y }}", {}, "dfltdflt"),
        ("{{ n = 0 }}{{ for d in ds }}{{ n = n + 1 }}{{ endfor }}{{ n }}", {"ds": [1, 2, 3]}, "3"),
        ("a\n{{ if x }}\n  b\n{{ endif }}\nc", {"x": 1}, "a\nb\nc"),
        ("a{{ if x }} b {{ endif }}c", {"x": 1}, "a b c"),
        ("a {{ if x }} b {{ endif }}c", {"x": 1}, "a b c"),
        ("a {{ if y }} b {{ else }} d {{ endif }} c", {"y": 0}, "a d c"),
        ("{{ for d in ds }}\n- {{ d }}\n{{ endfor }}", {"ds": [1, 2]}, "- 1- 2"),
        ("{{ if x }}\n/* note */ b{{ endif }}", {"x": 1}, "b"),
    ],
)
def test_blocks_vanish_and_leave_what_they_hold(text, values, expected):
    assert content(text, values) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a /* note */b", "a b"),
        ("a/* note */b", "ab"),
        ("/* {{ if }} not read <user> */x", "x"),
        ("{{ '/* kept */' }}", "/* kept */"),
        ("Accept: */* and more", "Accept: */* and more"),
        ("Accept: */*, text/*;q=1, */*;q=0.1", "Accept: */*, text/*;q=1, */*;q=0.1"),
        ("see src/**/*.py and lib/**/*.py", "see src/**/*.py and lib/**/*.py"),
        ("open /* never closed", "open /* never closed"),
    ],
)
def test_comments_vanish_and_globs_stay(text, expected):
    assert content(text) == expected


@pytest.mark.parametrize(
    "text",
    ['{{"score": 1}}', "{{ }}", '{"a": {"b": 1}}', "the `<user>` tag", "press <user> now", "</user> alone"],
)
def test_what_is_no_tag_is_text(text):
    assert content(text) == text


def test_message_tags_make_messages_in_order():
    text = """
<system>
  Be fair to {{ name }}.
</system>

<user model="x">
{{ question }}
</user>
<assistant>ok</assistant>
<developer>again</developer>
{{ tail }}
"""
    assert templates.render(text, "promptl", {"name": "all", "question": " q ", "tail": "t"}) == (
        Message(role="system", content="Be fair to all."),
        Message(role="user", content=" q "),
        Message(role="assistant", content="ok"),
        Message(role="system", content="again"),
        Message(role="user", content="t"),
    )


def test_message_tags_can_stand_in_blocks():
    text = "{{ for t in turns }}<user>{{ t.q }}</user><assistant>{{ t.a }}</assistant>{{ endfor }}{{ if x }}<user>x</user>{{ endif }}"
    values = {"turns": [{"q": 1, "a": 2}, {"q": 3, "a": 4}]}
    assert [(m.role, m.content) for m in templates.render(text, "promptl", values)] == [
        ("user", "1"),
        ("assistant", "2"),
        ("user", "3"),
        ("assistant", "4"),
    ]


def test_message_tags_are_text_in_every_other_dialect():
    text = "<system>s</system><user>u</user>"
    for dialect in templates.DIALECTS:
        if dialect != "promptl":
            assert templates.render(text, dialect, {}) == (Message(role="user", content=text),)


def test_text_with_no_message_tag_is_one_user_message_without_the_white_space_around_it():
    text = "\n  a\r\n{{ x }}\t \n\n"
    assert content(text, {"x": " v "}) == "a\r\n v "


def test_lines_lose_the_indentation_they_share_and_values_keep_theirs():
    text = "<user>\n    List:\n      - {{ x }}\n\n    End\n</user>"
    assert content(text, {"x": "one"}) == "List:\n  - one\n\nEnd"
    assert content(text, {"x": "one\n        two"}) == "List:\n  - one\n        two\n\nEnd"
    assert content(text, {"x": "one\ntwo"}) == "List:\n      - one\ntwo\n\n    End"


def test_the_outline_keeps_branches_apart():
    assert templates.outline("{{ if x }}\nA\n{{ else }}\nB\n{{ endif }}", "promptl") == "\nA\n\nB\n"


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ("a\n{{ x.map(y) }}", "line 2", "there is no function `x.map`"),
        ("{{ f(1) }}", "line 1", "there is no function `f`"),
        ("\n{{ if x }}a", "line 2", "`{{ if }}` is never closed"),
        ("{{ for x in xs }}a", "line 1", "`{{ for }}` is never closed"),
        ("\n\n{{ endif }}", "line 3", "found `{{ endif }}` outside of any block"),
        ("{{ if x }}\n{{ endfor }}", "line 2", "found `{{ endfor }}` inside `{{ if }}` of line 1"),
        ("{{ else }}", "line 1", "found `{{ else }}` outside of `{{ if }}`"),
        ("{{ if a }}{{ else }}{{ else if b }}{{ endif }}", "line 1", "found a branch after `{{ else }}`"),
        ("{{ for a in b }}{{ else if c }}{{ endfor }}", "line 1", "found `{{ else if }}` outside"),
        ("{{ x y }}", "line 1", "found `y` after the expression"),
        ("{{ x + }}", "line 1", "found the end of the tag where a value was expected"),
        ("a\n{{ (x + 1 }}", "line 2", "where `)` was expected to close the `(` of column 4"),
        ("{{ for 1 in x }}", "line 1", "found `1` where the loop's name was expected"),
        ("{{ for x of xs }}", "line 1", "found `of` where `in` was expected"),
        ("{{ x", "line 1", "the tag `{{` is never closed"),
        ("{{ 'x }}", "line 1", "the text that starts with ' is never closed"),
        ("{{ x # y }}", "line 1", "`#` is not understood"),
        ("{{ #if x }}", "line 1", "`#` is not understood"),
        ("{{ `a ${b}` }}", "line 1", "found a string with `${…}`"),
        ("<user>\nhi", "line 1", "`<user>` is never closed"),
        ("<user>\n<system>x</system></user>", "line 2", "found `<system>` inside `<user>` of line 1"),
        ("<user>{{ if x }}</user>{{ endif }}", "line 1", "found `</user>` inside `{{ if }}` of line 1"),
        ("{{ " + "(" * 100 + "x" + ")" * 100 + " }}", "line 1", "nests deeper"),
        ("{{ if x }}" * 200, "line 1", "nest deeper"),
        ("{{ " + "x + " * 1000 + "x }}", "line 1", "more than 300"),
        ("{{ fenced.a.b }}", "line 1", "asks for a part of a fenced input"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text, where, problem):
    with pytest.raises(TemplateError) as caught:
        templates.inputs(text, "promptl")
    assert caught.value.where == where
    assert problem in caught.value.problem


def test_loop_names_and_assigned_names_are_not_inputs():
    text = "{{ y = x }}{{ y }}{{ for d, i in docs }}{{ d.t }}{{ i }}{{ endfor }}{{ z = 1 }}{{ z }}"
    assert list(guarded(text)) == ["x", "docs"]
    references = {r.name: [text[a:b] for a, b in r.spans] for r in templates.inputs(text, "promptl")}
    assert references == {"x": ["{{ y }}"], "docs": ["{{ d.t }}"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ x }}", {"x": False}),
        ("{{ if x?.length }}{{ x }}{{ else }}none{{ endif }}", {"x": True}),
        ("{{ if x }}{{ y }}{{ endif }}", {"x": True, "y": False}),
        ("{{ if !x }}none{{ else }}{{ fenced.x }}{{ endif }}", {"x": True}),
        ("{{ x ?? 'none' }}", {"x": True}),
        ("{{ x || y }}", {"x": True, "y": False}),
        ("{{ x ? x : y }}", {"x": True, "y": False}),
        ("{{ x?.y }}", {"x": True}),
        ("{{ for d in x }}{{ d }}{{ endfor }}", {"x": False}),
        ("{{ for d in x }}{{ d }}{{ else }}none{{ endfor }}", {"x": True}),
        ("{{ if x?.length }}{{ for d in x }}{{ d }}{{ endfor }}{{ endif }}", {"x": True}),
        ("{{ for d in x ?? [] }}{{ d }}{{ endfor }}", {"x": True}),
        ("{{ if x }}{{ x }}{{ endif }}{{ x }}", {"x": False}),
        ("{{ if a }}1{{ else if b }}{{ b }}{{ else }}{{ a }}{{ endif }}", {"a": True, "b": True}),
        ("{{ x == 1 }}", {"x": False}),
        ("{{ x = x ?? 'none' }}{{ x }}", {"x": True}),
        ("{{ y = x }}{{ y }}", {"x": False}),
    ],
)
def test_guarded_means_that_absence_can_be_expressed(text, expected):
    assert guarded(text) == expected


def test_growth_in_loops_is_bounded():
    doubling = "{{ x = 'a' }}{{ for i in xs }}{{ x = x + x }}{{ endfor }}"
    with pytest.raises(TemplateError, match="characters and elements"):
        content(doubling, {"xs": [0] * 100})
    squaring = "{{ x = 9 }}{{ for i in xs }}{{ x = x * x }}{{ endfor }}[{{ x }}]"
    assert content(squaring, {"xs": [0] * 100}) == "[]"
