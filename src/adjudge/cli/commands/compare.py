"""`adjudge compare`: two runs over the same cases, and whether one is better."""

from adjudge.analysis.comparison.document import comparison_document
from adjudge.analysis.comparison.runs import ComparisonOptions, compare_runs
from adjudge.cli.console import print_document, print_json, print_message
from adjudge.cli.gates import ComparisonGates
from adjudge.cli.main import EXIT_NOT_MEASURED
from adjudge.cli.options import CompareOptions, ComparisonGateOptions
from adjudge.cli.stored import find_run, stored


def command(*, a: str, b: str, options: CompareOptions, gates: ComparisonGateOptions) -> int:
    checked = ComparisonGates(options=gates)
    with stored(options.store) as opened:
        run_a, run_b = find_run(opened, a), find_run(opened, b)
        compared = compare_runs(
            opened,
            run_a,
            run_b,
            ComparisonOptions(
                only=options.only,
                model=options.model,
                across=options.across,
                columns=options.columns,
                labels=options.labels,
                label_map=options.label_map,
                listed=options.listed,
                seed=options.seed,
            ),
        )
    if options.as_json:
        print_json(compared)
    else:
        print_document(comparison_document(compared, margin=gates.margin), verbose=options.verbose)
    code = checked.judge(compared.judges, print_message)
    for run in (run_a, run_b):
        if run.partial is not None and checked.gated:
            print_message(
                f"not measured: {run.partial} in run {run.run_id}; finish it with the command that started it"
            )
            code = EXIT_NOT_MEASURED
    return code
