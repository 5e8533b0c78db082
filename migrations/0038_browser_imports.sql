-- An import in the browser begins with its upload; the command line adds a row when it has imported.
ALTER TABLE import_run ALTER COLUMN encoding DROP NOT NULL;
ALTER TABLE import_run
  ADD COLUMN state text NOT NULL DEFAULT 'imported'
    CHECK (state IN ('uploading', 'uploaded', 'checked', 'imported', 'undone')),
  -- The upload; NULL: it has expired, or the file came by the command line.
  ADD COLUMN file_id bigint,
  ADD COLUMN file_bytes bigint,
  -- SHA-256 of the first 64 KiB, in hexadecimal: a resumed upload must be the same file.
  ADD COLUMN head_sha256 text,
  -- How the file is read: encoding, separator, heading row, fields of its columns.
  ADD COLUMN settings jsonb,
  -- What the check has found.
  ADD COLUMN review jsonb,
  -- The last job: a check, a run or an undo. Jobs are deleted after a month.
  ADD COLUMN job_id bigint,
  ADD COLUMN rows_unchanged integer NOT NULL DEFAULT 0,
  -- NULL: imported before imports could be undone.
  ADD COLUMN imported_at timestamptz,
  -- What was undone.
  ADD COLUMN undone jsonb,
  ADD FOREIGN KEY (account_id, file_id) REFERENCES stored_file (account_id, id) ON DELETE SET NULL (file_id);
CREATE INDEX import_run_file_idx ON import_run (account_id, file_id) WHERE file_id IS NOT NULL;

-- What the check of a file shows row by row. It is deleted with the file.
CREATE TABLE import_line (
  account_id bigint NOT NULL,
  file_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- changed, or a kind of fault
  kind text NOT NULL,
  file_row integer NOT NULL,
  -- The earlier row of the same company.
  first_row integer,
  prospect_id bigint,
  company_name text,
  column_label text NOT NULL DEFAULT '',
  value text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  -- changed: {field: [old, new]}
  changes jsonb,
  -- refused: the cells of the row, to give it back.
  cells text[],
  PRIMARY KEY (account_id, file_id, id),
  FOREIGN KEY (account_id, file_id) REFERENCES stored_file (account_id, id) ON DELETE CASCADE
);
CREATE INDEX import_line_kind_idx ON import_line (account_id, file_id, kind, file_row, id);

-- The fields that a person chose for the columns of a heading row, for the next file with this row.
CREATE TABLE import_mapping (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- SHA-256 of the headings.
  heading_hash bytea NOT NULL,
  columns jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, heading_hash)
);

ALTER TABLE import_line ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_line FORCE ROW LEVEL SECURITY;
ALTER TABLE import_mapping ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_mapping FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON import_line, import_mapping TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON import_line TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON import_line TO kaitaku_service USING (true);
CREATE POLICY own ON import_mapping TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON import_mapping TO kaitaku_service USING (true);
