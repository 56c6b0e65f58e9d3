"""`report.html` in a real browser: hostile text stays text, nothing is fetched, everybody can read it."""

import re

import pytest
from jsonl import write_lines
from xss_corpus import PAYLOADS, planted, without_controls

from adjudge.text import visible

PART = 20
"""Two judges show their ten lowest rows each."""
PARTS = [PAYLOADS[start : start + PART] for start in range(0, len(PAYLOADS), PART)]
MAX_SHOWN_CHARS = (
    60  # of a slice's value the table keeps 80 characters, a place for the payload's name among them
)
JUDGE = """---
adjudge: 1
name: {name}
inputs: {{question: required, response: required}}
verdict: {{reason: string, score: {{enum: [0, 1, 2, 3, 4, 5]}}}}
score: score
scale: [0, 5]
passes: score >= 3
---
Rate the response from 0 to 5.
{{{{question}}}}
{{{{response}}}}
"""


@pytest.fixture
def judged(adjudge, tmp_path):
    """`judged(cases, replies, judges, *options)` runs them and returns the path of the report."""

    def run(cases, replies, judges, *options, name="a run", slices=()):
        write_lines(tmp_path / "cases.jsonl", cases)
        write_lines(tmp_path / "replies.jsonl", replies)
        for judge, text in judges.items():
            (tmp_path / f"{judge}.md").write_text(text, encoding="utf-8")
        chosen = [part for judge in judges for part in ("--judge", f"{judge}.md")]
        by = [f"--slice={column}" for column in slices]
        model = ("--model", "scripted:replies.jsonl", f"--name={name}", "--json")
        done = adjudge("run", "cases.jsonl", *chosen, *model, *options)
        assert done.code == 0, done.err
        done = adjudge("report", "last", "-o", "report.html", *by)
        assert done.code == 0, done.err
        return tmp_path / "report.html"

    return run


@pytest.fixture
def hostile(judged):
    """A report in which every text is one of the payloads."""

    def make(payloads):
        everywhere = [planted(payload) for payload in payloads]
        first, second = everywhere[: PART // 2], everywhere[PART // 2 :]
        judges = {"one": first[0].judge, "two": second[0].judge if second else JUDGE.format(name="two")}
        names = [re.search(r"^name: (\S+)$", text, re.MULTILINE)[1] for text in judges.values()]
        replies = []
        for name, low in zip(names, (first, second), strict=True):
            for each in everywhere:
                for row in each.replies:
                    reply = row["reply"] | ({} if each in low else {"score": 5})
                    replies.append({**row, "judge": name, "reply": reply})
        cases = [each.case for each in everywhere]
        for at, each in enumerate(everywhere):
            case, row = each.failures[at % len(each.failures)]
            cases.append(case)
            replies.append(row)
        columns = [each.payload.text for each in everywhere if without_controls(each.payload.text)]
        columns = [text for text in columns if "\0" not in text and len(text) < 1000]
        return judged(cases, replies, judges, name=first[0].run_name, slices=["topic", *columns])

    return make


@pytest.fixture
def ordinary(judged):
    """A report as people have them: scores, slices, clusters, failures."""
    cases, replies = [], []
    for n in range(60):
        case_id = f"case-{n:03}"
        topic = ("contracts and torts", "art", "a topic with a rather long name, as some have")[n % 3]
        cases.append(
            {
                "id": case_id,
                "question": f"Question {n}?",
                "response": f"Response {n}.",
                "label": n % 6,
                "metadata": {"topic": topic, "level": n % 2},
            }
        )
        said = {
            "reason": f"It answers part {n} of what was asked, and leaves out the rest of it.",
            "score": n * 7 % 6,
        }
        row = {"case_id": case_id, "usage": {"input": 100, "output": 20}}
        if n % 13 == 5:
            replies.append({**row, "reply": "I would rather not say."})
        elif n % 13 == 7:
            replies.append({**row, "reply": "No.", "finish": "refusal"})
        else:
            replies.append({**row, "reply": said})
    texts = {name: JUDGE.format(name=name) for name in ("tone", "completeness")}
    return judged(cases, replies, texts, slices=["topic", "level"])


def shown(page):
    """What stands on the page, white space as it is read."""
    return squeezed(page.locator("body").text_content())


def squeezed(text):
    return " ".join(text.split())


@pytest.mark.parametrize("part", range(len(PARTS)))
def test_no_payload_runs_or_fetches_or_is_lost(part, hostile, open_tab, axe_clean):
    payloads = PARTS[part]
    tab = open_tab(hostile(payloads), dark=bool(part % 2))
    tab.assert_quiet()
    assert [asked.kind for asked in tab.requests] == ["document"]
    text = shown(tab.page)
    lost = [each.name for each in payloads if squeezed(visible(each.text))[:MAX_SHOWN_CHARS] not in text]
    assert lost == []
    # in the slices' tables, and among the cases and what was not scored
    for each in payloads:
        assert text.count(squeezed(visible(each.text))[:MAX_SHOWN_CHARS]) >= 2, each.name
    assert tab.page.locator("script, img, iframe, a, form, input, link, object, embed, base").count() == 0
    assert tab.page.title().startswith(f"run {visible(planted(payloads[0]).run_name)}".strip())
    if part < 2:  # light and dark: the other parts differ in their texts alone
        axe_clean(tab.page)
    tab.resize(360)
    assert tab.too_wide() == []


def test_the_policy_alone_would_stop_what_got_through(ordinary, open_tab, tmp_path):
    """Should escaping ever fail, nothing runs and nothing is fetched; leading away is all that a page cannot forbid."""
    head = ordinary.read_text(encoding="utf-8").partition("<main>")[0]
    tab = open_tab()
    for payload in PAYLOADS:
        if payload.fires != "alone" or payload.name in {"meta-refresh", "clobber-id", "clobber-name"}:
            continue
        (tmp_path / "spoilt.html").write_text(f"{head}<main>{payload.text}</main>", encoding="utf-8")
        tab.forget()
        tab.goto(tmp_path / "spoilt.html")
        tab.settle()
        # a frame's place stays, empty; and for a frame Chromium may connect before it asks the policy, and say nothing
        beside = ("frame: ", "caught ? connected")
        signs = [sign for sign in tab.ran() + tab.caught() if not sign.startswith(beside)]
        assert signs == [], payload.name


def test_axe_finds_nothing(ordinary, open_tab, axe_clean):
    tab = open_tab(ordinary)
    for width in (360, 1280):
        tab.resize(width)
        for look in ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"media": "print"}):
            tab.page.emulate_media(**look)
            axe_clean(tab.page)


