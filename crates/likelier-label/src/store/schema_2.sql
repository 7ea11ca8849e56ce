-- Version 2: pairs that a classifier chose, and how probable each pair was to be drawn. A check cannot be changed, so the
-- table is made anew.
CREATE TABLE pair_2 (
    id         INTEGER PRIMARY KEY,
    person     INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    "left"     INTEGER NOT NULL REFERENCES item (id),
    "right"    INTEGER NOT NULL REFERENCES item (id),
    origin     TEXT NOT NULL CHECK (origin IN ('uniform', 'balanced', 'chosen', 'again', 'shared', 'imported')),
    "of"       INTEGER REFERENCES pair (id) ON DELETE SET NULL,
    dealt      INTEGER NOT NULL,
    -- The probability that this pair, in either order, was the one to be drawn; NULL if all were equally likely.
    propensity REAL CHECK (propensity > 0 AND propensity <= 1),
    CHECK ("left" <> "right")
) STRICT;
INSERT INTO pair_2 (id, person, "left", "right", origin, "of", dealt)
    SELECT id, person, "left", "right", origin, "of", dealt FROM pair;
DROP TABLE pair;
ALTER TABLE pair_2 RENAME TO pair;
CREATE INDEX pair_person ON pair (person);
CREATE INDEX pair_of ON pair ("of");
