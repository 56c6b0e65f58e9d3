"""`--cascade`: the cheapest model that is sure enough decides; who was asked, what was decided where, and the guarantee."""

import json
import random
from collections import Counter

import pytest
from jsonl import read_lines, write_lines
from logprobs import said
from polite_judge import POLITE
from served import served

import adjudge as library
from adjudge.records import Completion, Request
from adjudge.store import open_store

LABELLED, OTHERS = 160, 40
ASKED = Counter()


def kind(case_id):
    """Of five cases three are easy, one is hard and one is impossible."""
    return ("easy", "easy", "hard", "easy", "impossible")[int(case_id[1:]) % 5]


def truth(case_id):
    return int(case_id[1:]) % 2 == 0


def reply(*, passes, sure):
    label, other = ("pass", "fail") if passes else ("fail", "pass")
    return said('{"reason": "So.", "label": "', (label, {other: 1 - sure}), '"}')


def cheap(request: Request) -> Completion:
    """Sure of the easy cases, and right; guesses the others."""
    ASKED["cheap", request.case_id] += 1
    if kind(request.case_id) == "easy":
        return reply(passes=truth(request.case_id), sure=0.99)
    return reply(passes=True, sure=0.6)


def dear(request: Request) -> Completion:
    """Right on all but the impossible ones, of which it is not sure."""
    ASKED["dear", request.case_id] += 1
    if kind(request.case_id) == "impossible":
        return reply(passes=True, sure=0.7)
    return reply(passes=truth(request.case_id), sure=0.95)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ASKED.clear()
    (tmp_path / "polite.md").write_text(POLITE)
    ids = [f"c{at:03}" for at in range(LABELLED + OTHERS)]
    rows = [{"id": case_id, "response": f"Answer {case_id}."} for case_id in ids]
    write_lines(tmp_path / "cases.jsonl", rows)
    labels = [{"case_id": case_id, "label": truth(case_id)} for case_id in ids[OTHERS:]]
    write_lines(tmp_path / "labels.jsonl", labels)
    return tmp_path


def evaluate(*models, **more):
    options = {"labels": "labels.jsonl", "agree": 0.9, **more}
    return library.evaluate("cases.jsonl", judges=["polite.md"], cascade=models or (cheap, dear), **options)


def others():
    return [f"c{at:03}" for at in range(OTHERS)]


@pytest.mark.parametrize("store", [None, ".adjudge"])
@pytest.mark.parametrize("jobs", [1, 8])
def test_each_case_is_decided_by_the_first_model_that_is_sure(folder, store, jobs):
    run = evaluate(store=store, jobs=jobs)
    assert [judgement.case_id for judgement in run] == [f"c{at:03}" for at in range(LABELLED + OTHERS)]
    (model,) = {judgement.model for judgement in run}
    assert model == f"cascade:function:{cheap.__module__}.cheap,function:{dear.__module__}.dear"
    for judgement in list(run)[:OTHERS]:
        wanted = {"easy": "cheap", "hard": "dear", "impossible": None}[kind(judgement.case_id)]
        stage = judgement.verdict["cascade"]["stage"]
        assert (stage or "").rpartition(".")[2] == (wanted or "")
        if wanted is None:
            assert (judgement.outcome.kind, judgement.outcome.error_kind) == ("abstained", "undecided")
            assert "no stage was sure enough" in judgement.outcome.message
        else:
            assert judgement.passed is truth(judgement.case_id)
            assert judgement.notes == (f"decided_by:{stage}",)
    assert max(ASKED.values()) == 1
    asked_dear = {case_id for name, case_id in ASKED if name == "dear"}
    assert {case_id for case_id in others() if case_id in asked_dear} == {
        case_id for case_id in others() if kind(case_id) != "easy"
    }
    assert len(asked_dear) == LABELLED + OTHERS * 2 // 5  # every labelled case is asked of every stage
    (figures,) = run.report().cascades
    assert (figures.calibration, figures.cases, figures.undecided) == (LABELLED, OTHERS, 8)
    assert [(stage.threshold, stage.asked, stage.decided) for stage in figures.stages] == [
        (pytest.approx(0.99), 40, 24),
        (pytest.approx(0.95), 16, 8),
    ]
    assert figures.spared.value == pytest.approx(0.6)
    tested = figures.calibrated.tested
    assert tested.value == 1.0
    assert tested.n >= 29
    assert run.partial is None