def test_it_can_be_read_at_any_width(ordinary, open_tab):
    tab = open_tab(ordinary)
    for width in (320, 360, 768, 769, 1280, 1920, 3840):
        tab.resize(width)
        assert tab.too_wide() == []
        sizes = tab.page.evaluate(
            "() => [...document.querySelectorAll('main *')].filter(each => each.textContent.trim())"
            ".map(each => parseFloat(getComputedStyle(each).fontSize) * (each.ownerSVGElement"
            " ? each.ownerSVGElement.getScreenCTM().a : 1))"
        )
        assert min(sizes) >= (10 if width >= 360 else 9)
        lines = tab.page.evaluate(
            "() => [...document.querySelectorAll('p, li')].map(each => each.getBoundingClientRect().width"
            " / parseFloat(getComputedStyle(each).fontSize))"
        )
        assert max(lines) <= 55  # letters are about half as wide as high, and longer lines are hard to follow
    scrolled = (
        "() => [...document.querySelectorAll('.wide')].some(each => each.scrollWidth > each.clientWidth)"
    )
    for width in (360, 1280, 3840):
        tab.resize(width)
        assert not tab.page.evaluate(scrolled)  # a table that is cut off hides figures


def test_plots_are_named_for_those_who_do_not_see_them(ordinary, open_tab):
    page = open_tab(ordinary).page
    plots = page.get_by_role("img")
    assert plots.count() == 8  # of each judge: its headline, its scores, two columns
    for at in range(plots.count()):
        assert plots.nth(at).get_attribute("aria-label")
    assert page.get_by_role("img", name=re.compile(r"^\d\.\d\d, .*\(95 %\), of 0–5")).count() == 2
    assert page.get_by_role("table").count() == page.locator("caption").count() > 0


def test_text_on_the_plots_keeps_inside_them(ordinary, open_tab):
    page = open_tab(ordinary, width=360).page
    outside = page.evaluate(
        "() => [...document.querySelectorAll('svg text')].filter(each => {"
        " const text = each.getBoundingClientRect(), plot = each.ownerSVGElement.getBoundingClientRect();"
        " return text.left < plot.left - 1 || text.right > plot.right + 1; }).map(each => each.textContent)"
    )
    assert outside == []
