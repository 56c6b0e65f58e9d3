"""`adjudge report`, and the report files of `run`, as a person types them."""

import json
from xml.etree import ElementTree as ET

import pytest
from jsonl import write_lines


@pytest.fixture
def judged(adjudge, tmp_path):
    """Twelve cases in six clusters, judged twice; one that could not be read."""
    with (tmp_path / "cases.jsonl").open("w") as cases, (tmp_path / "replies.jsonl").open("w") as replies:
        for n in range(12):
            topic = "<i>law</i>" if n % 2 else "art"
            case = {"id": f"c{n}", "question": "q?", "response": f"r{n}", "cluster": n // 2, "topic": topic}
            cases.write(json.dumps({**case, "metadata": {"level": n % 3}}) + "\n")
            scores = [n % 6, (n + n % 2) % 6]
            said = [{"reason": f"<b>{n}</b>", "score": score} for score in scores]
            replies.write(json.dumps({"case_id": f"c{n}", "replies": said if n else ["?"] * 6}) + "\n")

    def run(*options):
        return adjudge(
            "run", "cases.jsonl", "--judge", "relevance", "--model", "scripted:replies.jsonl", "--repeat", "2",
            *options,
        )  # fmt: skip

    return run


def test_clusters_repeats_and_slices_come_back_from_the_store(judged, adjudge):
    done = judged("--json", "--slice", "topic", "--slice", "level")
    assert done.code == 0, done.err
    again = adjudge("report", "last", "--json", "--slice", "topic", "--slice", "level")
    assert again.code == 0, again.err
    first, second = json.loads(done.out), json.loads(again.out)
    (judge,) = second["judges"]
    assert first["run"] == second["run"]
    for part in ("mean", "pass_rate", "bounds", "repeated", "slices", "grouping", "worst"):
        assert first["judges"][0][part] == judge[part]
    assert judge["grouping"] == "cluster"
    assert judge["mean"]["clusters"] == 6
    assert "fewer than 10 is unreliable" in judge["mean"]["warning"]
    assert [[part["value"] for part in column["slices"]] for column in judge["slices"]] == [
        ["<i>law</i>", "art"],
        ["0", "1", "2"],
    ]
    assert judge["repeated"]["noise"]["cases"] == 11
    assert judge["outcomes"] == {"scored": 22, "unreadable": 2}


def test_a_stored_run_names_the_temperature_it_asked_for(judged, adjudge):
    judged("--json")
    assert "temperature: the provider's default" in adjudge("report").out
    judged("--json", "--temperature", "0.3")
    done = adjudge("report")
    assert "temperature: 0.3\n" in done.out
    assert "each case was judged 2 times" in adjudge("report", "-v").out
    assert json.loads(adjudge("report", "--json").out)["judges"][0]["temperatures"] == [0.3]


def test_the_terminal_marks_what_is_not_to_be_relied_on(judged, adjudge):
    judged("--json")
    done = adjudge("report")
    assert done.code == 0
    assert "Unreliable    6 clusters: an interval over fewer than 10 is unreliable" in done.out
    assert "undecided at the pass threshold: " in done.out
    assert "cases come in 6 clusters (column `cluster`" in adjudge("report", "--verbose").out


def test_report_files_of_run_and_of_report_are_the_same_figures(judged, adjudge, tmp_path):
    done = judged("-o", "a.html", "-o", "a.md", "-o", "a.junit.xml", "-o", "a.jsonl", "--slice", "topic")
    assert done.code == 0, done.err
    assert "2 unreadable" in done.out  # the report is still printed
    done = adjudge("report", "-o", "b.html", "-o", "b.md", "-o", "b.junit.xml", "--slice", "topic")
    assert (done.code, done.out) == (0, "")
    assert done.err == "wrote b.html, b.md, b.junit.xml\n"
    assert (tmp_path / "a.jsonl").read_text().count("\n") == 24

    def figures(text):
        return [
            line for line in text.splitlines() if "by topic" in line or "unreadable" in line or "law" in line
        ]

    for suffix in ("html", "md"):
        one, other = ((tmp_path / f"{name}.{suffix}").read_text() for name in "ab")
        assert figures(one) == figures(other) != []
        assert "<i>law" not in one.replace("`<i>law", "")
    root = ET.parse(tmp_path / "b.junit.xml").getroot()
    assert (root.get("tests"), root.get("errors")) == ("24", "2")
    assert {failure.text for failure in root.iter("failure")} >= {"<b>1</b>"}


def test_rows_can_be_exported_as_junit(judged, adjudge, tmp_path):
    judged("--json")
    done = adjudge("export", "-o", "out.junit.xml")
    assert done.code == 0, done.err
    assert ET.parse(tmp_path / "out.junit.xml").getroot().get("tests") == "24"


def test_a_column_that_is_not_there_is_an_error_afterwards_and_a_warning_when_it_was_paid_for(
    judged, adjudge
):
    done = judged("--json", "--slice", "colour")
    assert done.code == 0
    assert "warning: --slice colour: no case has such a column; there are level, topic" in done.err
    done = adjudge("report", "--slice", "colour", "-o", "x.html")
    assert done.code == 2
    assert "hint: there are level, topic" in done.err


def test_a_file_that_is_no_report_is_refused(adjudge, tmp_path):
    done = adjudge("report", "-o", "rows.csv")
    assert done.code == 2
    assert "`adjudge export` writes the rows" in done.err
    assert not (tmp_path / "rows.csv").exists()


def test_a_stored_run_can_be_gated_at_the_mean_or_at_its_lower_end(judged, adjudge):
    judged("--json")
    mean = json.loads(adjudge("report", "--json").out)["judges"][0]["mean"]
    between = f"{(mean['low'] + mean['value']) / 2}"
    gate = ("report", "--fail-under", between, "--max-error-rate", "0.2")
    assert adjudge(*gate, "--gate", "point").code == 0
    done = adjudge(*gate)
    assert done.code == 1
    assert "at the lower end of its 95 % interval" in " ".join(done.out.split())
    assert "fewer than 10 is unreliable" in " ".join(done.out.split())
    assert adjudge("report", "--fail-under", between).code == 3
    assert adjudge("report", "--fail-under", "9").code == 2


def test_a_run_of_the_first_rows_says_so_and_names_the_random_sample(tmp_path, adjudge):
    rows = [{"id": f"c{number}", "question": "q", "response": "r"} for number in range(6)]
    write_lines(tmp_path / "cases.jsonl", rows)
    reply = json.dumps({"reason": "It answers.", "score": 4})
    write_lines(tmp_path / "replies.jsonl", [{"match": "q", "reply": reply}])
    run = ("run", "cases.jsonl", "--judge", "relevance", "-m", "scripted:replies.jsonl", "-o", "rows.csv")
    said = "the first 4 rows of the file, not a random sample: --sample 4 draws one"
    assert said in adjudge(*run, "-n", "4", "--name", "head").out
    assert said in adjudge("report", "head").out
    for whole in (("--sample", "4"), ("-n", "60"), ()):
        assert "the first" not in adjudge(*run, *whole).out
