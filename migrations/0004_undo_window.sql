-- A send can be taken back for some seconds (docs/decisions/undo-window.md).

-- The rules that an account has chosen for all its sending. No row: the defaults.
CREATE TABLE account_rule (
  account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  -- Mails of a real send at once wait so long, and can be taken back. 0: they do not wait.
  undo_seconds smallint NOT NULL DEFAULT 0 CHECK (undo_seconds IN (0, 10, 30, 60))
);
ALTER TABLE account_rule ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_rule FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON account_rule TO kaitaku_service USING (true);
CREATE POLICY own ON account_rule TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON account_rule TO kaitaku_api, kaitaku_service;

-- The end of the undo window: no mail of the run begins before. Never changed. NULL: the run has no window.
ALTER TABLE send_log ADD COLUMN starts_at timestamptz;
