CREATE TABLE account_rule (
  account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  undo_seconds smallint NOT NULL DEFAULT 0 CHECK (undo_seconds IN (0, 10, 30, 60))
);
ALTER TABLE send_log ADD COLUMN starts_at timestamptz;
ALTER TABLE account_rule ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_rule FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON account_rule TO kaitaku_service USING (true);
CREATE POLICY own ON account_rule TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON account_rule TO kaitaku_api, kaitaku_service;