@pytest.mark.parametrize("calls", [1, 50, 170, 210, 330, 361])
def test_a_cascade_that_was_stopped_goes_on_and_asks_nothing_twice(folder, calls):
    evaluate(name="r", max_calls=calls, jobs=4)
    run = evaluate(name="r", jobs=4)
    assert len(run) == LABELLED + OTHERS
    assert Counter(judgement.outcome.kind for judgement in list(run)[:OTHERS]) == {
        "scored": 32,
        "abstained": 8,
    }
    assert sum(judgement.verdict["cascade"]["stage"] is None for judgement in list(run)[:OTHERS]) == 8
    assert max(ASKED.values()) == 1
    store = open_store(".adjudge")
    record = store.find_run("r")
    store.close()
    assert record.state == "finished"
    assert record.judgements == record.expected == 200 + 176 + 200


def test_too_few_labels_decide_nothing_and_the_report_says_how_many_would_do(folder):
    lines = (folder / "labels.jsonl").read_text().splitlines(keepends=True)
    (folder / "labels.jsonl").write_text("".join(lines[:30]))
    run = evaluate()
    assert {judgement.outcome.kind for judgement in run} == {"abstained"}
    assert sum(name == "dear" for name, _ in ASKED) == 30  # nobody is asked who could not decide
    (figures,) = run.report().cascades
    assert not figures.calibrated.decides
    assert figures.needed is not None
    assert 58 <= figures.needed <= 120
    text = " ".join(run.report().to_markdown().split())
    assert f"about {figures.needed} labelled cases would be needed" in text


def test_a_judge_without_confidence_decides_by_the_agreement_of_its_repeats(folder):
    def plain(request: Request) -> str:
        passes = truth(request.case_id)
        if kind(request.case_id) == "impossible" and request.repeat == 1:
            passes = not passes
        return json.dumps({"reason": "So.", "label": "pass" if passes else "fail"})

    run = evaluate(plain, dear, repeat=3)
    found = {kind(each.case_id): each.verdict["votes"][0]["confidence"] for each in list(run)[:OTHERS]}
    assert found == {"easy": 1.0, "hard": 1.0, "impossible": pytest.approx(2 / 3)}
    assert len(run) == LABELLED + OTHERS


def test_rows_export_show_and_the_next_draw(folder, adjudge):
    for name, model in (("cheap", cheap), ("dear", dear)):
        rows = []
        for at in range(LABELLED + OTHERS):
            said = model(Request(prompt=None, schema=None, case_id=f"c{at:03}", judge="polite"))
            rows.append(
                {
                    "case_id": f"c{at:03}",
                    "reply": said.text,
                    "logprobs": [
                        [each.token, each.logprob, dict(each.alternatives)] for each in said.logprobs
                    ],
                }
            )
        write_lines(folder / f"{name}.jsonl", rows)
    command = (
        "run", "cases.jsonl", "--judge", "polite.md", "--cascade", "scripted:cheap.jsonl,scripted:dear.jsonl",
        "--labels", "labels.jsonl", "--name", "r",
    )  # fmt: skip
    done = adjudge(*command, "-o", "rows.jsonl", "-o", "report.md")
    assert done.code == 0, done.err
    rows = read_lines(folder / "rows.jsonl")
    assert [row["case_id"] for row in rows] == [f"c{at:03}" for at in range(LABELLED + OTHERS)]
    assert {row["model"] for row in rows} == {"cascade:scripted:cheap.jsonl,scripted:dear.jsonl"}
    text = " ".join(adjudge("report", "r").out.split())
    assert (
        "of cases like these, 90 % or more of its decisions agree with people, with 95 % confidence" in text
    )
    assert "8 cases undecided" in text
    found = json.loads(adjudge("report", "r", "--json").out)["cascades"]
    assert [stage["decided"] for stage in found[0]["stages"]] == [24, 8]
    with served(folder / ".adjudge") as site:
        page = " ".join(site.client.get("/runs/r").text.split())
    assert "Cascade of" in page
    assert "of cases like these, 90 % or more of its decisions agree with people" in page
    shown = " ".join(adjudge("show", "r", "c002").out.split())
    assert "vote of scripted:dear.jsonl" in shown
    assert "The first model that was sure enough decided" in shown
    drawn = adjudge("agree", "r", "--next", "16", "--to-label", "label.jsonl")
    assert drawn.code == 0, drawn.err
    wanted = [json.loads(line)["case_id"] for line in (folder / "label.jsonl").read_text().splitlines()]
    assert sum(kind(case_id) == "impossible" for case_id in wanted) >= 8


