"""What the reports that are still to move import from here."""

from adjudge.documents.numbers import (
    NOTHING_TO_SHOW,
    show_count,
    show_duration,
    show_mean,
    show_money,
    show_number,
    show_percent,
    show_rate,
    show_time,
    whole,
)
from adjudge.documents.records_json import records_json as plain_json
from adjudge.text import escape_unseen, seen, shorten, visible, without_controls

__all__ = [
    "NOTHING_TO_SHOW",
    "escape_unseen",
    "plain_json",
    "seen",
    "shorten",
    "show_count",
    "show_duration",
    "show_mean",
    "show_money",
    "show_number",
    "show_percent",
    "show_rate",
    "show_time",
    "visible",
    "whole",
    "without_controls",
]
