"""Requests to ask with."""

import pytest

from adjudge.records import Message, Prompt, Request


@pytest.fixture
def make_request():
    def make(text="question", **options):
        options = {"case_id": "c1", "judge": "relevance", "schema": None} | options
        return Request(prompt=Prompt(messages=(Message(role="user", content=text),)), **options)

    return make
