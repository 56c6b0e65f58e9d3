"""Judge the shipped examples with the four built-in judges on the embedded judge, and print the report: `make demo`."""

import adjudge

JUDGES = ("relevance", "correctness", "helpfulness", "coverage")

print("The embedded judge answers: no key, and no network from here on.\n")
for name in JUDGES:
    adjudge.evaluate(f"examples/{name}.jsonl", judges=[name], store=None).report().print()
    print()
