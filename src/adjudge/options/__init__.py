"""What can be set: the options of a run, declared once; which exclude each other; and what adjudge.toml says."""

from adjudge.options.declaration import declared
from adjudge.options.keywords import RunKeywords, make_options
from adjudge.options.run_options import (
    DEFAULT_STORE,
    Price,
    RunOptions,
    Shard,
    Turns,
    split_values,
)
from adjudge.options.spelling import called_from_python, columns_option, option

__all__ = [
    "DEFAULT_STORE",
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
