"""Labelling over the API and the plain forms: blind, durable, and in the end the figures of `adjudge agree`."""

import json
import shutil
import urllib.request

import pytest
from jsonl import write_lines
from served import DOOR, live, served
from tone_run import COUNT, JUDGE, SECRETS, make_store, truth

from adjudge.server.keys import to_key


@pytest.fixture(scope="session")
def judged(tmp_path_factory):
    """A store with a run, made once and copied."""
    return make_store(tmp_path_factory.mktemp("judged"))


@pytest.fixture
def folder(judged, tmp_path):
    shutil.copytree(judged, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def pages(folder):
    with served(folder / ".adjudge") as opened:
        yield opened


def draw(pages, count=20, run="r", **more):
    answer = pages.client.post(f"/api/runs/{run}/draws", json={"count": count, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def turn(pages, annotator="Anna", run="r", **more):
    return pages.read(f"/api/runs/{run}/label/next", params={"annotator": annotator, **more})


def say(pages, case_id, label, annotator="Anna", run="r", **more):
    body = {"annotator": annotator, "case_id": case_id, "label": label, **more}
    return pages.client.post(f"/api/runs/{run}/labels", json=body)


def label_all(pages, annotator="Anna", *, most=1000, **more):
    """What the page does, without the page; the cases in the order in which they came."""
    seen = []
    while (found := turn(pages, annotator, **more))["case"] and len(seen) < most:
        case_id = found["case"]["case_id"]
        seen.append(case_id)
        answer = say(pages, case_id, truth(int(case_id[1:])), annotator)
        assert answer.status_code == 200, answer.text
    return seen


# ---- draws ----


def test_a_draw_is_the_one_that_the_command_line_makes(pages, adjudge, folder):
    made = draw(pages, 20)
    assert (made["number"], made["drawn"], made["judged"]) == (1, 20, COUNT)
    drawn = pages.service.store.draws("r", "tone")[0]
    with served(folder / ".adjudge"):
        done = adjudge("agree", "two", "--only", "tone", "--next", "20", "-o", "to_label.csv", "--json")
    assert done.code == 0, done.err
    assert sorted(json.loads(done.out)["cases"]) == sorted(drawn.chosen)  # it lists them in random order


def test_cases_drawn_on_the_command_line_are_offered_first(pages, adjudge):
    assert adjudge("agree", "r", "--next", "12").code == 0
    (found,) = pages.read("/api/runs/r/label", params={"annotator": "Anna"})["judges"]
    assert (found["drawn"], found["left"], found["mine"], found["judged"]) == (12, 12, 0, COUNT)
    page = pages.client.get("/runs/r/label", params={"annotator": "Anna"}).text
    assert "12 of 12 sampled cases have no label of yours yet." in page


def test_when_all_are_drawn_another_draw_is_refused(pages):
    draw(pages, COUNT)
    answer = pages.client.post("/api/runs/r/draws", json={"count": 1})
    assert answer.status_code == 400
    assert "have been drawn already" in answer.json()["problem"]


# ---- blindness ----


def test_no_answer_that_the_page_uses_tells_what_the_judge_or_another_person_said(pages):
    draw(pages, 10)
    label_all(pages, "Ben", most=10)
    for case_id in pages.service.store.draws("r", "tone")[0].chosen:
        assert say(pages, case_id, 4, "Carla SECRET", explanation="OTHER-PERSON").status_code == 200
    params = {"annotator": "Anna"}
    answers = [pages.client.get(path, params=params) for path in ("/api/runs/r/label", "/runs/r/label")]
    while True:
        page = pages.client.get("/runs/r/label/next", params=params)
        found = pages.client.get("/api/runs/r/label/next", params=params)
        answers += [page, found]
        case = found.json()["case"]
        if case is None:
            break
        assert set(case) == {
            *("case_id", "ticket", "shown", "draw", "place", "previous", "following", "mine"),
        }
        assert set(case["shown"]) == {"question", "response"}
        assert case["mine"] is None
        assert "probability" not in found.text
        answers.append(say(pages, case["case_id"], 2, explanation="mine"))
        assert "probability" not in answers[-1].text
    answers.append(pages.client.get("/runs/r/label/agreement", params={"annotator": "Dora"}))
    assert len(answers) > 30
    for answer in answers:
        assert answer.status_code == 200
        for secret in (*SECRETS, "OTHER-PERSON"):
            assert secret not in answer.text, answer.url
    # the last is a warning and not the figures: Dora has labelled nothing
    assert "Reveal before you finish?" in answers[-1].text


def test_the_same_case_is_shown_alike_whatever_the_judge_said(pages):
    """The verdict is not even in the order: it is the annotator's own, and the same whatever the draw preferred."""
    draw(pages, 30)
    orders = {who: label_all(pages, who) for who in ("Anna", "Ben")}
    assert sorted(orders["Anna"]) == sorted(orders["Ben"])
    assert orders["Anna"] != orders["Ben"]
    assert orders["Anna"] != sorted(orders["Anna"])


def test_the_case_itself_is_shown_whole(pages):
    draw(pages, 3)
    case = turn(pages)["case"]
    at = int(case["case_id"][1:])
    assert case["shown"] == {"question": f"Question {at}?", "response": f"Answer {at}."}
    page = pages.client.get("/runs/r/label/next", params={"annotator": "Anna"}).text
    assert f"Answer {at}." in page
    assert "rude" in page
    assert "warm" in page


# ---- labels ----


def test_a_label_is_stored_with_who_when_draw_and_chance(pages):
    draw(pages, 5)
    case_id = turn(pages)["case"]["case_id"]
    answer = say(pages, case_id, 4, explanation=" fine ")
    assert answer.status_code == 200
    (kept,) = pages.service.store.labels("r", "tone")
    drawn = pages.service.store.draws("r", "tone")[0]
    assert (kept.label, kept.annotator, kept.explanation, kept.draw) == (4.0, "Anna", "fine", 1)
    assert kept.probability == drawn.chances[case_id]
    assert answer.json()["labelled"] == 1
    found = turn(pages, case=case_id)
    assert found["case"]["mine"]["label"] == 4.0
    assert found["undo"] == found["case"]["ticket"]


def test_a_label_given_after_seeing_the_verdict_is_kept_apart_and_in_no_figure(pages):
    draw(pages, 20)
    case_id, *_ = label_all(pages)
    before = pages.read("/api/runs/r/agreement")
    answer = say(pages, case_id, 1, seen_verdict=True).json()
    assert (answer["seen_verdict"], answer["labelled"]) == (True, 20)
    assert say(pages, case_id, 2, "Ben", seen_verdict=True).status_code == 200
    after = pages.read("/api/runs/r/agreement")
    assert (before.pop("seen_verdict"), after.pop("seen_verdict")) == (0, 2)
    assert after == before
    listed = pages.read("/api/runs/r/labels")["labels"]
    apart = [(each["annotator"], each["label"], each["draw"]) for each in listed if each["seen_verdict"]]
    assert apart == [("Anna", 1.0, None), ("Ben", 2.0, None)]
    file = pages.client.get("/api/runs/r/labels/file").content
    assert pages.client.post("/api/runs/r/labels/file", content=file).json()["new"] == 0
    assert pages.read("/api/runs/r/labels")["total"] == 22
    params = {"annotator": "Anna", "case_id": case_id, "seen_verdict": True}
    assert pages.client.delete("/api/runs/r/labels", params=params).json() == {"removed": 1}
    assert len(pages.service.store.labels("r", "tone")) == 20


def test_a_case_whose_verdict_somebody_has_seen_is_not_given_to_them_to_label_blind(pages):
    draw(pages, 5)
    case_id = turn(pages)["case"]["case_id"]
    assert say(pages, case_id, 3, seen_verdict=True).status_code == 200
    assert case_id not in label_all(pages)
    assert turn(pages)["total"] == 4
    assert case_id in label_all(pages, "Ben")


@pytest.mark.parametrize("label", [0, 6, 4.2e9, "warm", "", float("1e308")])
def test_a_label_off_the_scale_is_refused_and_the_answer_says_what_is_wanted(pages, label):
    draw(pages, 5)
    answer = say(pages, turn(pages)["case"]["case_id"], label)
    assert answer.status_code == 400
    assert "which takes a number from 1 to 5" in answer.json()["problem"]
    assert pages.service.store.labels("r", "tone") == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"annotator": "Anna", "case_id": "c001"},
        {"annotator": "   ", "case_id": "c001", "label": 3},
        {"annotator": "A" * 201, "case_id": "c001", "label": 3},
        {"annotator": "Anna", "case_id": "c001", "label": [[3]]},
        {"annotator": "Anna", "case_id": "c001", "label": [True] * 201},
        {"annotator": "Anna", "case_id": "c001", "label": 3, "explanation": "x" * 20_001},
        {"annotator": "Anna", "case_id": "c001", "label": 3, "probability": 1},
    ],
)
def test_a_body_that_is_no_label_is_refused(pages, body):
    assert pages.client.post("/api/runs/r/labels", json=body).status_code == 422


