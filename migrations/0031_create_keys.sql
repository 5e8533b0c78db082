-- The answers of creating requests that came with an Idempotency-Key: a repeated request gets the first answer again.
-- A send keeps its key in send_log, for as long as its run. These rows are deleted after a day.
CREATE TABLE create_key (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  key text NOT NULL,
  -- SHA-256 of the call and its input.
  request_hash bytea NOT NULL,
  -- NULL only within the transaction that creates.
  answer jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX create_key_created_idx ON create_key (account_id, created_at);

ALTER TABLE create_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE create_key FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON create_key TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON create_key TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON create_key TO kaitaku_service USING (true);
