"""What the pages about runs work out for themselves: how many are to come, how fast, and what of a plan is shown."""

from datetime import UTC, datetime

import pytest

from adjudge.server.pages import short_model
from adjudge.server.run_files import file_headers
from adjudge.server.run_page import show_speed
from adjudge.server.run_routes import masked_plan, progress
from adjudge.server.runs_page import expected_judgements
from adjudge.store import RunRecord

AT = datetime(2026, 1, 31, 9, 5, tzinfo=UTC)


def run(run_id="r", *, state="running", judgements=0, name=None, **plan):
    return RunRecord(
        run_id=run_id,
        name=name,
        state=state,
        judgements=judgements,
        started_at=AT,
        plan={"judges": ["j@1"], "repeats": 1, "rows": [None, None, None], "cases": "abc", **plan},
    )


def test_a_finished_run_has_what_it_has():
    assert expected_judgements(run(state="finished", judgements=7), []) == 7


def test_without_a_limit_and_without_another_run_nothing_is_known():
    assert expected_judgements(run(judgements=7), [run(judgements=7)]) is None


@pytest.mark.parametrize("rows", [[40, None, None], [None, 40, 0]])
def test_a_limit_counts_once_for_each_judge_and_repeat(rows):
    record = run(rows=rows, repeats=3, judges=["j@1", "k@2"], judgements=5)
    assert expected_judgements(record, [record]) == 240


def test_another_run_over_the_same_file_tells_how_many_cases_it_has():
    record = run(repeats=2, judgements=5)
    others = [
        run("other file", state="finished", judgements=9, cases="else"),
        run("a part", state="finished", judgements=4, rows=[4, None, None]),
        run("whole", state="finished", judgements=60, judges=["j@1", "k@2", "l@3"]),
    ]
    assert expected_judgements(record, [record, *others]) == 40
    assert expected_judgements(run(rows=[1_000, None, None]), others) == 20
    assert expected_judgements(run(cases=None), others) is None


def test_never_fewer_are_expected_than_are_there():
    assert expected_judgements(run(rows=[3, None, None], judgements=5), []) == 5


def test_speed_and_end_come_from_the_latest_judgements():
    found = progress([100.0 - n for n in range(10)], expected=130, judgements=30, now=101.0)
    assert found.per_second == pytest.approx(1.0)
    assert found.seconds_left == pytest.approx(100.0)
    assert found.ends_at == datetime.fromtimestamp(201.0, UTC)


@pytest.mark.parametrize(
    ("latest", "expected", "now"),
    [([], 10, 5.0), ([5.0], 10, 5.0), ([5.0, 4.0], None, 6.0), ([1.0, 0.0], 9, 1e9)],
)
def test_an_end_is_named_only_where_it_can_be_told(latest, expected, now):
    assert progress(latest, expected=expected, judgements=1, now=now).ends_at is None


def test_speed_is_said_in_seconds_or_minutes():
    assert show_speed(41.4) == "41 a second"
    assert show_speed(0.05) == "3.0 a minute"


def test_nothing_in_a_plan_that_could_be_a_key_is_shown():
    said = masked_plan(
        {
            "model": "openai:gpt",
            "base_url": "https://me:hunter2@host/v1",
            "parameters": {"api_key": "abc", "max_tokens": 30, "user": "Bearer abcdefgh12345", "deep": {"Auth-Token": "x"}},
            "sets": {"focus": "two\nlines"},
            "rows": [None, "sk-abcdefghijklmnop1234"],
        }
    )  # fmt: skip
    text = str(said)
    for secret in ("hunter2", "abcdefgh12345", "sk-abc", "'abc'", "'x'"):
        assert secret not in text
    assert said["parameters"]["max_tokens"] == 30
    assert said["sets"]["focus"] == "two\nlines"
    assert said["base_url"] == "https://host/v1"


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        (None, None),
        ("openai:gpt-5", "openai:gpt-5"),
        ("scripted:/a/very/long/way/to/the/replies.jsonl", "scripted:…/replies.jsonl"),
        ("scripted:C:\\a\\very\\long\\way\\to\\replies.jsonl", "scripted:…/replies.jsonl"),
        ("embedded@87eb676eaccb", "embedded"),
        ("openrouter/some-vendor/some-model-with-a-long-name", "…/some-model-with-a-long-name"),
        ("a-name-without-any-folder-that-is-long", "a-name-without-any-folder-that-is-long"),
    ],
)
def test_long_names_of_models_keep_what_tells_them_apart(model, shown):
    assert short_model(model) == shown


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("weekly", "weekly-rows.csv"),
        ('a"b\r\nX-Evil: 1', "a-b-X-Evil-1-rows.csv"),
        ("../../etc/passwd", "etc-passwd-rows.csv"),
        ("日本", "run-rows.csv"),
        ("x" * 200, f"{'x' * 60}-rows.csv"),
    ],
)
def test_a_run_of_any_name_gives_a_plain_file_name(name, file):
    headers = file_headers(run(name=name), "rows.csv")
    assert headers == {"content-disposition": f'attachment; filename="{file}"'}
