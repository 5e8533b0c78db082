-- Work that takes longer than a request: a worker claims it, so that closing the browser stops nothing.
CREATE TABLE job (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  input jsonb NOT NULL,
  -- Rows or bytes, for the progress on screen.
  done bigint NOT NULL DEFAULT 0,
  total bigint,
  -- Done: what the work made. Failed: code and message.
  result jsonb,
  member_id bigint,
  -- The fence: a worker whose lease is over changes nothing.
  claim_no integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE INDEX job_open_idx ON job (created_at, id) WHERE state IN ('queued', 'running');
CREATE INDEX job_finished_idx ON job (finished_at);

CREATE TRIGGER announce_job AFTER INSERT ON job FOR EACH STATEMENT EXECUTE FUNCTION announce_work();

-- Files of an account: uploads, and what exports make. They lie here in pieces, so that every process reaches them and none
-- holds one in memory. Deleted once they have expired.
CREATE TABLE stored_file (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  media_type text NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);
CREATE INDEX stored_file_expiry_idx ON stored_file (expires_at);

CREATE TABLE stored_file_piece (
  account_id bigint NOT NULL,
  file_id bigint NOT NULL,
  -- Where the piece begins in the file.
  start bigint NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (account_id, file_id, start),
  FOREIGN KEY (account_id, file_id) REFERENCES stored_file (account_id, id) ON DELETE CASCADE
);
-- Compressing each piece would cost more CPU than reading it.
ALTER TABLE stored_file_piece ALTER COLUMN content SET STORAGE EXTERNAL;

ALTER TABLE job ENABLE ROW LEVEL SECURITY;
ALTER TABLE job FORCE ROW LEVEL SECURITY;
ALTER TABLE stored_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_file FORCE ROW LEVEL SECURITY;
ALTER TABLE stored_file_piece ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_file_piece FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON job, stored_file, stored_file_piece TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON job TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON job TO kaitaku_service USING (true);
CREATE POLICY own ON stored_file TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON stored_file TO kaitaku_service USING (true);
CREATE POLICY own ON stored_file_piece TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON stored_file_piece TO kaitaku_service USING (true);
