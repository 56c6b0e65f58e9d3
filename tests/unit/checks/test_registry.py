"""Each check in code against a table of cases; hostile text costs neither time nor memory without bound."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_texts import odd_texts

from adjudge.checks.finding import Finding
from adjudge.checks.length import count_units
from adjudge.checks.registry import CHECKS, MAX_VALUE_CHARS, run_check
from adjudge.checks.similarity import common_length, rouge_l, token_f1, tokenize
from adjudge.checks.tool_calls import pair_as_set, same_json
from adjudge.records import CheckScore, Failed

ANSWER = "42"


def rule(name, **parameters):
    declared = CHECKS[name].declared()
    read = {key: declared[key].read(value) for key, value in parameters.items()}
    return CheckScore(name=name, parameters=CHECKS[name].without_defaults(read))


def check(name, fields, **parameters):
    return run_check(rule(name, **parameters), fields)


def score(name, fields, **parameters):
    found = check(name, fields, **parameters)
    assert isinstance(found, Finding), found
    return found.score


def texts(response, reference=None):
    return {"response": response} if reference is None else {"response": response, "reference": reference}


@pytest.mark.parametrize(
    ("response", "reference", "parameters", "expected"),
    [
        ("Paris", "Paris", {}, 1),
        ("paris", "Paris", {}, 0),
        ("Paris ", "Paris", {}, 0),
        ("paris", "Paris", {"ignore": "case"}, 1),
        (" Paris\n", "Paris", {"ignore": ["space"]}, 1),
        ("Paris.", "Paris", {"ignore": ["punctuation"]}, 1),
        ("It's  «PARIS»!", "its paris", {"ignore": ["case", "space", "punctuation"]}, 1),
        ("Lyon", ["Paris", "Lyon"], {}, 1),
        ("Nice", ["Paris", "Lyon"], {}, 0),
        ("yes", None, {"text": "yes"}, 1),
        ("no", "no", {"text": "yes"}, 0),
        ("e\u0301", "\u00e9", {}, 1),  # composed in two ways
        (7, "7", {}, 1),
        ("STRASSE", "straße", {"ignore": "case"}, 1),
    ],
)
def test_exact(response, reference, parameters, expected):
    assert score("exact", texts(response, reference), **parameters) == expected


@given(odd_texts.filter(str.strip))
def test_exact_is_reflexive(text):
    assert score("exact", texts(text, text)) == 1
    assert score("contains", texts(text, text)) == 1


@pytest.mark.parametrize(
    ("response", "reference", "parameters", "expected"),
    [
        ("It is Paris.", "Paris", {}, 1),
        ("It is paris.", "Paris", {}, 0),
        ("It is paris.", "Paris", {"ignore": "case"}, 1),
        ("It is Lyon.", ["Paris", "Lyon"], {}, 1),
        ("It is Lyon.", ["Paris", "Lyon"], {"need": "all"}, 0),
        ("refund within 30 days", None, {"text": ["refund", "30 days"]}, 1),
        ("refund", None, {"text": ["refund", "30 days"]}, 0),
        ("refund", None, {"text": ["refund", "30 days"], "need": "any"}, 1),
        ("As an AI model …", None, {"text": "As an AI", "need": "none"}, 0),
        ("Certainly.", None, {"text": "As an AI", "need": "none"}, 1),
    ],
)
def test_contains(response, reference, parameters, expected):
    assert score("contains", texts(response, reference), **parameters) == expected


@pytest.mark.parametrize(
    ("response", "parameters", "expected"),
    [
        ("see [1]", {"pattern": r"\[\d+\]"}, 1),
        ("see 1", {"pattern": r"\[\d+\]"}, 0),
        ("AB-12", {"pattern": r"[A-Z]{2}-\d{2}", "match": "full"}, 1),
        ("AB-12!", {"pattern": r"[A-Z]{2}-\d{2}", "match": "full"}, 0),
        ("no digits", {"pattern": r"\d", "absent": True}, 1),
        ("1 digit", {"pattern": r"\d", "absent": True}, 0),
        ("ÄRGER", {"pattern": r"(?i)^ärger$"}, 1),
        ("half \ud800 character", {"pattern": "character$"}, 1),
    ],
)
def test_regex(response, parameters, expected):
    assert score("regex", texts(response), **parameters) == expected


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a*)*b", "(.*a){20}"])
def test_no_text_makes_a_regex_slow(pattern):
    """Each of these takes a backtracking engine years; the suite would never end."""
    for text in ("a" * 200_000 + "!", "a" * (MAX_VALUE_CHARS - 1) + "b"):
        assert score("regex", texts(text), pattern=pattern) in {0, 1}


@settings(max_examples=50)
@given(odd_texts, st.sampled_from([r"(\w+\s?)+$", r"(x+x+)+y", ".*.*.*=.*"]))
def test_a_regex_takes_every_text(text, pattern):
    assert score("regex", texts(text), pattern=pattern) in {0, 1}


@pytest.mark.parametrize(
    ("response", "reference", "parameters", "expected"),
    [
        ("It is 42.", "42", {}, 1),
        ("First 7, so it is 43.", "42", {}, 1),  # within 4 %
        ("It is 45.", "42", {}, 0),
        ("It is 43.", "42", {"tolerance": 0}, 0),
        ("42 at first, 17 in the end", "42", {}, 0),
        ("42 at first, 17 in the end", "42", {"which": "first"}, 1),
        ("42 at first, 17 in the end", "42", {"which": "any"}, 1),
        ("forty-two", "42", {}, 1),
        ("about 1.5 million", "1,500,000", {}, 1),
        ("1,040", "1,000", {"tolerance": 0.04}, 1),  # the bound is included
        ("1,041", "1,000", {"tolerance": 0.04}, 0),
        ("5 and then 5 again 7 and 5", "5", {}, 1),  # the last one, also where it stood before
        ("$12", "€12", {}, 0),
        ("none at all", "42", {}, 0),
        ("The mass is 12 kg", "The mass is 12000 g", {}, 1),
        ("in 1999", "1998", {}, 0),
        ("0.5", ["0.4", "0.5"], {}, 1),
        ("12", None, {"number": "12"}, 1),
        ("It is 42 [1]. See also [2, 3].", "42", {}, 1),  # sources are no answers
        ("[42]", "42", {}, 1),
    ],
)
def test_numeric(response, reference, parameters, expected):
    fields = {**texts(response, reference), "question": "How much, in what year?"}
    if "1998" in str(reference):
        fields["question"] = "In what year was it?"
    assert score("numeric", fields, **parameters) == expected


def test_a_reference_without_a_number_is_a_missing_input():
    found = check("numeric", texts("42", "many"))
    assert isinstance(found, Failed)
    assert (found.kind, found.error_kind) == ("missing_input", "reference")


def test_listing_every_number_is_no_answer():
    found = check("numeric", texts(" ".join(map(str, range(500))), "42"), which="any")
    assert isinstance(found, Failed)
    assert found.kind == "too_long"


PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "pattern": "^[A-Z]"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("response", "parameters", "expected"),
    [
        ('{"name": "Ada", "age": 36}', {"schema": PERSON}, 1),
        ('{"name": "ada"}', {"schema": PERSON}, 0),
        ('{"name": "Ada", "age": -1}', {"schema": PERSON}, 0),
        ('{"age": 1}', {"schema": PERSON}, 0),
        ('{"name": "Ada", "x": 1}', {"schema": PERSON}, 0),
        ({"name": "Ada"}, {"schema": PERSON}, 1),
        ('{"name": "Ada"', {"schema": PERSON}, 0),
        ("[1, 2]", {}, 1),
        ("NaN", {}, 0),
        ("plain words", {}, 0),
        ('```json\n{"name": "Ada"}\n```', {"schema": PERSON}, 0),
        ('```json\n{"name": "Ada"}\n```', {"schema": PERSON, "allow_fence": True}, 1),
        ('Here: ```json\n{"name": "Ada"}\n```', {"schema": PERSON, "allow_fence": True}, 0),
        ("[1, 1.0]", {"schema": {"uniqueItems": True}}, 0),
        ("[1, true]", {"schema": {"uniqueItems": True}}, 1),
        ('{"a1": 1}', {"schema": {"patternProperties": {"^a": {"type": "string"}}}}, 0),
        (
            '{"a1": "x", "b": 1}',
            {"schema": {"patternProperties": {"^a": {}}, "additionalProperties": False}},
            0,
        ),
    ],
)
def test_json_schema(response, parameters, expected):
    assert score("json_schema", texts(response), **parameters) == expected


def test_hostile_json_is_bounded():
    tree = {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
    assert score("json_schema", texts("[" * 100_000), schema=tree) == 0
    deep = check("json_schema", texts("[" * 900 + "]" * 900), schema=tree)
    assert isinstance(deep, Failed)
    assert deep.kind == "too_long"
    many = "[" + ",".join(["{}"] * 200_000) + "]"  # 20 billion comparisons, were they compared two by two
    assert score("json_schema", texts(many), schema={"uniqueItems": True}) == 0
    evil = json.dumps("a" * 200_000 + "!")
    assert score("json_schema", texts(evil), schema={"pattern": "^(a+)+$"}) == 0


@pytest.mark.parametrize(
    ("response", "reference", "measure", "expected"),
    [
        # worked by hand: P = 2·c/(m + n), c the words in common, m and n the words of each
        ("the cat sat", "the cat sat", "rouge_l", Fraction(1)),
        ("police killed the gunman", "police kill the gunman", "rouge_l", Fraction(3, 4)),  # Lin 2004
        ("the gunman kill police", "police kill the gunman", "rouge_l", Fraction(1, 2)),  # Lin 2004
        ("the gunman police killed", "police killed the gunman", "rouge_l", Fraction(1, 2)),
        ("", "a reference", "rouge_l", Fraction(0)),
        ("The Cat-sat!", "the cat sat", "rouge_l", Fraction(1)),
        ("testing one two", "testing", "rouge_l", Fraction(1, 2)),  # rouge-score: P 1/3, R 1, F1 0.5
        ("the cat sat", "a cat sat down", "token_f1", Fraction(4, 5)),  # articles dropped: 2 of 2 and 3
        ("sat cat", "cat sat", "token_f1", Fraction(1)),
        ("dog dog dog", "dog", "token_f1", Fraction(1, 2)),
        ("...", "word", "token_f1", Fraction(0)),
        ("巴黎是首都", "首都是巴黎", "token_f1", Fraction(1)),
        ("nothing", ["something else", "nothing much"], "token_f1", Fraction(2, 3)),
    ],
)
def test_similarity(response, reference, measure, expected):
    assert score("similarity", texts(response, reference), measure=measure) == expected


TOKENS = st.lists(st.sampled_from("abcdef"), max_size=30)


def longest_common(one, other):
    """The table of the textbook."""
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            rows[i + 1][j + 1] = rows[i][j] + 1 if a == b else max(rows[i][j + 1], rows[i + 1][j])
    return rows[-1][-1]


@given(TOKENS, TOKENS)
def test_similarities_are_symmetric_shares(one, other):
    assert common_length(one, other) == longest_common(one, other)
    for measure in (token_f1, rouge_l):
        assert 0 <= measure(one, other) <= 1
        assert measure(one, other) == measure(other, one)
        assert not one or measure(one, one) == 1


@given(odd_texts, odd_texts)
def test_similarity_takes_every_text(one, other):
    assert all(token.strip() for token in tokenize(one))
    if other.strip():
        assert 0 <= score("similarity", texts(one, other), measure="rouge_l") <= 1


def test_similarity_of_long_texts_is_bounded():
    long = "word other " * 9_000
    assert score("similarity", texts(long, long), measure="rouge_l") == 1
    found = check("similarity", texts("w " * 30_000, "w"), measure="rouge_l")
    assert isinstance(found, Failed)
    assert found.kind == "too_long"


SEARCH = {"name": "search", "arguments": {"q": "weather", "n": 3}}
OPENAI = {"type": "function", "function": {"name": "search", "arguments": '{"n": 3.0, "q": "weather"}'}}
BOOK = {"name": "book", "arguments": {}}


@pytest.mark.parametrize(
    ("made", "expected_calls", "parameters", "expected"),
    [
        ([SEARCH], [SEARCH], {}, 1),
        ([OPENAI], [SEARCH], {}, 1),
        ([], [], {}, 1),
        ([], [SEARCH], {}, 0),
        ([SEARCH], [], {}, 0),
        ([SEARCH], [], {"allow_extra": True}, 1),
        ([SEARCH, BOOK], [BOOK, SEARCH], {}, 0),
        ([SEARCH, BOOK], [BOOK, SEARCH], {"order": "any"}, 1),
        ([SEARCH, SEARCH], [SEARCH], {}, 0),
        ([SEARCH, SEARCH], [SEARCH], {"allow_extra": True}, 1),
        ([SEARCH, BOOK, SEARCH], [SEARCH, SEARCH], {"allow_extra": True}, 1),
        ([SEARCH], [SEARCH, SEARCH], {"order": "any"}, 0),
        ([SEARCH], ["search"], {"arguments": "ignore"}, 1),
        ([SEARCH], ["search"], {}, 0),
        ([SEARCH], [{"name": "search", "arguments": {"q": "weather"}}], {"arguments": "include"}, 1),
        ([SEARCH], [{"name": "search", "arguments": {"q": "news"}}], {"arguments": "include"}, 0),
        ([{"name": "f", "args": {"x": True}}], [{"name": "f", "input": {"x": 1}}], {}, 0),
        ([{"name": "f", "arguments": "not json"}], [{"name": "f", "arguments": "not json"}], {}, 1),
        (json.dumps([SEARCH]), [SEARCH], {}, 1),
    ],
)
def test_tool_calls(made, expected_calls, parameters, expected):
    fields = {"tool_calls": made, "expected_tool_calls": expected_calls}
    assert score("tool_calls", fields, **parameters) == expected


def test_a_set_of_calls_is_paired_as_well_as_it_can_be():
    """The first expected call fits both that were made, the second only one of them."""
    wide, narrow = {"name": "f", "arguments": {}}, {"name": "f", "arguments": {"x": 1}}
    made = [{"name": "f", "arguments": {"x": 1}}, {"name": "f", "arguments": {"y": 2}}]
    fields = {"tool_calls": made, "expected_tool_calls": [wide, narrow]}
    assert score("tool_calls", fields, order="any", arguments="include") == 1
    assert len(pair_as_set(range(3), range(3), lambda a, b: b <= a)) == 3


def test_calls_that_cannot_be_read_are_a_bad_row():
    for made in ([{"arguments": {}}], "words", [3]):
        found = check("tool_calls", {"tool_calls": made, "expected_tool_calls": []})
        assert isinstance(found, Failed)
        assert (found.kind, found.error_kind) == ("bad_row", "tool_calls")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


@given(JSON, JSON)
def test_equal_json_is_an_equivalence(one, other):
    assert same_json(one, one)
    assert same_json(one, other) == same_json(other, one)


@pytest.mark.parametrize(
    ("response", "parameters", "expected"),
    [
        ("one two three", {"max": 3}, 1),
        ("one two three four", {"max": 3}, 0),
        ("one", {"min": 2}, 0),
        ("abc", {"unit": "characters", "min": 3, "max": 3}, 1),
        ("It's Dr. Who. He came, e.g. today. Bye!", {"unit": "sentences", "min": 3, "max": 3}, 1),
        (
            "Pi is 3.14, J. R. said... So what?! “Yes.” It is (no joke.)",
            {"unit": "sentences", "min": 4, "max": 4},
            1,
        ),
        ("这是中文。你好！", {"unit": "sentences", "min": 2, "max": 2}, 1),
        ("", {"unit": "sentences", "max": 0}, 1),
        ("- one\n- two\n- three", {"unit": "sentences", "max": 2}, 0),
        ("x" * 40, {"unit": "tokens", "max": 10}, 1),
        ("x" * 41, {"unit": "tokens", "max": 10}, 0),
        ("我们去公园", {"min": 5, "max": 5}, 1),
    ],
)
def test_length(response, parameters, expected):
    assert score("length", texts(response), **parameters) == expected


@given(odd_texts, st.sampled_from(["characters", "words", "sentences", "tokens"]))
def test_every_text_has_a_length(text, unit):
    assert 0 <= count_units(text, unit) <= 4 * len(text)


@pytest.mark.parametrize(
    ("response", "wanted", "expected"),
    [
        ("The capital of France is Paris, and it is a large city.", "en", 1),
        ("La capitale de la France est Paris et elle est belle.", "en", 0),
        ("La capitale de la France est Paris et elle est belle.", ["de", "fr"], 1),
        ("这是一句中文的句子。", "zh", 1),
    ],
)
def test_language(response, wanted, expected):
    assert score("language", texts(response), **{"is": wanted}) == expected


def test_a_text_too_short_to_tell_has_no_score():
    found = check("language", texts("OK"), **{"is": "en"})
    assert isinstance(found, Failed)
    assert (found.kind, found.error_kind) == ("abstained", "cannot_tell")


@pytest.mark.parametrize(
    "name", ["exact", "contains", "regex", "numeric", "json_schema", "similarity", "length"]
)
def test_a_text_beyond_the_bound_is_too_long(name):
    parameters = {"regex": {"pattern": "a"}, "similarity": {"measure": "rouge_l"}, "length": {"max": 5}}
    found = check(name, texts("a" * (MAX_VALUE_CHARS + 1), ANSWER), **parameters.get(name, {}))
    assert isinstance(found, Failed)
    assert found.kind == "too_long"


@given(odd_texts, odd_texts.filter(str.strip))
def test_reasons_are_short_and_on_one_line(response, reference):
    """Texts of a case come into a sentence of ours shortened and without control characters."""
    for name, parameters in (("exact", {}), ("contains", {}), ("regex", {"pattern": "x"})):
        found = check(name, texts(response, reference), **parameters)
        assert isinstance(found, Finding)
        assert found.reason.isprintable()
        assert len(found.reason) < 1_000


SEEN = {
    "response": "It costs 25 euros, see [1]. Sources follow below.",
    "reference": ["24.50 €", "It costs 25 euros, see [1]"],
    "question": "What does it cost?",
    "tool_calls": [SEARCH, BOOK],
    "expected_tool_calls": [SEARCH],
}
GIVEN = {
    "regex": {"pattern": r"\[\d\]"},
    "similarity": {"measure": "rouge_l"},
    "length": {"max": 5},
    "language": {"is": "en"},
}
FOUND = {
    "exact": (
        1,
        "The response `It costs 25 euros, see [1]. Sources follow below.` is not any of `24.50 €`, `It costs 25 euros, see [1]`.",
    ),
    "contains": (1, "The response contains `It costs 25 euros, see [1]`."),
    "regex": (1, "The response matches `\\[\\d\\]`: `[1]` at character 24."),
    "numeric": (
        1,
        "`25 euros`, the response's last number, agrees with the expected `24.50 €`: off by 2.04 %, 4 % allowed.",
    ),
    "json_schema": (1, "The response is not JSON: the first fault is at line 1, column 1."),
    "similarity": (
        1,
        "ROUGE-L of the response (9 words) with the reference 2 of 2, the nearest (6 words) is 0.8.",
    ),
    "tool_calls": (1, "The calls are not the expected ones: not expected `book({})`."),
    "length": (1, "The response has 9 words; at most 5 allowed."),
    "language": (1, "The response is in `en`; `en` was wanted."),
}
"""Version and reason: what a check finds changes only with its version, which is part of hashes."""


@pytest.mark.parametrize("name", FOUND)
def test_what_a_check_finds_changes_only_with_its_version(name):
    found = check(name, SEEN, **GIVEN.get(name, {}))
    assert isinstance(found, Finding)
    assert (CHECKS[name].version, found.reason) == FOUND[name]
