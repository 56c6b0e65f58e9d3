"""Text for a terminal of a given width: rich lays it out, and no escape but our own gets through."""

import io
from collections.abc import Callable

from rich.console import Console


def laid_out(write: Callable[[Console], None], *, width: int, color: bool) -> str:
    """What `write` prints, line by line without trailing space."""
    console = Console(
        file=io.StringIO(),
        width=max(width, 20),
        color_system="standard" if color else None,
        force_terminal=color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        write(console)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"
