"""`adjudge export`: a stored run's rows to a file."""

from contextlib import ExitStack

from adjudge.cli.console import print_message
from adjudge.cli.stored import find_run, stored
from adjudge.documents.rows import result_row
from adjudge.documents.writers import open_writer


def command(*, run: str, outputs: tuple[str, ...], store: str) -> None:
    with stored(store) as opened, ExitStack() as stack:
        record = find_run(opened, run)
        writers = [stack.enter_context(open_writer(path)) for path in outputs]
        count = 0
        for judgement in opened.judgements(record.run_id):
            row = result_row(judgement, record.run_id)
            for writer in writers:
                writer.write(row)
            count += 1
        if record.partial is not None:
            for writer in writers:
                writer.note_partial(str(record.partial))
    partial = "" if record.partial is None else f"{record.partial}: "
    print_message(f"{partial}wrote {count} rows of run {record.run_id}")