def test_every_turn_of_a_conversation_is_tested(folder, adjudge):
    """Stages that agree at .97 on first turns and .80 on later ones: by the first turns alone, .9 was claimed."""
    chance = random.Random(4)
    agree = {f"v{at}": chance.random() < (0.97 if at % 4 == 0 else 0.8) for at in range(1200)}
    write_lines(
        folder / "cases.jsonl",
        [{"id": name, "response": name, "cluster": f"talk{int(name[1:]) // 4}"} for name in agree],
    )
    labelled = list(agree)[:800]
    write_lines(folder / "labels.jsonl", [{"case_id": name, "label": True} for name in labelled])

    def stage(request: Request) -> Completion:
        return reply(passes=agree[request.case_id], sure=0.9)

    def other(request: Request) -> Completion:
        return stage(request)

    (figures,) = evaluate(stage, other, name="turns").report().cascades
    assert not figures.calibrated.decides
    assert figures.calibrated.chosen_on + figures.calibrated.tested_on == 800
    assert figures.needed is None  # .84 agree; "about 2,900 labelled cases" were promised
    shown = " ".join(adjudge("report", "turns").out.split())
    assert "by these labels, even the surest verdicts do not agree with people that often" in shown
    assert "was not asked for" not in shown  # a cascade that decides nothing has saved nothing
    drawn = adjudge("agree", "turns", "--next", "20", "--to-label", "turns.jsonl")
    assert "20 cases without a verdict among them" in drawn.err
    assert "half of the draw" not in drawn.err


def test_every_annotators_label_counts_and_labels_that_do_not_are_told(folder, adjudge):
    """Two people who split on every fifth case: those were left out, and .9 was claimed where .85 hold."""
    ids = [f"c{at:03}" for at in range(LABELLED + OTHERS)]
    people = [
        {"case_id": case_id, "annotator": name, "label": "perhaps" if at == 0 and name == "bob" else True}
        for at, case_id in enumerate(ids[OTHERS:])
        for name in ("ann", "bob")
    ]
    for at, row in enumerate(people):
        if at % 10 == 9:
            row["label"] = False
    write_lines(folder / "labels.jsonl", people)

    def always(request: Request) -> Completion:
        return reply(passes=True, sure=0.99)

    def too(request: Request) -> Completion:
        return always(request)

    run = evaluate(always, too, name="people")
    (figures,) = run.report().cascades
    assert (figures.calibration, figures.labels, figures.contested, figures.off_scale) == (160, 319, 32, 1)
    assert not figures.calibrated.decides  # nine of ten labels agree, which does not show that nine of ten do
    text = " ".join(adjudge("report", "people").out.split())
    assert (
        "160 labelled cases with 319 labels (people disagree on 32, which count by the share that agrees)"
        in text
    )
    assert "1 label not used: not on the judge's scale" in text
    kept = list(run)[OTHERS + 1].annotators
    assert kept == [{"annotator": "ann", "label": True}, {"annotator": "bob", "label": True}]


