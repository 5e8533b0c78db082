-- Members invite others, and stop them (docs/decisions/members.md). Programs with migration 24 may run beside it.
UPDATE schema_migration SET oldest_program = 24 WHERE version = 25;

ALTER TABLE member
  ADD COLUMN last_login_at timestamptz,
  -- When and by whom the member was stopped. deactivated_by NULL: by the operator, or by a deleted member.
  ADD COLUMN deactivated_at timestamptz,
  ADD COLUMN deactivated_by bigint,
  ADD FOREIGN KEY (account_id, deactivated_by) REFERENCES member (account_id, id) ON DELETE SET NULL (deactivated_by);

-- An invitation of a person to an account. Backups and moves take it; a restore takes its key, because the mail may have
-- gone to a database that is no more. A disclosure shows it by its address; an erasure deletes those not accepted.
CREATE TABLE invitation (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('admin', 'sales', 'viewer')),
  -- NULL: all groups.
  sender_group_ids bigint[],
  invited_by bigint,
  -- Who accepted it.
  member_id bigint,
  -- NULL: no key is valid.
  secret_hash bytea,
  expires_at timestamptz NOT NULL,
  mail_state text NOT NULL DEFAULT 'sending' CHECK (mail_state IN ('sending', 'sent', 'failed')),
  -- When the last mail was asked for.
  asked_at timestamptz NOT NULL DEFAULT now(),
  accepted_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, invited_by) REFERENCES member (account_id, id) ON DELETE SET NULL (invited_by),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE UNIQUE INDEX invitation_open_key ON invitation (account_id, lower(email))
  WHERE accepted_at IS NULL AND cancelled_at IS NULL;
CREATE INDEX invitation_invited_by_idx ON invitation (account_id, invited_by);
CREATE INDEX invitation_member_idx ON invitation (account_id, member_id);
CREATE UNIQUE INDEX invitation_secret_key ON invitation (secret_hash);
ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
ALTER TABLE invitation FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON invitation TO kaitaku_service USING (true);
CREATE POLICY own ON invitation TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY login ON invitation FOR SELECT TO kaitaku_login USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON invitation TO kaitaku_api, kaitaku_service;
GRANT SELECT (account_id, id, secret_hash, expires_at) ON invitation TO kaitaku_login;
-- A backup reads the last id.
GRANT SELECT ON SEQUENCE invitation_id_seq TO kaitaku_service;

-- Only features/members writes these (test/boundaries.test.ts).
GRANT UPDATE (role, active, deactivated_at, deactivated_by) ON member TO kaitaku_api;
GRANT UPDATE (last_login_at) ON member TO kaitaku_login;
