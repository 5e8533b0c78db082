-- What an account makes us hold is limited. See docs/decisions/0249.
ALTER TABLE stored_file
  -- The size of an upload as it was declared; 0: an export, or the content was deleted.
  ADD COLUMN declared_bytes bigint NOT NULL DEFAULT 0,
  -- What the check of an import has found, import_line as text.
  ADD COLUMN review_bytes bigint NOT NULL DEFAULT 0,
  -- When the last piece came. An upload that stands still gives way to the next one.
  ADD COLUMN written_at timestamptz NOT NULL DEFAULT now(),
  -- The export that writes the file. What a killed one has left is found by it.
  ADD COLUMN job_id bigint,
  ADD FOREIGN KEY (account_id, job_id) REFERENCES job (account_id, id) ON DELETE CASCADE;
CREATE INDEX stored_file_job_idx ON stored_file (account_id, job_id) WHERE job_id IS NOT NULL;

-- The owner of the tables, who migrates, sees no row of them while this is forced.
ALTER TABLE stored_file NO FORCE ROW LEVEL SECURITY;
ALTER TABLE import_run NO FORCE ROW LEVEL SECURITY;
ALTER TABLE job NO FORCE ROW LEVEL SECURITY;
UPDATE stored_file AS file SET declared_bytes = run.file_bytes FROM import_run AS run
WHERE run.account_id = file.account_id AND run.file_id = file.id AND run.file_bytes IS NOT NULL;
UPDATE stored_file AS file SET job_id = job.id FROM job
WHERE job.account_id = file.account_id AND job.kind = 'export' AND job.state = 'done'
  AND (job.result->>'file_id')::bigint = file.id;
-- Of exports that were killed. Nobody sees them, and they would count.
DELETE FROM stored_file AS file
WHERE job_id IS NULL
  AND NOT EXISTS (SELECT FROM import_run AS run WHERE run.account_id = file.account_id AND run.file_id = file.id)
  AND NOT EXISTS (
    SELECT FROM job WHERE job.account_id = file.account_id AND job.kind = 'export' AND job.state = 'running');
ALTER TABLE stored_file FORCE ROW LEVEL SECURITY;
ALTER TABLE import_run FORCE ROW LEVEL SECURITY;
ALTER TABLE job FORCE ROW LEVEL SECURITY;

-- `web` adds up what all accounts hold, before an upload begins. It has no other role that sees all of them.
GRANT SELECT (account_id, id, bytes, declared_bytes, expires_at) ON stored_file TO kaitaku_login;
CREATE POLICY login ON stored_file FOR SELECT TO kaitaku_login USING (true);
