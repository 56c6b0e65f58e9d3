"""`adjudge runs`: list what is stored, or remove a run."""

import click

from adjudge.cli.console import plain, print_json, print_message
from adjudge.cli.stored import find_run, stored
from adjudge.documents.numbers import show_time
from adjudge.store import model_names, planned_judges


def command(*, store: str, as_json: bool) -> None:
    with stored(store) as opened:
        runs = opened.runs()
    if as_json:
        rows = [
            {
                "run": run.run_id,
                "name": run.name,
                "state": run.state,
                "judgements": run.judgements,
                "partial": None if run.partial is None else {"done": run.partial.done, "of": run.partial.of},
                "started_at": show_time(run.started_at),
                "finished_at": None if run.finished_at is None else show_time(run.finished_at),
                "plan": dict(run.plan),
            }
            for run in runs
        ]
        print_json(rows)
        return
    for run in runs:
        named = ", ".join(planned_judges(run.plan))
        partial = "" if run.partial is None else f"  {run.partial}"
        click.echo(
            plain(
                f"{run.run_id:<16} {run.state.replace('_', ' '):<13} {run.judgements - run.not_asked:>9} judgements  "
                f"{show_time(run.started_at)}  "
                f"{named}  {', '.join(model_names(run.plan))}{partial}"
            )
        )
    if not runs:
        print_message("no runs yet: `adjudge run CASES --judge NAME --model MODEL` makes one")


def remove(*, run: str) -> None:
    from adjudge.runs.lock import lock_run, validate_idle

    with stored(click.get_current_context().obj["store"]) as opened:
        record = find_run(opened, run)
        lock = lock_run(opened, record.run_id)
        try:
            validate_idle(opened, record.run_id)
            count = opened.remove_run(record.run_id)
        finally:
            lock.release()
    click.echo(f"removed run {record.run_id}: {count} judgements; the model's replies stay in the store")
