"""The report as one page: offline, without scripts, with other people's text as text."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.analysis.summary.report import Report
from adjudge.documents.files import ReportFile, is_report_file
from adjudge.records import Case, Place

HOSTILE = "</td><script>alert(1)</script><img src=x onerror='alert(2)'>&\"`$x^{$\x1b[31m\u202e"
VOID = {"meta", "img", "br"}


class Page(HTMLParser):
    """Tags and text, and a complaint when a tag is not closed."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


def report(build, text="law", scale=True):
    judges = [build.judge(passes="score >= 3", **({} if scale else {"scale": None}))]
    rows = [
        build.judgement(
            build.scored(float(n % 6)),
            case_id=f"{text}{n}",
            case=Case(case_id=f"{text}{n}", columns={}, fields={"question": text, "response": text}),
            passed=n % 6 >= 3,
            reason=text,
            metadata={"topic": text if n % 2 else "other"},
        )
        for n in range(24)
    ]
    rows.append(
        build.judgement(
            build.failed("unreadable", text), case_id=text, place=Place(file=text, line=3), notes=(text,)
        )
    )
    made = Report.of(rows, judges, slices=["topic"])
    return replace(made, run=text, current_date=text)


def check_safe(page):
    assert "script" not in page.tags
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "span", "main", "section",
        "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "footer", "article", "dl",
        "dt", "dd", "b", "q", "code", "small", "strong", "details", "summary", "svg", "text", "rect", "line", "circle",
    }  # fmt: skip
    for tag, name, _ in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name != "style"
        assert name != "src"
        assert name != "href"


def test_hostile_text_stays_text_everywhere(build):
    page = Page(report(build, HOSTILE).to_html())
    check_safe(page)
    assert "<script>alert(1)</script>" in page.text
    assert "\x1b" not in page.text


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(min_size=1, max_size=30))
def test_any_text_gives_a_page_with_our_tags_alone(build, text):
    check_safe(Page(report(build, text).to_html()))


def test_the_policy_lets_the_pages_own_style_through_and_nothing_else(build):
    text = report(build).to_html()
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert text.index("Content-Security-Policy") < text.index("<style>")
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme: dark" in style


def test_figures_slices_failures_and_cases_to_read_are_on_the_page(build):
    page = Page(report(build).to_html())
    for words in (
        "run law",
        "2.50",
        "1.78–3.22 (95 %)",
        "depending on the unscored cases",
        "law (law line 3): law",
        "j by topic",
        "one that stands out is something to check",
        "intervals are 95 % intervals: mean by t on the logit scale; pass rate by Wilson",
    ):
        assert words in page.text
    assert page.tags.count("table") == page.tags.count("caption") == 1
    assert page.tags.count("article") == 5


def test_plots_are_inline_drawings_with_words_for_those_who_do_not_see_them(build):
    page = Page(report(build).to_html())
    labels = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert labels == [
        "2.50, 1.78–3.22 (95 %), of 0–5, 50 % pass",
        "Mean of each slice with its 95 % interval; the dashed line is the mean of all cases.",
        "Scores given",
    ]


def test_the_same_figures_make_the_same_page(build):
    first, second = (report(build).to_html() for _ in range(2))
    assert first == second


def test_without_a_scale_or_without_rows_there_is_a_page(build):
    check_safe(Page(report(build, scale=False).to_html()))
    nothing = Report.of([], [build.judge()])
    check_safe(Page(nothing.to_html()))
    failed = Report.of([build.judgement(build.failed("refused"))], [build.judge()], slices=["topic"])
    assert "1 refused" in Page(failed.to_html()).text


# ---- files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("r.html", True),
        ("R.HTML", True),
        ("r.md", True),
        ("r.jsonl", False),
        ("r.junit.xml", False),
        ("-", False),
    ],
)
def test_a_report_file_is_known_by_its_suffix(path, expected):
    assert is_report_file(path) is expected


def test_a_report_file_keeps_its_old_content_until_there_is_a_report(build, tmp_path):
    path = tmp_path / "r.md"
    path.write_text("old")
    with ReportFile(str(path)):
        pass
    assert path.read_text() == "old"
    with ReportFile(str(path)) as file:
        file.write(report(build).to_markdown())
    assert path.read_text().startswith("**run")
    with ReportFile(str(tmp_path / "new.html")):
        pass
    assert not (tmp_path / "new.html").exists()
