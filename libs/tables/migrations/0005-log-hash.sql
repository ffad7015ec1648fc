-- What the rows of a group were made of: a log that says something else at that place is another.
ALTER TABLE progress ADD COLUMN IF NOT EXISTS `logHash` Nullable(FixedString(32)) AFTER `knownFrom`;
