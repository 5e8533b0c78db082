-- A mailed link that sets a new password. A newer mail, a new password or a new address deletes it.
CREATE TABLE password_reset (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  -- SHA-256 of the secret in the mailed link.
  secret_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);
-- The link names no account.
CREATE INDEX password_reset_secret_idx ON password_reset (secret_hash);

ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;
ALTER TABLE password_reset FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON password_reset TO kaitaku_api, kaitaku_service;
GRANT SELECT (account_id, member_id, secret_hash, expires_at) ON password_reset TO kaitaku_login;
CREATE POLICY own ON password_reset TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY login ON password_reset TO kaitaku_login USING (true);
CREATE POLICY every ON password_reset TO kaitaku_service USING (true);

-- The link that makes the first account: SHA-256 of its key. Every new account clears it.
ALTER TABLE installation
  ADD COLUMN setup_key_hash bytea,
  ADD COLUMN setup_expires_at timestamptz;
GRANT SELECT (only_row, setup_key_hash, setup_expires_at), UPDATE (setup_key_hash, setup_expires_at)
  ON installation TO kaitaku_api, kaitaku_login;

-- `web` has no role that sees all accounts. It makes the first one as its own account, whose id it takes before.
GRANT INSERT ON account, member TO kaitaku_api;
CREATE FUNCTION next_account_id() RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$ SELECT nextval('public.account_id_seq') $$;
