"""A judge of two labels."""

POLITE = """---
adjudge: 1
name: polite
verdict: {reason: string, label: {enum: [pass, fail]}}
score: {pass: 1, fail: 0}
---
Is the answer polite? Reply with JSON: "reason", then "label", which is pass or fail.

<response>
{{response}}
</response>
"""
