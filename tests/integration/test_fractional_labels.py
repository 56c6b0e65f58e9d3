"""Labels that are means of ratings: distance and rank correlation, each with n and interval, never equality."""

import json

import pytest
from served import served

LABELS = [1.2, 1.6, 2.4, 2.8, 3.2, 3.6, 4.2, 4.6, 5, 1, 2]
SCORES = [1, 1, 2, 3, 3, 4, 4, 5, 3, 4, 3]
PROMPT = """---
verdict: {score: integer}
score: score
scale: [1, 5]
---
Rate the answer from 1 to 5.

{{ response }}
"""


@pytest.fixture
def run(adjudge, tmp_path):
    (tmp_path / "kind.md").write_text(PROMPT)

    def judge(labels, *options, clusters=None, process=False):
        with (tmp_path / "cases.jsonl").open("w") as cases, (tmp_path / "replies.jsonl").open("w") as replies:
            for number, (label, score) in enumerate(zip(labels, SCORES, strict=True)):
                case = {"id": f"c{number}", "response": f"r{number}", "label": label}
                if clusters:
                    case["cluster"] = number % clusters
                cases.write(json.dumps(case) + "\n")
                replies.write(json.dumps({"case_id": f"c{number}", "replies": [{"score": score}]}) + "\n")
        done = adjudge("run", "cases.jsonl", "--judge", "kind.md", "--model", "scripted:replies.jsonl", *options, process=process)  # fmt: skip
        assert done.code == 0, done.err
        return done

    return judge


def test_all_numeric_labels_are_ranked_and_none_is_held_equal(run, adjudge, tmp_path):
    stats = pytest.importorskip("scipy.stats")
    done = run(LABELS, "-o", "report.md", "-o", "report.html", process=True)
    files = [(tmp_path / name).read_text() for name in ("report.md", "report.html")]
    for text in (done.out, *files):
        shown = " ".join(text.replace("\\", "").split())
        assert "agrees with" not in shown
        assert "rank correlation 0.49 [-0.38, 0.90] (n 11)" in shown
        assert "mean absolute error to your labels 0.78 [" in shown
    (judge,) = json.loads(adjudge("report", "--json").out)["judges"]
    found = judge["agreement"]
    assert found["measured"] is True
    assert found["rate"] is None
    assert found["rank_correlation"]["value"] == pytest.approx(stats.spearmanr(LABELS, SCORES).statistic)
    assert found["rank_correlation"]["n"] == found["absolute_error"]["n"] == 11
    gaps = [abs(label - score) for label, score in zip(LABELS, SCORES, strict=True)]
    assert found["absolute_error"]["value"] == pytest.approx(sum(gaps) / 11)
    assert found["populations"]["rank_correlation"] == {"cases": "judged and labelled", "unit": "judgement"}


def test_clusters_make_the_interval_wider_and_keep_the_value(run, adjudge):
    run(LABELS)
    (alone,) = json.loads(adjudge("report", "--json").out)["judges"]
    run(LABELS, clusters=5)
    (clustered,) = json.loads(adjudge("report", "--json").out)["judges"]
    first, second = (judge["agreement"]["rank_correlation"] for judge in (alone, clustered))
    assert second["value"] == pytest.approx(first["value"])
    assert (first["clusters"], second["clusters"]) == (None, 5)
    assert "fewer than 10" in second["warning"]
    assert clustered["agreement"]["absolute_error"]["clusters"] == 5


def test_whole_labels_keep_their_agreement_and_steps_with_intervals(run):
    shown = " ".join(run([round(label) for label in LABELS]).err.split())
    assert (
        "within one step of your labels on 9 of 11: 81.8 % [52.3, 94.9]; equal on 7: 63.6 % [35.4, 84.8]"
        in shown
    )
    assert "(n 11)" in shown


def test_the_chip_of_the_run_page_says_how_far_off_and_not_how_often_equal(run, tmp_path):
    run(LABELS, "--name", "fractional")
    with served(tmp_path / ".adjudge") as opened:
        page = opened.client.get("/runs/fractional").text
    assert "labels: off by 0." in page
    assert "agrees with labels" not in page