@pytest.mark.parametrize("label", [[3], [True, None], {"clarity": 3}])
def test_a_label_of_parts_is_none_for_a_judge_of_one_score(pages, label):
    answer = say(pages, "c001", label)
    assert answer.status_code == 400
    assert "not on the scale of tone" in answer.json()["problem"]


def test_what_is_not_there_is_said_not_to_be(pages):
    assert say(pages, "nowhere", 3).status_code == 404
    assert say(pages, "c001", 3, run="nowhere").status_code == 404
    assert say(pages, "c001", 3, judge="nobody").status_code == 404
    assert say(pages, "c001", 3, run="two").status_code == 400  # two judges, and none named
    assert say(pages, "c001", 3, run="two", judge="other").status_code == 200


def test_a_label_is_changed_and_taken_back_and_others_stay(pages):
    draw(pages, 5)
    case_id = turn(pages)["case"]["case_id"]
    for label in (2, 5):
        assert say(pages, case_id, label).status_code == 200
    say(pages, case_id, 3, "Ben")
    assert sorted(label.label for label in pages.service.store.labels("r", "tone")) == [3.0, 5.0]
    params = {"annotator": "Anna", "case_id": case_id}
    assert pages.client.delete("/api/runs/r/labels", params=params).json() == {"removed": 1}
    assert [label.annotator for label in pages.service.store.labels("r", "tone")] == ["Ben"]
    assert pages.client.delete("/api/runs/r/labels", params=params).json() == {"removed": 0}
    assert turn(pages)["case"]["case_id"] == case_id


