"""`adjudge export`: a stored run's rows to a file."""

from contextlib import ExitStack

from adjudge.cli.console import print_message
from adjudge.cli.stored import find_run, stored
from adjudge.documents.rows import result_row
from adjudge.documents.writers import open_writer
from adjudge.errors import SettingsError
from adjudge.records import is_vote
from adjudge.store import has_jury


def command(*, run: str, outputs: tuple[str, ...], store: str, votes: bool) -> None:
    with stored(store) as opened, ExitStack() as stack:
        record = find_run(opened, run)
        if votes and not has_jury(record.plan):
            raise SettingsError(
                "--votes", f"run {record.run_id} has no jury", "leave it out: every model's rows are written"
            )
        unwanted = has_jury(record.plan) and not votes
        writers = [stack.enter_context(open_writer(path)) for path in outputs]
        count = 0
        for judgement in opened.judgements(record.run_id):
            if (unwanted and is_vote(judgement.model)) or (votes and not is_vote(judgement.model)):
                continue
            row = result_row(judgement, record.run_id)
            for writer in writers:
                writer.write(row)
            count += 1
        if record.partial is not None:
            for writer in writers:
                writer.note_partial(str(record.partial))
    partial = "" if record.partial is None else f"{record.partial}: "
    print_message(f"{partial}wrote {count} rows of run {record.run_id}")
