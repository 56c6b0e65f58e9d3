"""A prompt that does not fit is refused or, where the judge allows it, cut and noted; never silently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.prompts.fit import LIKELY_BYTES, DoesNotFitError, fit_prompt, surely_fits
from adjudge.records import Message, Prompt


def render(values):
    return Prompt(
        messages=(Message(role="user", content=f"Judge: {values['context']} / {values['response']}"),)
    )


def fit(context, *, tokens, cut=None, reply=10, response="r"):
    return fit_prompt(
        render, {"context": context, "response": response}, context_tokens=tokens, reply_tokens=reply, cut=cut
    )


def test_without_a_known_length_nothing_is_touched():
    assert fit("x" * 1_000_000, tokens=None).prompt == render({"context": "x" * 1_000_000, "response": "r"})


def test_what_fits_is_sent_as_it_is():
    fitted = fit("short", tokens=100, cut="context")
    assert (fitted.prompt, fitted.note) == (render({"context": "short", "response": "r"}), None)


def test_what_cannot_fit_is_refused_with_what_to_do():
    with pytest.raises(DoesNotFitError, match="truncate: INPUT"):
        fit("x" * 10_000, tokens=100)


def test_what_might_fit_is_left_to_the_provider():
    assert fit("x" * 500, tokens=100).note is None


def test_an_input_that_may_be_cut_is_cut_and_noted():
    fitted = fit("x" * 10_000, tokens=100, cut="context")
    content = fitted.prompt.messages[0].content
    assert content.endswith("/ r")
    assert len(content) <= 90 * 3
    kept = content.count("x")
    assert fitted.note == f"input_truncated:context:{kept} of 10000 characters"


def test_a_prompt_that_is_too_long_without_the_input_is_refused():
    with pytest.raises(DoesNotFitError, match="even without `context`"):
        fit("x", tokens=100, cut="context", response="y" * 10_000)


@given(st.text(max_size=400), st.integers(20, 200))
def test_a_cut_prompt_likely_fits_and_never_splits_a_character(text, tokens):
    try:
        fitted = fit(text, tokens=tokens, cut="context")
    except DoesNotFitError:
        return
    content = fitted.prompt.messages[0].content
    assert len(content.encode("utf-8", "surrogatepass")) / LIKELY_BYTES + 10 <= tokens
    middle = content.removeprefix("Judge: ").removesuffix(" / r")
    assert text.startswith(middle)


@given(
    st.text(alphabet="x é漢😀\ud800", max_size=60),
    st.integers(1, 90),
    st.integers(0, 40),
    st.sampled_from([None, "context", "elsewhere"]),
)
def test_a_prompt_that_surely_fits_is_sent_as_it_is(text, tokens, reply, cut):
    prompt = render({"context": text, "response": "r"})
    if surely_fits(prompt, tokens, reply):
        assert fit(text, tokens=tokens, cut=cut, reply=reply) == (prompt, None)


def test_whatever_its_length_a_prompt_fits_a_context_nobody_knows():
    assert surely_fits(render({"context": "x" * 1_000_000, "response": "r"}), None, 10)
