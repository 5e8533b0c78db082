-- The oldest version of the schema whose programs may run beside this one; NULL: the one before. A migration beside
-- which older programs may run, or none, says so by an UPDATE of its own row, which is there when it begins.
ALTER TABLE schema_migration ADD COLUMN oldest_program integer CHECK (oldest_program <= version);
