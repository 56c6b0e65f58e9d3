"""The page of one case, and the answer of the API behind it."""

import json
import re
from contextlib import closing
from html import unescape
from urllib.parse import quote_plus

import pytest
from case_run import MARKDOWN, make_cases
from jsonl import write_lines
from msgspec.structs import replace
from packed_payloads import packed
from seeded_store import MODEL, seed_store
from served import served
from xss_corpus import PAYLOADS, planted

import adjudge
from adjudge.dataset import read_cases
from adjudge.store import KeepJudgement, KeptLabel, open_store
from adjudge.text import seen


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    with served(make_cases(tmp_path_factory.mktemp("cases"))) as opened:
        yield opened


def page_of(pages, run, **query):
    answer = pages.client.get(f"/runs/{run}/case", params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def test_the_score_is_explained_on_the_page_and_in_the_api(pages):
    said = pages.read("/api/runs/before/case", params={"case": "tower"})
    assert said["row"]["score"] == 3
    assert [step["value"] for step in said["scoring"]["steps"] if step["kind"] == "score"] == ["3"]
    assert said["scoring"]["agrees"] is True
    shown = words(page_of(pages, "before", case="tower"))
    assert "matched F1 It is in Paris." in shown
    assert "missed F2 It was completed in 1889." in shown
    assert "5 × (0.7 × 0.5 + 0.21 × 1 + 0.09 × 1) = 3.25 → 3" in shown
    assert "The rule is score >= 4 : 3 >= 4 does not hold." in shown
    assert "does not pass" in shown


def test_a_repeat_is_shown_among_all_of_them_which_are_read_once(pages, monkeypatch):
    store, reads = pages.service.store, []
    ours = store.judgement
    monkeypatch.setattr(store, "judgement", lambda *asked: reads.append(asked) or ours(*asked))
    said = pages.read("/api/runs/support/case", params={"case": "md", "repeat": 1})
    assert said["row"]["repeat"] == 1
    assert "over its 2 repeats" in json.dumps(said["scoring"])
    assert len(reads) == 1
    missing = pages.client.get("/api/runs/support/case", params={"case": "md", "repeat": 7})
    assert missing.status_code == 404


def test_evidence_is_marked_in_the_response_and_quotations_in_the_reference(pages):
    html = page_of(pages, "before", case="tower")
    response = html[html.index('id="part-response"') : html.index('id="part-reference"')]
    assert '<mark class="found" title="T1">EIFFEL Tower</mark>' in response
    assert '<mark class="found" title="F1">is located in Paris</mark>' in response
    assert "The  <mark" in response
    reference = html[html.index('id="part-reference"') :]
    assert '<mark class="found" title="F1, T1">The Eiffel Tower is in Paris</mark>' in reference
    assert '<mark class="missed" title="F2">It was completed in 1889</mark>' in reference


def test_markdown_is_rendered_and_plain_text_is_one_link_away(pages):
    html = page_of(pages, "support", case="md")
    assert "<strong>reset</strong>" in html
    assert "<h3>Reset</h3>" in html
    assert "(https://help.example/reset)" in html
    link = re.search(r'href="([^"]*as=plain[^"]*)"', html)[1]
    plain = pages.client.get(f"/runs/support/case{unescape(link)}").text
    assert "<strong>reset</strong>" not in plain
    assert "You can **reset** it in *<mark" in plain
    assert "column <code>answer</code>" in plain
    assert re.search(r'rel="next" href="[^"]*as=plain', plain)


def test_context_tool_calls_and_transcript_are_laid_out(pages):
    shown = words(page_of(pages, "support", case="md"))
    for part in ("1 · Help Links expire. title", "2 A second passage.", "search arguments", "user Hello"):
        assert part in shown, part


def test_a_long_text_is_cut_and_the_rest_is_one_link_away(pages):
    html = page_of(pages, "support", case="long")
    assert len(html.encode()) < 200_000
    assert "194,011 characters, 1 marked passage more" in html
    link = unescape(re.search(r'href="([^"]*show=response[^"]*)#part-response"', html)[1])
    whole = pages.client.get(f"/runs/support/case{link}").text
    assert whole.count("word ") >= 40_000
    assert '<mark class="quoted" title="points">three steps</mark>' in whole
    said = pages.read("/api/runs/support/case", params={"case": "long"})
    assert next(each for each in said["fields"] if each["name"] == "response")["value"].endswith(
        "three steps"
    )


def test_previous_and_next_follow_the_list_that_it_came_from(pages):
    def walk(**query):
        seen, here = [], pages.read("/api/runs/support/case", params=query)
        while True:
            beside = here["in_list"]
            seen.append((here["case_id"], here["row"]["repeat"], beside["position"], beside["total"]))
            if beside["next"] is None:
                return seen
            named = {"case": beside["next"]["case_id"], **{k: beside["next"][k] for k in ("judge", "repeat")}}
            here = pages.read("/api/runs/support/case", params={**query, **named})

    listed = pages.read("/api/runs/support/cases", params={"sort": "case"})
    first = {"case": listed["rows"][0]["case_id"], "repeat": listed["rows"][0]["repeat"], "sort": "case"}
    assert walk(**first) == [
        (row["case_id"], row["repeat"], at, listed["total"]) for at, row in enumerate(listed["rows"], 1)
    ]
    assert [case for case, *_ in walk(case="md", repeat=0, outcome="scored", sort="case", q="three")] == [
        "md",
        "md",
    ]
    html = page_of(pages, "support", case="md", repeat=1, outcome="scored", sort="case")
    assert "4 of 6" in words(html)
    assert 'data-key="ArrowLeft"' in html
    assert "/runs/support/cases?outcome=scored&amp;sort=case" in html
    outside = page_of(pages, "support", case="gone", outcome="scored")
    assert "not among the 6 listed" in words(outside)


def test_the_same_case_elsewhere_says_where_the_response_differs(pages):
    said = pages.read("/api/runs/before/case", params={"case": "tower"})
    assert [(each["run"], each["case"], each["score"]) for each in said["others"]] == [
        ("after", "another_response", 3.0)
    ]
    html = page_of(pages, "before", case="tower", tab="others")
    assert "another answer" in html
    assert re.search(
        r"/runs/after/case\?case=tower&amp;judge=coverage&amp;model=scripted%3A\S+&amp;repeat=0", html
    )
    repeats = pages.read("/api/runs/support/case", params={"case": "md"})["others"]
    assert [(each["run"], each["repeat"], each["case"]) for each in repeats] == [("support", 1, "same")]


def test_several_responses_of_a_case_are_shown(tmp_path):
    seed_store(tmp_path, 1, judges=("relevance",))
    (case,) = read_cases([{"id": "pair", "answer_a": "Paris <b>", "answer_b": "Rome"}])
    with closing(open_store(tmp_path)) as store:
        judgement = replace(store.judgement("seeded", "case-000000")[0], case_id="pair")
        store.write(
            [KeepJudgement(run_id="seeded", judgement=judgement, case=case, calls=(), reuse_key=None)]
        )
    with served(tmp_path) as pages:
        fields = pages.read("/api/runs/seeded/case", params={"case": "pair"})["fields"]
        assert [(each["name"], each["column"], each["value"]) for each in fields] == [
            ("response_a", "answer_a", "Paris <b>"),
            ("response_b", "answer_b", "Rome"),
        ]
        html = page_of(pages, "seeded", case="pair")
        assert "Answer A" in html
        assert "Paris &lt;b&gt;" in html


def test_two_models_of_a_run_have_pages_of_their_own(tmp_path):
    seed_store(tmp_path, 2, judges=("relevance",))
    with closing(open_store(tmp_path)) as store:
        (judgement,) = store.judgement("seeded", "case-000000")
        case = store.case("seeded", "case-000000")
        other = replace(judgement, model="openai:other", reason="The other model says so.")
        store.write([KeepJudgement(run_id="seeded", judgement=other, case=case, calls=(), reuse_key=None)])
    with served(tmp_path) as pages:
        for model, there in ((MODEL, "openai:other"), ("openai:other", MODEL)):
            found = pages.read("/api/runs/seeded/case", params={"case": "case-000000", "model": model})
            assert found["row"]["model"] == model
            assert [each["model"] for each in found["others"]] == [there]
            html = page_of(pages, "seeded", case="case-000000", judge="relevance", model=model, tab="others")
            assert f"case=case-000000&amp;judge=relevance&amp;model={quote_plus(there)}&amp;repeat=0" in html
        assert found["in_list"]["previous"]["case_id"] == "case-000001"
        by_case = {"case": "case-000000", "model": MODEL, "sort": "case"}
        beside = pages.read("/api/runs/seeded/case", params=by_case)["in_list"]
        assert beside["previous"]["model"] == "openai:other"
        listed = pages.client.get("/runs/seeded/cases").text
        assert listed.count("model=openai%3Aother") == 1


def test_what_people_said_is_shown_with_who_and_when(pages):
    store = pages.service.store
    at = store.runs()[0].started_at
    store.keep_labels(
        "support",
        [KeptLabel(case_id="md", judge="support", label=2.0, run_id="support", annotator="Anna <b>", explanation="No\ncontact.", at=at)],
    )  # fmt: skip
    said = pages.read("/api/runs/support/case", params={"case": "md"})
    assert [(each["annotator"], each["label"], each["explanation"]) for each in said["labels"]] == [
        ("Anna <b>", 2.0, "No\ncontact.")
    ]
    assert said["own_label"] == 4
    html = page_of(pages, "support", case="md")
    assert "Anna &lt;b&gt;" in html
    assert "4 in the case itself" in words(html)
    assert "2 Anna <b> blind" in words(html)
    assert store.remove_labels("support", "support") == 1


def test_what_was_sent_and_what_came_back_is_there_as_it_was(pages):
    said = pages.read("/api/runs/support/case", params={"case": "md"})
    (call,) = said["calls"]
    assert MARKDOWN in call["messages"][0]["content"]
    assert json.loads(call["reply"])["reason"] == "Steps are there."
    shown = page_of(pages, "support", case="md", tab="calls")
    assert "You can **reset** it in *three* steps:" in shown


# ---- tabs, failed cases, and labels of those who have seen the verdict ----


def test_tabs_are_links_that_stay_from_case_to_case(pages):
    html = page_of(pages, "support", case="md", repeat=0, outcome="scored", sort="case")
    tabs = dict(re.findall(r'<a href="([^"]*)#why" data-swap-link[^>]*>([^<]*)</a>', html))
    assert [title.rstrip(" 0123456789") for title in tabs.values()] == [
        "How it was scored", "Case and verdict", "Prompt and reply", "Other runs", "JSON",
    ]  # fmt: skip
    for address, title in tabs.items():
        page = pages.client.get(f"/runs/support/case{unescape(address)}").text
        assert re.findall(r'aria-current="true">([^<]*)</a>', page) == [title]
        assert page.count('id="part-response"') == 1
    calls = page_of(pages, "support", case="md", repeat=0, tab="calls")
    assert "tab=calls" in re.search(r'rel="next" href="([^"]*)"', calls)[1]
    row = json.loads(
        unescape(re.search(r'<pre tabindex="0">(.*?)</pre>', page_of(pages, "support", case="md", tab="json"), re.DOTALL)[1])
    )  # fmt: skip
    assert row == pages.read("/api/runs/support/case", params={"case": "md"})["row"]
    assert pages.client.get("/runs/support/case", params={"case": "md", "tab": "nothing"}).status_code == 422


def test_failed_cases_follow_each_other_whatever_the_list_holds(pages):
    detail = pages.read("/api/runs/support/case", params={"case": "md", "repeat": 0, "sort": "case"})
    failed = pages.read("/api/runs/support/cases", params={"passed": "no", "sort": "case"})["rows"]
    names = [(row["case_id"], row["repeat"]) for row in failed]
    assert detail["among_failed"]["total"] == len(names) > 2
    at = names.index(("md", 0))
    assert detail["among_failed"]["position"] == at + 1
    following = detail["among_failed"]["next"]
    assert (following["case_id"], following["repeat"]) == names[at + 1]
    html = page_of(pages, "support", case="md", repeat=0, sort="case")
    assert f"failed {at + 1} of {len(names)}" in words(html)
    link = unescape(re.search(r'href="([^"]*)" data-key="n"', html)[1])
    assert pages.client.get(link).status_code == 200
    only = pages.read("/api/runs/support/case", params={"case": "md", "passed": "no"})
    assert only["among_failed"] is None, "the list itself leads from one to the next"
    assert 'data-key="n"' not in page_of(pages, "support", case="md", passed="no")
    assert "› Failed" in words(page_of(pages, "support", case="md", passed="no"))


def label_form(html):
    form = re.search(r'<form class="label-form".*?</form>', html, re.DOTALL)[0]
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    return {name: unescape(value) for name, value in hidden.items()}, re.findall(
        r'name="label" value="([^"]*)"', form
    )


def test_a_label_given_beside_the_verdict_is_kept_as_such_and_never_as_a_blind_one(pages):
    query = {"case": "md", "repeat": 0, "tab": "verdict", "outcome": ["scored", "forced"]}
    fields, choices = label_form(page_of(pages, "support", **query))
    assert choices == ["1", "2", "3", "4", "5"]
    store = pages.service.store
    said = {**fields, "annotator": "Bo & Co", "label": "2", "explanation": "Too <b>short</b>."}
    answer = pages.client.post("/runs/support/case/label", data=said, follow_redirects=False)
    assert answer.status_code == 303
    there = answer.headers["location"]
    assert there.startswith("/runs/support/case?case=md&")
    assert "outcome=scored&outcome=forced" in there
    assert "annotator=Bo+%26+Co" in there
    (kept,) = store.case_labels("support", "md", "support")
    assert (kept.label, kept.annotator, kept.explanation, kept.seen_verdict) == (
        2.0,
        "Bo & Co",
        "Too <b>short</b>.",
        True,
    )
    assert store.labels("support", "support") == []
    assert pages.read("/api/runs/support/cases")["labelled"] == 2, (
        "only the file's own label counts, in both repeats"
    )
    html = pages.client.get(there.partition("#")[0]).text
    assert "2 Bo & Co after seeing the verdict" in words(html)
    assert "Too &lt;b&gt;short&lt;/b&gt;." in html
    assert re.search(r'value="2"[^>]* aria-pressed="true"', html)
    pages.client.post("/runs/support/case/label", data={**said, "label": "3"})
    assert [label.label for label in store.case_labels("support", "md", "support")] == [3.0]
    blind = {"judge": "support", "annotator": "Bo & Co", "case_id": "md", "label": 5}
    assert pages.client.post("/api/runs/support/labels", json=blind).status_code == 200
    removed = {name: value for name, value in said.items() if name != "label"} | {"remove": "1"}
    pages.client.post("/runs/support/case/label", data=removed)
    assert [label.seen_verdict for label in store.case_labels("support", "md", "support")] == [False]
    assert store.remove_labels("support", "support") == 1


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"label": "9"}, 400), ({"label": ""}, 400), ({"annotator": " "}, 400), ({"case_id": "nobody"}, 404),
        ({"judge": "nobody"}, 404), ({"here": "\r\nx: y&case=md"}, 303), ({"seen_verdict": "false"}, 303),
    ],
)  # fmt: skip
def test_a_form_that_says_otherwise_is_refused_or_kept_as_seen_all_the_same(pages, changed, status):
    fields, _ = label_form(page_of(pages, "support", case="md"))
    said = {**fields, "annotator": "Eve", "label": "1", **changed}
    answer = pages.client.post("/runs/support/case/label", data=said, follow_redirects=False)
    assert answer.status_code == status, answer.text
    labels = pages.service.store.case_labels("support", "md", "support")
    assert [label.seen_verdict for label in labels] == ([True] if status == 303 else [])
    pages.service.store.remove_labels("support", "support")


