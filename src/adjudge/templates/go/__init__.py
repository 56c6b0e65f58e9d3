"""Go's text/template: its grammar, read into the shared tree, and what is Go's own about values."""

from adjudge.templates.go.parse import parse
from adjudge.templates.go.scope import GoScope

__all__ = ["GoScope", "parse"]
