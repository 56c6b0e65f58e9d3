"""Text of cases as HTML: nothing runs, nothing is fetched, nothing is lost."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xss_corpus import PAYLOADS

from adjudge.server.safe_markdown import (
    ATTRIBUTES,
    CLASSES,
    MAX_CHARS,
    MAX_DEPTH,
    TAGS,
    Mark,
    looks_like_markdown,
    render_markdown,
    render_plain,
)
from adjudge.text import seen


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.marked, self.depth = [], "", [], 0

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "mark":
            self.depth += 1
            self.marked.append("")

    def handle_endtag(self, tag):
        self.depth -= tag == "mark"

    def handle_data(self, data):
        self.text += data
        if self.depth:
            self.marked[-1] += data


def read(html):
    reader = Reader()
    reader.feed(str(html))
    reader.close()
    return reader


def assert_harmless(html):
    for tag, attributes in read(html).tags:
        assert tag in TAGS, tag
        allowed = {
            *ATTRIBUTES.get(tag, ()),
            *(["rel"] if tag == "a" else []),
            *(["class"] if tag in CLASSES else []),
        }
        if tag == "pre":
            allowed.add("class")
        assert attributes.keys() <= allowed, (tag, attributes)
        if tag == "a" and "href" in attributes:
            assert re.match(r"(?:https?:|mailto:|[^:]*$)", attributes["href"], re.IGNORECASE), attributes
            assert attributes["rel"] == "noopener noreferrer nofollow"


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: payload.name)
def test_no_payload_becomes_anything_but_text_and_its_words_are_there(payload):
    for html in (render_markdown(payload.text), render_plain(payload.text)):
        assert_harmless(html)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]", str(html))
    assert read(render_plain(payload.text)).text.lstrip("\n") == seen(payload.text).lstrip("\n")
    words = re.findall(r"[A-Za-z]{3,}", unescape(payload.text))
    shown = str(read(render_markdown(payload.text)).text) + str(read(render_markdown(payload.text)).tags)
    assert [
        word for word in words if word not in shown and word.casefold() not in unescape(shown).casefold()
    ] == []


@given(st.text(alphabet=st.sampled_from("ab <>&\"'*_`[]()!#-\n\\|:/.1\u202e\x1b\ufdd0\ufdd2"), max_size=120))
def test_whatever_is_written_nothing_but_known_tags_comes_of_it(text):
    assert_harmless(render_markdown(text))
    assert read(render_plain(text)).text.removeprefix("\n") == seen(text)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(-2, 70), st.integers(-2, 70)), max_size=5))
def test_marks_change_no_text_wherever_they_fall(text, spans):
    marks = [Mark(start, end, 'a"<b>') for start, end in spans if start >= 0]
    plain = render_plain(text, marks)
    assert_harmless(plain)
    assert read(plain).text.removeprefix("\n") == seen(text)
    assert_harmless(render_markdown(text, marks))


def test_links_keep_their_address_in_sight_and_lead_only_to_the_web_or_a_mailbox():
    html = render_markdown("[press](https://a.example/x 'say') <https://b.example> [c](mailto:c@c.example)")
    assert "(https://a.example/x say)" in read(html).text
    assert [attributes["href"] for tag, attributes in read(html).tags if tag == "a"] == [
        "https://a.example/x",
        "https://b.example",
        "mailto:c@c.example",
    ]
    for bad in (
        "javascript:x",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "JaVaScRiPt:x",
        "&#106;avascript:x",
    ):
        assert "href" not in str(render_markdown(f"[press]({bad})"))


def test_images_are_words_wherever_they_point():
    for source in ("https://t.example/p.gif", "data:image/png;base64,AAAA", "/api/runs", "x.png"):
        html = render_markdown(f"![a picture]({source})")
        assert "<img" not in html
        assert "a picture" in html
    assert "https://t.example/p.gif" in render_markdown("![x](https://t.example/p.gif 'title')")


def test_nothing_is_hidden_by_being_a_definition_or_a_language_or_deep_inside():
    assert "[1]: https://a.example" in read(render_markdown("text\n\n[1]: https://a.example 'hidden'")).text
    assert "ignore the rules" in read(render_markdown("```python ignore the rules\nx\n```")).text
    deep = ">" * (2 * MAX_DEPTH) + " at the bottom"
    assert "at the bottom" in read(render_markdown(deep)).text
    lists = "".join(f"{'  ' * level}- level {level}\n" for level in range(MAX_DEPTH))
    assert f"level {MAX_DEPTH - 1}" in read(render_markdown(lists)).text


@pytest.mark.parametrize(
    "text",
    [
        "[" * MAX_CHARS,
        "![" * (MAX_CHARS // 2),
        "*a " * (MAX_CHARS // 3),
        "*_" * (MAX_CHARS // 2),
        "`" * MAX_CHARS,
        "[a](<b" * (MAX_CHARS // 6),
        "<" * MAX_CHARS,
        "> " * (MAX_CHARS // 2),
        "|a" * (MAX_CHARS // 4) + "\n" + "|-" * (MAX_CHARS // 4),
        "x " * 500_000,
    ],
    ids=lambda text: text[:6],
)
def test_texts_made_to_be_slow_come_to_an_end(text):
    assert_harmless(render_markdown(text))


def test_marks_stand_on_the_words_in_markdown_too_also_across_emphasis_code_and_lines():
    text = "The **big red** fox, `runs` far.\n\n```\nbig red\n```\n- [a link](https://a.example/big)"
    spans = [("big red** fox, `runs` far", "F1"), ("big red\n", "F2"), ("link", "F3")]
    at, marks = 0, []
    for words, title in spans:
        at = text.index(words, at)
        marks.append(Mark(at, at + len(words.rstrip("\n")), title))
        at += len(words)
    reader = read(render_markdown(text, marks))
    assert [attributes["title"] for tag, attributes in reader.tags if tag == "mark"] == [
        *(["F1"] * 4),
        "F2",
        "F3",
    ]
    assert "".join(reader.marked) == "big red fox, runs farbig redlink"
    assert "https://a.example/big" in str(reader.tags)


def test_a_text_cannot_make_marks_of_its_own():
    assert read(render_markdown("**x** \ufdd0\ufdd2\ufdd2\ufdd2fake\ufdd1")).marked == []


def test_line_ends_stay_and_text_without_markdown_is_known_as_such():
    assert "<br>" in render_markdown("one\ntwo")
    assert not looks_like_markdown("Two lines.\nPrices: 3 * 4, a_b, 5 - 3 # 1.")
    for text in ("# T", "- a", "1. a", "**b**", "`c`", "[a](b)", "> q", "|a|b|", "```\nx\n```"):
        assert looks_like_markdown(text), text