def test_what_is_no_case_cannot_be_labelled(pages):
    assert "label-form" not in page_of(pages, "support", case="line-5")
    assert pages.read("/api/runs/support/case", params={"case": "line-5"})["choices"] is None


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("line-5", "could not be read as a case"),
        ("silent", "A blank response is an answer"),
        ("gone", "The model declined to answer"),
    ],
)
def test_what_was_not_judged_has_a_page_that_says_what_to_do(pages, case, says):
    shown = words(page_of(pages, "support", case=case))
    assert says in shown
    assert "what to do next" in shown


def test_a_case_that_is_not_there_is_not_found(pages):
    for query in ({"case": "nobody"}, {"case": "md", "judge": "nobody"}, {"case": "md", "repeat": 7}, {}):
        for path in ("/runs/support/case", "/api/runs/support/case"):
            assert pages.client.get(path, params=query).status_code == 404, query
    assert pages.client.get("/api/runs/nowhere/case", params={"case": "md"}).status_code == 404
    assert pages.client.get("/api/runs/support/case", params={"case": "md", "repeat": -1}).status_code == 422


def test_a_part_is_swapped_by_the_same_address(pages):
    html = pages.client.get(
        "/runs/support/case", params={"case": "md"}, headers={"X-Swap": "part-response"}
    ).text
    assert 'id="part-response"' in html


