"""What temperature a run asked for, as its plan and its report say it."""

import io

import pytest

from adjudge.analysis.summary.figures import Tally
from adjudge.analysis.summary.report import Report
from adjudge.analysis.summary.stored import asked_temperatures


def test_a_plan_that_names_each_judges_is_taken_at_its_word(build):
    plan = {"judges": ["a@1", "b@2"], "temperatures": [0.7, None], "temperature": 0.0}
    assert asked_temperatures(plan, [build.judge("a", hash="1")]) == {"a@1": 0.7, "b@2": None}


def test_of_an_older_plan_the_judges_own_goes_first(build):
    judges = [build.judge("a", hash="1", temperature=0.3), build.judge("b", hash="2")]
    assert asked_temperatures({"temperature": None}, judges) == {"a@1": 0.3, "b@2": None}
    assert asked_temperatures({"temperature": 0.0}, judges) == {"a@1": 0.3, "b@2": 0.0}
    assert asked_temperatures({}, judges) == {}


@pytest.mark.parametrize(
    ("degree", "said"),
    [(None, "temperature: the provider's default"), (0.7, "temperature: 0.7"), (0.0, "temperature: 0")],
)
def test_with_repeats_every_form_of_the_report_names_it(build, degree, said):
    tally = Tally([build.judge()], repeats=2, temperatures={"j@abc123": degree})
    for repeat in range(2):
        tally.add(build.judgement(build.scored(3.0), repeat=repeat))
    report = Report(judges=tally.summaries())
    file = io.StringIO()
    report.print(file=file)
    assert f"  {said}\n" in file.getvalue()
    assert f"{said}\n" in report.to_markdown()
    assert said.replace("'", "&#39;") in report.to_html()
    (judge,) = report.to_json()["judges"]
    assert (judge["temperatures"], judge["repeats"]) == ([degree], 2)


def test_the_usual_0_of_a_single_judgement_is_not_worth_a_line(build):
    tally = Tally([build.judge()], repeats=1, temperatures={"j@abc123": 0.0})
    tally.add(build.judgement(build.scored(3.0)))
    report = Report(judges=tally.summaries())
    assert "temperature" not in report.to_markdown()
    assert report.to_json()["judges"][0]["temperatures"] == [0.0]


def test_the_embedded_judge_has_none(build):
    tally = Tally([build.judge()], repeats=2, temperatures={"j@abc123": None})
    for repeat in range(2):
        tally.add(build.judgement(build.scored(3.0), repeat=repeat, model="embedded@1"))
    assert "temperature: none, the embedded judge" in Report(judges=tally.summaries()).to_markdown()
