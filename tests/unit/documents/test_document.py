from adjudge.documents.document import Command, Document, Fact, Quote, join, plain


def test_parts_are_joined_without_empty_ones_and_keep_whose_text_they_are():
    joined = join(" · ", ["run ", "", (Quote("<b>"), " passed"), Command("adjudge show r")])
    assert joined == ("run ", " · ", Quote("<b>"), " passed", " · ", Command("adjudge show r"))
    assert plain(joined) == "run  · <b> passed · adjudge show r"
    assert join(" · ", ["", ()]) == ()


def test_facts_are_found_by_their_kind():
    facts = (Fact(kind="labels", text="a"), Fact(kind="next", text="b"), Fact(kind="labels", text="c"))
    document = Document(title="t", blocks=facts)
    assert document.facts("labels") == (facts[0], facts[2])
