"""Judge the shipped examples with the four built-in judges and print the report: `make demo`, from the project's root.

There is no small judge to run offline yet, so a script of replies that a model might give stands in for the model. All
the rest is real: reading, rendering, verdicts, scores, notes, the report.
"""

import adjudge

JUDGES = ("relevance", "correctness", "helpfulness", "coverage")
MODEL = "scripted:examples/replies.jsonl"

print(f"No model is called: the replies come from a file, {MODEL}.\n")
runs = [adjudge.evaluate(f"examples/{name}.jsonl", judges=[name], model=MODEL, store=None) for name in JUDGES]
adjudge.Report.of(
    [judgement for run in runs for judgement in run], [judge for run in runs for judge in run.judges]
).print()
