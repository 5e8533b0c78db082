-- Which pre-release of Kaitaku wrote a migration's file down, and its SHA-256 (docs/decisions/release.md): the file may
-- change until a release fixes it. NULL: no pre-release ran on this database.
ALTER TABLE schema_migration
  ADD COLUMN prerelease text,
  ADD COLUMN hash text,
  ADD CHECK ((prerelease IS NULL) = (hash IS NULL));

UPDATE schema_migration SET oldest_program = 11 WHERE version = 17;
