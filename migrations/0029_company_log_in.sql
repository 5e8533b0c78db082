-- The log-in of an account by its company's provider, OpenID Connect (docs/decisions/company-log-in.md). Programs
-- without it would open sessions by a password where an account has switched that off, so they end.
UPDATE schema_migration SET oldest_program = 29 WHERE version = 29;

-- An account's registration with its provider. Backups and moves take it; disclosures and erasures do not, because it
-- names nobody. It goes with its account.
CREATE TABLE oidc (
  account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('google', 'microsoft', 'other')),
  issuer text NOT NULL,
  client_id text NOT NULL,
  -- The client's secret, sealed under the key with this id.
  secret bytea NOT NULL,
  secret_key integer NOT NULL,
  -- Addresses of these domains enter.
  domains text[] NOT NULL,
  -- 128 random bits: the account's own log-in link names it, where several accounts share a host.
  link_key bytea NOT NULL UNIQUE,
  active boolean NOT NULL
);

-- Log-ins on their way through the provider: 10 minutes, once. Backups and moves leave them. A periodic task deletes
-- expired ones.
CREATE TABLE oidc_start (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  state_hash bytea NOT NULL,
  nonce text NOT NULL,
  -- Of PKCE.
  verifier text NOT NULL,
  -- Of the random value of the tab that began it.
  browser_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, state_hash)
);
-- A finish knows the state alone.
CREATE UNIQUE INDEX oidc_start_state_idx ON oidc_start (state_hash);

-- How a session was opened. The provider asks for a second step, so two_factor_required does not concern `oidc`.
ALTER TABLE session ADD COLUMN way text NOT NULL DEFAULT 'password' CHECK (way IN ('password', 'oidc'));

-- Whether only admins with a second step log in by password, while the company's log-in is on.
ALTER TABLE account_rule ADD COLUMN password_off boolean NOT NULL DEFAULT false;
GRANT SELECT (password_off) ON account_rule TO kaitaku_login;

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['oidc', 'oidc_start'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY login ON %I TO kaitaku_login USING (true)', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_service', tenant_table);
    EXECUTE format('GRANT SELECT ON %I TO kaitaku_login', tenant_table);
  END LOOP;
END $$;
CREATE POLICY own ON oidc TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON oidc TO kaitaku_api;
GRANT INSERT, DELETE ON oidc_start TO kaitaku_login;