def test_a_skipped_case_comes_back_when_the_others_are_done(pages):
    draw(pages, 4)
    first = turn(pages)["case"]["case_id"]
    second = turn(pages, after=first)["case"]["case_id"]
    assert second != first
    seen = [second]
    say(pages, second, 3)
    while (found := turn(pages, after=seen[-1])["case"]["case_id"]) != first:
        seen.append(found)
        say(pages, found, 3)
    assert len(seen) == 3
    assert turn(pages, after=first)["case"]["case_id"] == first


def test_a_second_draw_comes_after_the_first(pages):
    draw(pages, 5)
    draw(pages, 5)
    draws = pages.service.store.draws("r", "tone")
    seen = label_all(pages)
    assert set(seen[:5]) == set(draws[0].chosen)
    assert set(seen[5:]) == set(draws[1].chosen)


@pytest.mark.parametrize(("overlap", "least", "most"), [(0.0, 0, 0), (0.5, 8, 32), (1.0, 40, 40)])
def test_overlap_is_the_share_of_labelled_cases_that_others_get_too(pages, overlap, least, most):
    draw(pages, 40)
    label_all(pages, "Anna")
    second = label_all(pages, "Ben", overlap=overlap)
    assert least <= len(second) <= most
    # what the second labels, a third is given too
    assert sorted(label_all(pages, "Carl", overlap=overlap)) == sorted(second)


