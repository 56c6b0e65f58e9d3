"""The four real prompts: their dialect and inputs are read, and everything but their tags is sent byte for byte."""

import pytest

from adjudge import templates

EXPECTED = {
    "000": ("promptl", [("actualOutput", False), ("parameters", False), ("toolCalls", True)]),
    "001": (
        "mustache",
        [("question", False), ("ai_response", False), ("expected_output", False), ("current_date", False)],
    ),
    "003": ("printf", [("question", False), ("answer", False), ("focus", False)]),
    "004": ("mustache", [("item.input", False), ("item.reference", False), ("item.output_text", False)]),
}


@pytest.fixture(params=EXPECTED)
def seed(request, seeds):
    return request.param, seeds[request.param].read_bytes().decode()


def test_dialect_and_inputs_are_read_from_the_text(seed):
    name, text = seed
    dialect, inputs = EXPECTED[name]
    assert templates.detect(text) == dialect
    assert [(r.name, r.guarded) for r in templates.inputs(text, dialect)] == inputs


def test_everything_but_the_tags_is_sent_byte_for_byte(seed):
    name, text = seed
    dialect, inputs = EXPECTED[name]
    values = {input_name: f"\n«{input_name}»{{{{x}}}} %s $x {{x}}\n" for input_name, _ in inputs}
    (message,) = templates.render(text, dialect, values)
    expected = text
    if name == "000":
        before, _, rest = text.partition("{{ if toolCalls?.length }}")
        shown, _, rest = rest.partition("{{ else }}")
        _, _, after = rest.partition("{{ endif }}")
        expected = before + shown.strip() + after
    for input_name, _ in inputs:
        for tag in (f"{{{{{input_name}}}}}", f"{{{{ {input_name} }}}}"):
            expected = expected.replace(tag, f"⟦{input_name}⟧")
        if dialect == "printf":
            expected = expected.replace("%s", f"⟦{input_name}⟧", 1)
    for input_name, _ in inputs:
        assert f"⟦{input_name}⟧" in expected
        expected = expected.replace(f"⟦{input_name}⟧", values[input_name])
    assert message.role == "user"
    assert message.content == expected


def test_tool_calls_absent_and_empty_take_the_other_branch(seeds):
    text = seeds["000"].read_bytes().decode()
    rest = text.partition("{{ else }}")[2].partition("{{ endif }}")[0]
    for values in ({}, {"toolCalls": []}):
        (message,) = templates.render(text, "promptl", values)
        assert rest.strip() in message.content
        assert "{{" not in message.content


def test_the_outline_shows_every_branch_and_every_input(seed):
    name, text = seed
    dialect, inputs = EXPECTED[name]
    outline = templates.outline(text, dialect)
    positions = [outline.index(f"⟦{input_name}⟧") for input_name, _ in inputs]
    assert positions == sorted(positions)
    assert "{{" not in outline
    assert "%s" not in outline
    if name == "000":
        assert text.partition("{{ else }}")[2].partition("{{ endif }}")[0] in outline