def test_where_all_cases_calibrate_nothing_is_left_to_decide(folder, adjudge):
    write_lines(
        folder / "labels.jsonl",
        [{"case_id": f"c{at:03}", "label": truth(f"c{at:03}")} for at in range(LABELLED + OTHERS)],
    )
    evaluate(name="all")
    text = " ".join(adjudge("report", "all").out.split())
    assert "nothing left to decide: all 200 cases were used for calibration" in text
    assert "Asked" not in text


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (
            ("--cascade", "scripted:a,scripted:b"),
            "--cascade requires --labels: it learns from people's labels",
        ),
        (("--cascade", "scripted:a", "--labels", "labels.jsonl"), "one model is no cascade"),
        (
            ("--cascade", "scripted:a,scripted:b", "--model", "scripted:c", "--labels", "labels.jsonl"),
            "--cascade cannot be combined with --model: a cascade lists its own models",
        ),
        (
            ("--cascade", "embedded,scripted:b", "--labels", "labels.jsonl"),
            "embedded",
        ),
    ],
)
def test_what_is_no_cascade_is_an_error(folder, adjudge, flags, problem):
    done = adjudge("run", "cases.jsonl", "--judge", "polite.md", *flags)
    assert done.code == 2, done.err
    assert problem in done.err


@pytest.mark.parametrize("command", ["run", "estimate"])
def test_labels_of_another_systems_answers_are_refused_before_anything_is_asked(folder, adjudge, command):
    ids = [f"c{at:03}" for at in range(OTHERS, LABELLED + OTHERS)]
    rows = [
        {"id": case_id, "answer": f"Answer {case_id}." if at % 2 else "Other.", "label": truth(case_id)}
        for at, case_id in enumerate(ids)
    ]
    write_lines(folder / "other.jsonl", rows)
    write_lines(folder / "same.jsonl", rows[1::2])
    (folder / "a.jsonl").write_text('{"match": "Answer", "reply": {"reason": "So.", "label": "pass"}}\n')
    (folder / "b.jsonl").write_text((folder / "a.jsonl").read_text())
    flags = (
        command, "cases.jsonl", "--judge", "polite.md", "--cascade", "scripted:a.jsonl,scripted:b.jsonl", "--labels",
    )  # fmt: skip
    done = adjudge(*flags, "other.jsonl", process=True)
    assert done.code == 2, done.out
    assert "80 of 160 labels are of another answer than cases.jsonl has" in done.err
    assert "`c040`, `c042`, `c044`, `c046`, `c048` and 75 more" in done.err
    assert not (folder / ".adjudge").exists() or "no runs" in adjudge("runs").out
    same = adjudge(*flags, "same.jsonl")
    assert same.code == {"run": 3, "estimate": 0}[command], same.err  # these two decide no case


def test_the_estimate_counts_later_stages_where_they_are_sure_to_be_asked(folder, adjudge):
    for name in ("a", "b"):
        (folder / f"{name}.jsonl").write_text(
            '{"match": "Answer", "reply": {"reason": "So.", "label": "pass"}}\n'
        )
    done = adjudge(
        "estimate", "cases.jsonl", "--judge", "polite.md", "--cascade", "scripted:a.jsonl,scripted:b.jsonl",
        "--labels", "labels.jsonl", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    likely = LABELLED + OTHERS + LABELLED
    assert json.loads(done.out)["calls"] == {
        "low": likely, "likely": likely, "high": 3 * 2 * (LABELLED + OTHERS)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ('cascade = "openai:small,litellm:large"', "LiteLLM"),
        ('cascade = "scripted:../outside.jsonl,openai:large"', "outside this folder"),
        (
            'cascade = "openai:small,openai:large"\n[param]\nextra_headers = "x"',
            "is not a parameter that a file may set",
        ),
    ],
)
def test_a_config_file_may_do_no_more_with_a_cascade_than_with_a_model(folder, adjudge, config, problem):
    (folder / "adjudge.toml").write_text(config)
    done = adjudge("run", "cases.jsonl", "--judge", "polite.md", "--labels", "labels.jsonl")
    assert done.code == 2
    assert problem in " ".join(done.err.split())