def test_without_overlap_two_people_share_the_work(pages):
    draw(pages, 20)
    first = label_all(pages, "Anna", most=8, overlap=0.0)
    second = label_all(pages, "Ben", overlap=0.0)
    assert len(first) + len(second) == 20
    assert turn(pages, "Anna", overlap=0.0)["case"] is None
    assert turn(pages, "Anna", overlap=0.0)["total"] == 8


# ---- what comes of it ----


def test_agreement_is_what_the_command_line_prints(pages, adjudge):
    draw(pages, 40)
    label_all(pages, "Anna")
    label_all(pages, "Ben", overlap=0.5)
    found = pages.read("/api/runs/r/agreement")
    done = adjudge("agree", "r", "--json")
    assert done.code == 0, done.err
    assert found == json.loads(done.out)
    assert found["annotators"] == ["Anna", "Ben"]
    assert found["among_people"]["ceiling"]["pairs_agreed"]["value"] == 1.0
    assert found["means"][0]["ppi"]["estimate"]["value"]


def test_the_page_of_figures_shows_them_and_links_to_the_disagreements(pages):
    draw(pages, 40)
    label_all(pages)
    found = pages.read("/api/runs/r/agreement", params={"disagreements": 25})
    page = pages.client.get("/runs/r/label/agreement", params={"annotator": "Anna"})
    assert page.status_code == 200
    assert f'<data value="{found["agreement"][0]["figures"]["accuracy"]["value"]}">' in page.text
    assert f'<td class="n">{found["means"][0]["ppi"]["estimate"]["value"]:.3f}</td>' in page.text
    for kind in ("accuracy", "labels", "confusion", "disagreements", "coefficients", "means", "quote"):
        assert f'data-kind="{kind}"' in page.text
    first = found["disagreements"][0]["case_id"]
    assert f"/runs/r/case?case={first}&amp;judge=tone" in page.text


def test_figures_before_the_end_are_shown_after_a_warning(pages):
    draw(pages, 40)
    label_all(pages, most=30)
    params = {"annotator": "Anna"}
    page = pages.client.get("/runs/r/label/agreement", params=params).text
    assert "10 sampled cases have no label of yours yet" in page
    assert "<data" not in page
    page = pages.client.get("/runs/r/label/agreement", params={**params, "sure": "1"}).text
    assert "10 drawn cases without a label yet" in page
    assert "<data" in page


def test_without_stored_labels_the_cases_own_count_as_on_the_command_line(pages, adjudge):
    found = pages.read("/api/runs/two/agreement", params={"judge": "other"})
    assert [source["kind"] for source in found["sources"]] == ["annotators_column"]
    assert found == json.loads(adjudge("agree", "two", "--only", "other", "--json").out)


# ---- files ----


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_labels_go_out_and_in_again(pages, form):
    draw(pages, 10)
    label_all(pages, "Anna")
    label_all(pages, "Ben")
    before = pages.service.store.labels("r", "tone")
    answer = pages.client.get("/api/runs/r/labels/file", params={"format": form, "judge": "tone"})
    assert answer.headers["content-disposition"] == f'attachment; filename="labels.{form}"'
    assert pages.service.store.remove_labels("r", "tone") == 20
    made = pages.client.post("/api/runs/r/labels/file", content=answer.content)
    assert made.status_code == 200, made.text
    assert (made.json()["labels"], made.json()["new"]) == (20, 20)
    after = pages.service.store.labels("r", "tone")
    assert [(each.case_id, each.annotator, each.label, each.draw) for each in after] == [
        (each.case_id, each.annotator, each.label, each.draw) for each in before
    ]


