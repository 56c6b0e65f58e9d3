"""The probability of a value is that of its own tokens, in the verdict that counts."""

import json
import math

import pytest
from verdict_contracts import CONTRACTS

from adjudge.records import TokenLogprob, Verdict
from adjudge.verdicts import read_verdict, value_tokens


def value_probability(logprobs, contract, verdict):
    found = value_tokens(logprobs, contract, verdict)
    return None if found is None else found.probability


def probability(name, *tokens):
    """Tokens are texts with probability 1/2 where marked `*`, 1/8 for what must not count."""
    logprobs = [
        TokenLogprob(token=t.removeprefix("*"), logprob=math.log(0.5 if t.startswith("*") else 0.125))
        for t in tokens
    ]
    text = "".join(token.token for token in logprobs)
    verdict = read_verdict(text, CONTRACTS[name], whole=False, case_texts=[])
    assert isinstance(verdict, Verdict), verdict
    return value_probability(logprobs, CONTRACTS[name], verdict)


@pytest.mark.parametrize(
    ("name", "tokens", "wanted"),
    [
        ("relevance", ['{"', "score", '":', " ", "*4", ', "reason": "x"}'], 0.5),
        ("relevance", ['{"score": "', "*4", '", "reason": "4"}'], 0.5),
        ("relevance", ['{"score": 3, "reason": "x"} so: {"score": ', "*3", ', "reason": "x"}'], 0.5),
        ("relevance", ['{"reason": "a {\\"score\\": 1} b", "score":', "* 2", "}"], 0.5),
        ("relevance", ['{"verdict": {"score": ', "*2", ', "reason": "x"}}'], 0.5),
        ("relevance", ['<think>{"score": 4}</think>{"score": ', "*2", ', "reason": "x"}'], 0.5),
        ("relevance", ["{'score': ", "*2", ", 'reason': 'x',}"], 0.5),
        ("binary", ['{"final_score": ', "*1", "*.0", ', "score_reason": "x"}'], 0.25),
        ("line", ["Fine 1.\nVERDICT:", "* dis", "*agree"], 0.25),
        ("scoreline", ["Score: ", "*8", " out of 10"], 0.5),
        ("tags", ["<score>", "*4", "</score>"], 0.5),
        ("brackets", ["Good. [[", "*8", "]]"], 0.5),
        ("grade", ["*B", ": because A is worse"], 0.5),
    ],
)
def test_only_the_tokens_of_the_value_count(name, tokens, wanted):
    assert probability(name, *tokens) == pytest.approx(wanted)


def test_several_needed_properties_have_no_one_probability():
    given = {"facts": [], "organization": "similar"}
    assert probability("facts", json.dumps(given)) is None


def test_without_the_value_there_is_no_probability():
    verdict = Verdict(parts={"score": 4, "reason": "x"})
    other = [TokenLogprob(token='{"score": 3, "reason": "x"}', logprob=-0.1)]
    assert value_probability(other, CONTRACTS["relevance"], verdict) is None
    assert value_probability([], CONTRACTS["relevance"], verdict) is None
    nonsense = [TokenLogprob(token='{"score": 4, "reason": "x"}', logprob=math.nan)]
    assert value_probability(nonsense, CONTRACTS["relevance"], verdict) is None


def test_an_impossible_token_gives_zero():
    verdict = Verdict(parts={"score": 4, "reason": "x"})
    tokens = [
        TokenLogprob(token='{"score": ', logprob=0.0),
        TokenLogprob(token="4", logprob=-9999.0),
        TokenLogprob(token=', "reason": "x"}', logprob=0.0),
    ]
    assert value_probability(tokens, CONTRACTS["relevance"], verdict) == 0.0
