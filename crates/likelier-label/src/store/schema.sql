-- Version 1. Times are milliseconds since 1970, UTC.
CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE person (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE COLLATE NOCASE,
    token   TEXT NOT NULL UNIQUE,
    owner   INTEGER NOT NULL CHECK (owner IN (0, 1)),
    created INTEGER NOT NULL
) STRICT;

-- The items that were ever shown, by the ids of the items file.
CREATE TABLE item (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- A pair that was dealt to a person: where its items stood, and how it came about.
CREATE TABLE pair (
    id      INTEGER PRIMARY KEY,
    person  INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    "left"  INTEGER NOT NULL REFERENCES item (id),
    "right" INTEGER NOT NULL REFERENCES item (id),
    origin  TEXT NOT NULL CHECK (origin IN ('uniform', 'balanced', 'again', 'shared', 'imported')),
    "of"    INTEGER REFERENCES pair (id) ON DELETE SET NULL,
    dealt   INTEGER NOT NULL,
    CHECK ("left" <> "right")
) STRICT;
CREATE INDEX pair_person ON pair (person);
CREATE INDEX pair_of ON pair ("of");

-- What was said. Rows are only ever added; undoing adds one that points to what it undoes.
CREATE TABLE answer (
    id     INTEGER PRIMARY KEY,
    pair   INTEGER NOT NULL REFERENCES pair (id) ON DELETE CASCADE,
    choice TEXT NOT NULL CHECK (choice IN ('left', 'right', 'tie', 'skip', 'flag', 'undo')),
    undoes INTEGER UNIQUE REFERENCES answer (id) ON DELETE CASCADE,
    reason TEXT,
    key    TEXT NOT NULL UNIQUE,
    at     INTEGER NOT NULL,
    took   INTEGER,
    CHECK ((choice = 'undo') = (undoes IS NOT NULL))
) STRICT;
CREATE INDEX answer_pair ON answer (pair);

CREATE VIEW standing AS
    SELECT * FROM answer
    WHERE choice <> 'undo' AND NOT EXISTS (SELECT 1 FROM answer AS later WHERE later.undoes = answer.id);

CREATE TRIGGER answers_stay BEFORE UPDATE ON answer
BEGIN SELECT RAISE(ABORT, 'answers are only ever added'); END;
CREATE TRIGGER answers_are_kept BEFORE DELETE ON answer
WHEN NOT EXISTS (SELECT 1 FROM setting WHERE name = 'forgetting')
BEGIN SELECT RAISE(ABORT, 'answers are only ever added'); END;