def test_the_command_on_the_page_is_safe_to_paste(pages):
    assert "<code>adjudge show support md</code>" in page_of(pages, "support", case="md")


# ---- hostile text in every place ----


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Every payload in every field, as cases that are scored and that fail, in a run of its own."""
    folder = tmp_path_factory.mktemp("hostile")
    planted_ones = [planted(payload) for payload in (*PAYLOADS, *packed())]
    write_lines(
        folder / "cases.jsonl",
        [case for each in planted_ones for case in (each.case, *(case for case, _ in each.failures))],
    )
    write_lines(
        folder / "replies.jsonl",
        [row for each in planted_ones for row in (*each.replies, *(row for _, row in each.failures))],
    )
    (folder / "judge.md").write_text(planted_ones[0].judge)
    adjudge.evaluate(
        folder / "cases.jsonl",
        folder / "judge.md",
        name="hostile",
        store=folder / ".adjudge",
        model=f"scripted:{folder / 'replies.jsonl'}",
    )
    with served(folder / ".adjudge") as opened:
        yield opened


KNOWN_TAGS = re.compile(
    r"</?(?:!doctype|html|head|meta|title|link|script|body|a|header|nav|button|main|p|div|h[1-6]|span|section|strong|mark|"
    r"table|thead|tbody|tr|th|td|dl|dt|dd|ul|ol|li|code|pre|details|summary|time|kbd|b|em|s|br|hr|blockquote|svg|path)(?=[\s>/])",
    re.IGNORECASE,
)


def apart(html):
    """The page without the form for a label, and that form."""
    form = re.search(r'<form class="label-form".*?</form>', html, re.DOTALL)
    return (html, "") if form is None else (html.replace(form[0], ""), form[0])


def assert_shown_as_text(hostile, payload, case, *views):
    for style, tab in views:
        params = {
            "case": case["id"],
            "as": style,
            "show": "all",
            "tab": tab,
            "annotator": payload.text[:200],
        }
        answer = hostile.client.get("/runs/hostile/case", params=params)
        assert answer.status_code == 200, answer.text[:300]
        html, form = apart(answer.text)
        assert not re.search(r"<(?!/?(?:form|button|input|p|a|div|label)[\s>])", form)
        assert all(KNOWN_TAGS.match(html, found.start()) for found in re.finditer("<", html))
        assert html.count("<script") == 2
        assert not re.search(r"<[^>]*\s(?:on\w+|style|srcset|srcdoc|formaction|ping)\s*=", html)
        assert "\u202e" not in html
        assert "\x1b" not in html
    # in the plain form, which is the last, the response is there to the letter
    response = re.search(r'id="part-response".*?<pre class="plain">\n(.*?)</pre>', html, re.DOTALL)[1]
    assert unescape(re.sub(r"</?mark[^>]*>", "", response)) == seen(payload.text)


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.name)
def test_no_text_of_a_case_becomes_part_of_the_page(hostile, payload):
    made = planted(payload)
    views = [("markdown", "score"), ("markdown", "verdict"), ("plain", "json"), ("plain", "calls")]
    assert_shown_as_text(hostile, payload, made.case, *views)
    # the first tab has the message of the service
    refused = next(case for case, _ in made.failures if case["id"].startswith("call-failed"))
    assert_shown_as_text(hostile, payload, refused, ("plain", "score"))


@pytest.mark.parametrize("payload", packed(), ids=lambda payload: payload.name)
def test_no_text_of_a_case_that_failed_becomes_part_of_the_page(hostile, payload):
    """What failed shows less of itself: its message on the first tab, its reply with the calls."""
    for case, _ in planted(payload).failures:
        assert_shown_as_text(hostile, payload, case, ("markdown", "score"), ("plain", "calls"))
