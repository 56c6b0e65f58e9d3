"""A template of texts, names and conditions is made ready once, and written as its tree would be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import templates
from adjudge.templates.tree import TreeTemplate
from adjudge.templates.values import ABSENT, descend, lookup

NAMES = ["x", "y", "fenced.x", "fenced.y", "item.a", "x.a", "x.a.b", "x.length", "fenced.item.a"]
LAYOUT = st.sampled_from(["", " ", "\n", "\n\n", "  ", "\t", "a", "  b", "\n  c", "é\n", " d \n  "])
TESTS = {
    "promptl": (
        "{{{{ if {0} }}}}",
        "{{{{ else if {0} }}}}",
        "{{{{ else }}}}",
        "{{{{ endif }}}}",
        "{{{{ {0} }}}}",
    ),
    "go": ("{{{{if .{0}}}}}", "{{{{else if .{0}}}}}", "{{{{else}}}}", "{{{{end}}}}", "{{{{.{0}}}}}"),
    "handlebars": (
        "{{{{#if {0}}}}}",
        "{{{{else if {0}}}}}",
        "{{{{else}}}}",
        "{{{{/if}}}}",
        "{{{{{0}}}}}",
    ),
}
SCALARS = st.sampled_from(
    ["", " ", "A", "{{ y }}", "\n  b", "</x 0>", 0, 1, 2.5, -0.0, 1e21, True, False, None]
)
VALUES = st.dictionaries(
    st.sampled_from(["x", "y", "fenced.x", "fenced.y", "item.a", "a", "x.a", "fenced"]),
    SCALARS | st.lists(SCALARS, max_size=3) | st.fixed_dictionaries({"a": SCALARS}),
    max_size=5,
)


@st.composite
def bodies(draw, dialect, depth=2):
    opening, other, otherwise, closing, name = TESTS[dialect]
    written = []
    for _ in range(draw(st.integers(0, 4))):
        written.append(draw(LAYOUT))
        kind = draw(st.integers(0, 2)) if depth else 0
        if kind < 2:
            written.append(name.format(draw(st.sampled_from(NAMES))))
            continue
        written += [opening.format(draw(st.sampled_from(NAMES))), draw(bodies(dialect, depth - 1))]
        if draw(st.booleans()):
            written += [other.format(draw(st.sampled_from(NAMES))), draw(bodies(dialect, depth - 1))]
        if draw(st.booleans()):
            written += [otherwise.format(), draw(bodies(dialect, depth - 1))]
        written.append(closing.format())
    return "".join([*written, draw(LAYOUT)])


def by_tree(template, values):
    """The same template, without its steps."""
    assert isinstance(template, TreeTemplate)
    tree = TreeTemplate(template.text, template.dialect, template.nodes, template.scope)
    tree._steps = tree._flat = None
    return tree.render(values)


@pytest.mark.parametrize("dialect", TESTS)
@given(data=st.data())
def test_steps_write_what_the_tree_writes(dialect, data):
    text, values = data.draw(bodies(dialect)), data.draw(VALUES)
    template = templates._parsed(text, dialect)
    assert template._steps is not None
    assert template.render(values) == by_tree(template, values)


@given(
    st.lists(st.sampled_from(NAMES) | LAYOUT, max_size=6),
    st.sampled_from(["mustache", "python", "shell"]),
    VALUES,
)
def test_a_template_of_names_alone_is_what_its_tree_writes(parts, dialect, values):
    marks = {"mustache": "{{{%s}}}", "python": "{%s}", "shell": "${%s}"}[dialect]
    text = "".join(marks % part if part in NAMES else part for part in parts)
    template = templates._parsed(text, dialect)
    assert template._steps is not None
    assert template.render(values) == by_tree(template, values)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("{{ for each in x }}{{ each }}{{ endfor }}", "promptl"),
        ("{{ a = x }}{{ if a }}{{ a }}{{ endif }}", "promptl"),
        ("{{ if x }}{{ x + 1 }}{{ endif }}", "promptl"),
        ("<system>{{ x }}</system>", "promptl"),
        ("{{#x}}{{.}}{{/x}}", "mustache"),
        ("{{range .x}}{{.}}{{end}}", "go"),
    ],
)
def test_what_is_more_than_names_and_conditions_is_left_to_the_tree(text, dialect):
    assert templates._parsed(text, dialect)._steps is None


STEPS = st.sampled_from(["fenced", "x", "a", "length"]) | st.integers(0, 2)


def found_by_prefixes(values, path):
    """Each prefix in turn, the longest first: what `lookup` has to find."""
    words = next((at for at, step in enumerate(path) if at and isinstance(step, int)), len(path))
    for count in range(words, 0, -1):
        if count == 1 and path[0] == "fenced" and len(path) > 1:
            return found_by_prefixes(values, path[1:])
        key = ".".join(map(str, path[:count]))
        if key in values:
            return descend(values[key], path[count:])
    return ABSENT


@given(
    st.dictionaries(
        st.lists(STEPS, min_size=1, max_size=3).map(lambda path: ".".join(map(str, path))),
        st.sampled_from(["text", 1, None, [], ["b", {"a": 1}], {"a": {"x": 2}, "0": 3}]),
    ),
    st.lists(STEPS, min_size=1, max_size=4).map(tuple),
)
def test_the_longest_key_goes_first_and_no_input_is_called_fenced(values, path):
    assert lookup(values, path) == found_by_prefixes(values, path)
