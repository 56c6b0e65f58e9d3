"""The tables of the pages' index: one that names the runs, and a set for each run, named by its number."""

FORMAT = 3
"""A file of another format is made again."""

RUNS = """CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE,
    last INTEGER NOT NULL DEFAULT 0, items INTEGER NOT NULL DEFAULT 0, report BLOB, labels BLOB, seen BLOB)"""

# What is filtered and sorted by stands in narrow rows, apart from the texts: any filter and any order is then one quick
# pass over few pages, and needs no index of its own.
TABLES = (
    """CREATE TABLE items_{n} (
        made INTEGER PRIMARY KEY, case_id TEXT NOT NULL, judge TEXT NOT NULL, judge_hash TEXT NOT NULL,
        model TEXT NOT NULL, repeat INTEGER NOT NULL, outcome TEXT NOT NULL, error_kind TEXT NOT NULL,
        score REAL, exact REAL, passed INTEGER, probability REAL, cost REAL, latency_ms REAL NOT NULL,
        calls INTEGER NOT NULL, from_store INTEGER NOT NULL, at REAL NOT NULL, cluster TEXT,
        own_score REAL, own_pass INTEGER,
        labelled INTEGER NOT NULL DEFAULT 0, label_score REAL, label_pass REAL, gap REAL)""",
    "CREATE INDEX items_{n}_case ON items_{n} (case_id, judge, repeat)",
    "CREATE INDEX items_{n}_score ON items_{n} (score, made)",
    """CREATE TABLE previews_{n} (
        made INTEGER PRIMARY KEY, question TEXT NOT NULL, response TEXT NOT NULL, reason TEXT NOT NULL,
        notes TEXT NOT NULL, metadata TEXT NOT NULL)""",
    """CREATE TABLE facets_{n} (
        name TEXT NOT NULL, value TEXT NOT NULL, made INTEGER NOT NULL,
        PRIMARY KEY (name, value, made)) WITHOUT ROWID""",
    """CREATE TABLE values_{n} (
        name TEXT NOT NULL, value TEXT NOT NULL, items INTEGER NOT NULL,
        PRIMARY KEY (name, value)) WITHOUT ROWID""",
    """CREATE TABLE notes_{n} (
        note TEXT NOT NULL, made INTEGER NOT NULL, PRIMARY KEY (note, made)) WITHOUT ROWID""",
    "CREATE VIRTUAL TABLE words_{n} USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')",
)  # fmt: skip
KINDS = ("items", "previews", "facets", "values", "notes", "words")
