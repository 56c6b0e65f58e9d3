"""Files, streams and Python objects -> cases."""

from adjudge.dataset.read import READERS, read_cases

__all__ = ["READERS", "read_cases"]
