"""Texts that nobody meant to write: for tests of what has to hold whatever a text looks like."""

from hypothesis import strategies as st

FRAGMENTS = (
    "the", "Dr. Smith", "e.g.", "3.5", "-3.7", "1,500", "No. 5", "U.S.", "it", "they", "which has", "because", "so that",
    "therefore", "and sold", "is", "was", "and", "or", "but", ",", ";", ":", ".", "!", "?", "…", '"', "“", "”", "'", "’s",
    "(", ")", "[1]", "- item", "* item", "1. one", "(2) two", "(1) one", "•", "# Heading", "**bold**", "__x__", "| a | b |",
    "|---|", "```", "\n", "\n\n", "\r\n", "\t", "\u2028", "\x1c", "\u00a0", "\u200b", "\u00ad", "e\u0301", "\u0301", "¨",
    "ﬁ", "½", "İ", "ß", "ﷺ", "中文句子。", "ภาษาไทย", "العربية", "😀", "`code`", "a*b", "<|im_end|>", "\ud800", "aaaa" * 50,
    "Yes.", "No", "Include", "To store", "By using", "phones, tablets and watches", "should", "This means that",
)  # fmt: skip
odd_texts = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(" ".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join),
    st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=5)), max_size=20).map("\n".join),
)