def test_an_export_of_one_annotator_has_no_other(pages):
    draw(pages, 3)
    label_all(pages, "Anna")
    label_all(pages, "Ben")
    params = {"annotator": "Anna"}
    lines = pages.client.get("/api/runs/r/labels/file", params=params).text.splitlines()
    assert {json.loads(line)["annotator"] for line in lines} == {"Anna"}
    assert pages.read("/api/runs/r/labels", params=params)["total"] == 3
    assert pages.read("/api/runs/r/labels", params={"size": 4})["total"] == 6


def test_a_spreadsheet_runs_nothing_of_an_export(pages):
    draw(pages, 3)
    case_id = turn(pages)["case"]["case_id"]
    say(pages, case_id, 3, "=cmd()", explanation="+1+1")
    text = pages.client.get("/api/runs/r/labels/file", params={"format": "csv"}).text
    assert "'=cmd()" in text
    assert "'+1+1" in text


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the labels: contains no labels"),
        (b'{"case_id": "c001"}\n', "no row has a `label`"),
        (b'{"case_id": "c001", "label": "lovely"}\n', "the labels `lovely` are not on the scale of tone"),
        (b'{"case_id": "zz", "label": 3}\n', "has no label for a case of run r"),
        (b'{"case_id": "c001", "label": 3}\n{"case_id": "c001", "label": 4}\n', "the labels line 2"),
        (b"\xff\xfe\x00", "the labels"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_as_the_command_line_refuses_it(pages, data, problem):
    answer = pages.client.post("/api/runs/r/labels/file", content=data)
    assert answer.status_code == 400
    assert problem in answer.json()["problem"]
    assert pages.service.store.labels("r", "tone") == []


def test_a_file_that_is_too_large_is_refused(pages):
    answer = pages.client.post("/api/runs/r/labels/file", content=b"x" * (8 * 1024 * 1024 + 1))
    assert answer.status_code == 400
    assert "more than 8 MiB" in answer.json()["problem"]


# ---- plain forms ----


def send(pages, path, **fields):
    return pages.client.post(path, data=fields, follow_redirects=False)


def test_forms_without_scripts_draw_label_undo_and_import(pages):
    who = {"judge": "tone", "annotator": "Änna & Co"}
    made = send(pages, "/runs/r/label/draw", **who, count="6", uniform="50")
    assert made.status_code == 303
    assert pages.service.store.draws("r", "tone")[0].uniform_share == 0.5
    page = pages.client.get(made.headers["location"])
    assert "Case 1 of 6" in page.text
    first = turn(pages, who["annotator"])["case"]["case_id"]
    kept = send(pages, "/runs/r/label/keep", **who, case_id=first, label="4", explanation="so")
    assert kept.status_code == 303
    (label,) = pages.service.store.labels("r", "tone")
    assert (label.label, label.annotator, label.explanation) == (4.0, who["annotator"], "so")
    assert "1 of 6 labelled" in pages.client.get(kept.headers["location"]).text
    undone = send(pages, "/runs/r/label/undo", **who, undo=first)
    assert pages.service.store.labels("r", "tone") == []
    assert "Case 1 of 6" in pages.client.get(undone.headers["location"]).text
    pasted = send(pages, "/runs/r/label/file", **who, labels=f'{{"case_id": "{first}", "label": 2}}')
    assert "1 label imported" in pasted.text
    assert pages.service.store.labels("r", "tone")[0].annotator == who["annotator"]


def test_a_form_with_nothing_said_says_so(pages):
    draw(pages, 3)
    answer = send(pages, "/runs/r/label/keep", judge="tone", annotator="A", case_id="c001", label="")
    assert answer.status_code == 400
    assert "has no label" in answer.text
    answer = send(pages, "/runs/r/label/draw", judge="tone", annotator="A", count="many")
    assert answer.status_code == 400


def test_a_form_from_elsewhere_changes_nothing(pages):
    draw(pages, 3)
    fields = {"judge": "tone", "annotator": "A", "case_id": "c001", "label": "3"}
    cookie = {"Cookie": f"adjudge={DOOR.session}"}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "null", "Sec-Fetch-Site": "same-site"},
        {},
    ):
        answer = pages.stranger.post("/runs/r/label/keep", data=fields, headers={**cookie, **headers})
        assert answer.status_code == 403, headers
    ours = {**cookie, "Origin": "null", "Sec-Fetch-Site": "same-origin"}
    answer = pages.stranger.post("/runs/r/label/keep", data=fields, headers=ours, follow_redirects=False)
    assert answer.status_code == 303


