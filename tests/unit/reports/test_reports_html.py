"""The report as one page: offline, without scripts, with other people's text as text."""

import os
import re
import subprocess
import sys
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.records import Place
from adjudge.reports.files import ReportFile, is_report_file
from adjudge.reports.html import report_html
from adjudge.reports.report import Report

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
    return Report.of(rows, judges, run=text, current_date=text, slices=["topic"])


def check_safe(page):
    assert "script" not in page.tags
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "span", "main", "section",
        "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure", "figcaption", "ul", "li", "footer",
        "svg", "g", "path", "defs", "use", "text", "clippath", "rect",
    }  # fmt: skip
    for tag, name, value in page.attributes:
        assert not name.startswith("on"), (tag, name)
        assert name != "style"
        assert name != "src"
        if name == "href":
            assert value.startswith("#")


def test_hostile_text_stays_text_everywhere(build):
    page = Page(report_html(report(build, HOSTILE).summaries, run=HOSTILE, current_date=HOSTILE))
    check_safe(page)
    assert "<script>alert(1)</script>" in page.text
    assert "\x1b" not in page.text


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(min_size=1, max_size=30))
def test_any_text_gives_a_page_with_our_tags_alone(build, text):
    check_safe(Page(report_html(report(build, text).summaries, run=text)))


def test_the_policy_lets_the_pages_own_style_through_and_nothing_else(build):
    text = report_html(report(build).summaries)
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert text.index("Content-Security-Policy") < text.index("<style>")
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "prefers-color-scheme: dark" in style


def test_figures_slices_failures_and_cases_to_read_are_in_captioned_tables(build):
    page = Page(report_html(report(build).summaries, run="r1", at=datetime(2026, 1, 31, tzinfo=UTC)))
    for words in (
        "Report of run r1",
        "24 of 25 rows judged; written 2026-01-31T00:00:00.000Z",
        "2.50 [1.76, 3.24]",
        "50.0% [31.4%, 68.6%]",
        "2.40 to 2.60",
        "1 unreadable: the model replied, but with no verdict",
        "By topic",
        "The 10 lowest scores",
        "of 3 slices looked at",
        "[low, high] is a 95 % interval: mean by t; pass rate by Wilson.",
    ):
        assert words in page.text
    assert page.tags.count("table") == page.tags.count("caption") == 4


def test_plots_are_inline_drawings_with_words_for_those_who_do_not_see_them(build):
    pytest.importorskip("matplotlib")
    page = Page(report_html(report(build).summaries))
    assert page.tags.count("svg") == 3
    labels = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert labels[0].startswith("Mean 2.50 [1.76, 3.24] on a scale of 0 to 5; 2.40 to 2.60 if")
    assert labels[1] == "Rows by score: " + ", ".join(f"{n}: 4" for n in range(6))
    names = [value for _, name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names)) > 0
    used = {value[1:] for _, name, value in page.attributes if name == "href"}
    assert used <= set(names)


def test_the_same_figures_make_the_same_page(build):
    first, second = (report_html(report(build).summaries) for _ in range(2))
    assert first == second


def test_without_a_scale_or_without_rows_there_is_a_page(build):
    check_safe(Page(report_html(report(build, scale=False).summaries)))
    nothing = Report.of([], [build.judge()])
    check_safe(Page(nothing.to_html()))
    failed = Report.of([build.judgement(build.failed("refused"))], [build.judge()], slices=["topic"])
    assert "1 refused" in Page(failed.to_html()).text


def test_without_what_draws_the_page_has_its_tables_and_says_so():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from adjudge.reports.html import report_html\n"
        "print(report_html([]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install &#39;adjudge[html]&#39;" in done.stdout


def test_plots_read_no_settings_of_the_current_folder(tmp_path):
    """A file that matplotlib cannot decode shows that it was not opened."""
    pytest.importorskip("matplotlib")
    (tmp_path / "matplotlibrc").write_bytes(b"text.usetex: True\nfont.family: \xff\n")
    code = (
        "import os\nfrom adjudge.reports.plots import need_plots\nneed_plots()\n"
        f"assert os.getcwd() == {os.fspath(tmp_path)!r}\n"
        "import matplotlib\nassert not matplotlib.rcParams['text.usetex']\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr


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
        file.write(report(build))
    assert path.read_text().startswith("| Judge |")
    with ReportFile(str(tmp_path / "new.html")):
        pass
    assert not (tmp_path / "new.html").exists()
