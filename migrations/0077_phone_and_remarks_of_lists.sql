-- The telephone number of a company, as its list has it. No key: several companies may share one.
ALTER TABLE prospect ADD COLUMN phone text COLLATE "C";

ALTER TABLE import_run
  -- The group that gets the remarks of the file; NULL: remarks are not imported.
  ADD COLUMN sender_group_id bigint,
  -- Rows of a company that an earlier row has, and rows of closed companies, totals and notes.
  ADD COLUMN rows_repeated integer NOT NULL DEFAULT 0,
  ADD COLUMN rows_closed integer NOT NULL DEFAULT 0,
  ADD FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id);
