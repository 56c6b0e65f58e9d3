"""The card that ships is the shipped judge's, and says what a reader has to know of each figure."""

from adjudge.embedded.card import CardFigure, EmbeddedCard, read_card
from adjudge.embedded.client import EmbeddedClient


def test_the_shipped_card_is_that_of_the_shipped_judge():
    card = read_card()
    assert card.model == EmbeddedClient().name
    assert {"correctness", "coverage", "helpfulness", "relevance"} <= set(card.judges())
    assert all(each.low <= each.value <= each.high for each in card.agreements)
    assert all(each.rows >= each.questions > 0 for each in card.agreements)


def test_a_figure_comes_with_its_interval_its_base_rate_and_whether_the_set_was_trained_on():
    figure = {"judge": "correctness", "low": 0.9, "high": 0.95, "rows": 100, "questions": 50}
    card = EmbeddedCard(
        model="m",
        base="b",
        licence="l",
        agreements=[
            CardFigure(
                dataset="a", measure="accuracy", value=0.93, base_rate=0.73, trained_on=False, **figure
            ),
            CardFigure(dataset="a", measure="kappa", value=0.92, base_rate=0.73, trained_on=False, **figure),
            CardFigure(dataset="b", measure="spearman", value=0.91, **figure),
        ],
        not_measured=["verse"],
        speed={"correctness": 17.0},
    )
    assert card.in_words("correctness") == (
        "a (73 % right, never trained on) accuracy .93 [.90, .95], κ .92 [.90, .95]; b spearman .91 [.90, .95]"
    )
    assert card.as_lines()[-2:] == ["speed on two cores: correctness 17/s", "not measured: verse"]