def test_an_unnamed_annotator_is_sent_to_the_start(pages):
    answer = pages.client.get("/runs/r/label/next", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs/r/label?")


def test_runs_with_odd_names_and_odd_cases_can_be_labelled(adjudge, tmp_path):
    name = 'a/../b?<i>"&#'
    inputs = "question: required, response: required, context: required, tool_calls: required"
    text = JUDGE.format(name="tone").replace("question: required, response: required", inputs)
    (tmp_path / "tone.md").write_text(f"{text}{{{{context}}}} {{{{tool_calls}}}}\n")
    ids = ["a/b?c=d&e", "<b>x</b>", "\udc80lone", "=cmd()", "two  words", "ü" * 300]
    cases = [
        {
            "id": each,
            "question": "q",
            "response": "## Hi <script>x</script>\n![x](http://a.example/y.png)",
            "tool_calls": [{"name": "f", "arguments": {"x": [1]}}, "odd", 3],
            "context": ["a", {"b": None}],
        }
        for each in ids
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    reply = json.dumps({"reason": "r", "score": 3})
    replies = [{"case_id": each, "reply": reply} for each in ids]
    write_lines(tmp_path / "replies.jsonl", replies)
    done = adjudge(
        "run", "cases.jsonl", "--judge", "tone.md", "--model", "scripted:replies.jsonl", "--name", name
    )
    assert done.code == 0, done.err
    run = to_key(name)
    with served(tmp_path / ".adjudge") as pages:
        drawn = draw(pages, len(ids), run=run)["drawn"]
        assert drawn >= len(ids) - 1  # an id that is no text is a row that cannot be read
        for _ in range(drawn):
            page = pages.client.get(f"/runs/{run}/label/next", params={"annotator": "<i>A</i>"})
            assert page.status_code == 200
            assert "<script>x" not in page.text
            assert "<i>A" not in page.text
            found = turn(pages, "<i>A</i>", run=run)
            assert say(pages, found["case"]["ticket"], 3, "<i>A</i>", run=run).status_code == 200
        assert turn(pages, "<i>A</i>", run=run)["case"] is None
        assert len(pages.service.store.labels(name, "tone")) == drawn
        assert pages.client.get(f"/runs/{run}/label/agreement", params={"annotator": "<i>A</i>"}).is_success


def test_a_label_outlives_the_server(folder):
    with live(folder / ".adjudge") as address:
        for path, body in (
            ("draws", {"count": 3}),
            ("labels", {"annotator": "Anna", "case_id": "c003", "label": 2}),
        ):
            request = urllib.request.Request(
                f"{address.api_url}api/runs/r/{path}",
                data=json.dumps(body).encode(),
                headers={"Authorization": f"Bearer {address.token}", "Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request) as answer:
                assert answer.status in {200, 201}
    with served(folder / ".adjudge") as pages:
        (label,) = pages.service.store.labels("r", "tone")
        assert (label.case_id, label.label) == ("c003", 2.0)
