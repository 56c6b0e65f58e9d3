"""Other languages than English are recognised, and what is too short to tell is not guessed at."""

import pytest
from check_cases import check, score, texts
from hypothesis import given
from odd_texts import odd_texts

from adjudge.checks.language import detected_language
from adjudge.records import Failed


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The margins rose because prices fell in the second quarter.", "en"),
        ("Operating margin decreased sharply across European business units.", "en"),
        ("Die Margen sind gestiegen, weil die Preise fielen.", "de"),
        ("La capitale de la France est Paris et elle est belle.", "fr"),
        ("El proceso de fotosíntesis convierte la luz en energía.", "es"),
        ("Questa è una frase in italiano che parla di storia.", "it"),
        ("Это русский текст о природе и погоде.", "ru"),
        ("这是一句中文的句子。", "zh"),
        ("これは日本語の文章です。", "ja"),
    ],
)
def test_a_sentence_is_enough(text, language):
    assert detected_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Paris",
        "Guten Tag",
        "1577",
        "Albert Einstein, Niels Bohr, Werner Heisenberg, Erwin Schrödinger, Max Born",
        "int main(void) { return foo_bar(x, y) / 2; }",
        "https://example.org/eine/lange/deutsche/adresse/mit/vielen/wörtern",
        "!!! ??? ...",
    ],
)
def test_what_cannot_be_told_is_not_guessed(text):
    assert detected_language(text) is None


def test_only_the_beginning_counts():
    assert detected_language("The cat sat on the mat. " * 100 + "Das ist ein deutscher Satz. " * 1000) == "en"


@given(odd_texts)
def test_no_text_makes_it_fail(text):
    found = detected_language(text)
    assert found is None or len(found) == 2


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
