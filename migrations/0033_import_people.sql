-- Imports of people and of own columns (docs/decisions/imports.md).

-- People that the import added, changed and found unchanged; NULL: its file lists none. Backups and moves take them.
ALTER TABLE import_run
  ADD COLUMN people_added integer,
  ADD COLUMN people_updated integer,
  ADD COLUMN people_unchanged integer;

-- The undo finds what an import added.
CREATE INDEX person_import_idx ON person (account_id, import_run_id) WHERE import_run_id IS NOT NULL;
