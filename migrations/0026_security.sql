-- Seals, sessions with their browser, and a second step of the log-in (docs/decisions/secrets.md, second-step.md).
-- Programs without it open sessions with a password alone, so they end.
UPDATE schema_migration SET oldest_program = 26 WHERE version = 26;

-- The id of the key that sealed the rows here: the first four bytes of its SHA-256. NULL: nothing was sealed.
ALTER TABLE installation ADD COLUMN secret_key integer;
GRANT SELECT (secret_key) ON installation TO kaitaku_api, kaitaku_login;
-- The first seal notes its key.
GRANT UPDATE (secret_key) ON installation TO kaitaku_api;

-- The second step of a member, an authenticator app. Backups and moves take it; disclosures and erasures do not, because
-- it names nobody. It goes with its member.
CREATE TABLE member_totp (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  -- Sealed under the key with this id.
  secret bytea NOT NULL,
  secret_key integer NOT NULL,
  -- NULL: the set-up is not confirmed, and no code is asked.
  confirmed_at timestamptz,
  -- The 30 seconds of the last code that was used: no code is used twice.
  last_step bigint NOT NULL DEFAULT 0,
  -- Codes tried since the last right one.
  tries integer NOT NULL DEFAULT 0,
  tried_at timestamptz,
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);

-- Backups and moves take it: of a restored database, the codes used since the backup are unused.
CREATE TABLE recovery_code (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  hash bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (account_id, member_id, hash),
  FOREIGN KEY (account_id, member_id) REFERENCES member_totp (account_id, member_id) ON DELETE CASCADE
);

-- A browser that enters without a code for 30 days. Moves take it, backups do not: a restore ends all sessions. A
-- periodic task deletes expired ones.
CREATE TABLE trusted_device (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, member_id, hash),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);

-- How a session is shown and ended without its token. NULL: opened by a program before this version, or unknown.
ALTER TABLE session
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN ip inet,
  ADD COLUMN agent text,
  -- Of the browser's own random value, as in trusted_device.
  ADD COLUMN device_hash bytea;

-- Whether all members of the account need a second step.
ALTER TABLE account_rule ADD COLUMN two_factor_required boolean NOT NULL DEFAULT false;

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['member_totp', 'recovery_code', 'trusted_device'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
    EXECUTE format('CREATE POLICY login ON %I TO kaitaku_login USING (true)', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_api, kaitaku_service', tenant_table);
    EXECUTE format('GRANT SELECT ON %I TO kaitaku_login', tenant_table);
  END LOOP;
END $$;
GRANT UPDATE (last_step, tries, tried_at) ON member_totp TO kaitaku_login;
GRANT UPDATE (used_at) ON recovery_code TO kaitaku_login;
GRANT INSERT, DELETE ON trusted_device TO kaitaku_login;
CREATE POLICY login ON account_rule FOR SELECT TO kaitaku_login USING (true);
GRANT SELECT (account_id, two_factor_required) ON account_rule TO kaitaku_login;

ALTER POLICY login ON audit_event
  WITH CHECK (kind IN ('logged_in', 'log_in_refused', 'recovery_code_used') AND member_id IS NOT NULL);
