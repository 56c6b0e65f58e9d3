"""Peak memory of `adjudge run`, beside a run of a tenth of the rows. Imports nothing large: a child's peak counts its parent's."""

from common import Figure, Setting, adjudge_command, run_command, serving, write_cases

ROWS = 200_000
TENTH = 10
JOBS = 64
REACH = 1.15
REACH_MB = 150


def measure(setting: Setting) -> Figure:
    rows = setting.rows(ROWS, least=2_000)
    small, large = peak_mb(setting, rows // TENTH), peak_mb(setting, rows)
    value = large / small
    return Figure(
        what=f"peak memory, {rows:,} rows against {rows // TENTH:,}",
        measured=f"{large:.1f} MB",
        floor=f"{small:.1f} MB",
        value=value,
        shown=f"{value:.2f} ×",
        reach=f"≤ {REACH} ×, < {REACH_MB} MB",
        reached=value <= REACH and large < REACH_MB,
    )


def peak_mb(setting: Setting, rows: int) -> float:
    folder = setting.folder
    cases = write_cases(folder / f"{rows}.jsonl", rows)
    output = folder / f"{rows}.rows.jsonl"
    with serving() as server:
        command = adjudge_command(
            cases, server, setting.new_store(str(rows)), judge=setting.judge, jobs=JOBS, output=output
        )
        used = run_command(command)
    with output.open("rb") as file:
        assert sum(1 for _ in file) == rows
    return used.megabytes
