"""LLM-as-a-judge: any judge prompt in, typed verdicts and code-computed scores out."""

__version__ = "0.1.0"
