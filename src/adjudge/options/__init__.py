"""What can be set: the options of a run, declared once, and what adjudge.toml says."""

from adjudge.options.run_options import (
    DEFAULT_STORE,
    JURY_RULES,
    Price,
    RunKeywords,
    RunOptions,
    Shard,
    Turns,
    called_from_python,
    columns_option,
    declared,
    make_options,
    option,
    split_values,
)

__all__ = [
    "DEFAULT_STORE",
    "JURY_RULES",
    "Price",
    "RunKeywords",
    "RunOptions",
    "Shard",
    "Turns",
    "called_from_python",
    "columns_option",
    "declared",
    "make_options",
    "option",
    "split_values",
]
