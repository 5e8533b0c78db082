-- The second belt: whatever a query forgets, the database shows and changes only what belongs to the account that asks.
-- The program's own user owns the tables and runs the migrations, nothing else; every connection that works becomes one of three
-- roles that own nothing (SET ROLE), and row level security is forced on every table that holds what an account owns.
--   kaitaku_api      a request of one account: rows of current_account_id() alone, none while that is not set
--   kaitaku_login    finds out who asks: accounts by address, sessions by token
--   kaitaku_service  workers and the operator's commands: all accounts

-- Roles belong to a whole server, not to a database: they may be there already.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY '{kaitaku_api,kaitaku_login,kaitaku_service}'::text[] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this server was just migrated
      END;
    END IF;
    BEGIN
      EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
    EXCEPTION WHEN insufficient_privilege THEN
      NULL; -- whoever made the role has granted it, or opening a connection will tell
    END;
  END LOOP;
END $$;

-- NULL while nobody is set: no row is equal to it. Inlined by the planner, so that an index on account_id answers it.
CREATE FUNCTION current_account_id() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.account_id', true), '')::bigint;

-- Counters of attempts over time (login guesses, mails asked for), shared by all processes; the shape is
-- rate-limiter-flexible's. Keys are hashes: no address stands here.
CREATE TABLE rate_limit (
  key text PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

-- A change of the address an account logs in with, from the request to the proof that its mailbox was read.
-- The row goes with email_before_confirmation: a new pending address starts a new one. Secrets as SHA-256.
CREATE TABLE email_change (
  account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  email text NOT NULL,
  ticket_hash bytea,
  ticket_expires_at timestamptz,
  secret_hash bytea,
  secret_expires_at timestamptz,
  confirmed_at timestamptz
);

-- A reservation keeps what its targets were chosen with; test targets go to the address the client named.
ALTER TABLE reservation ADD COLUMN days_from_lastday integer NOT NULL DEFAULT 1;
ALTER TABLE reservation_target ADD COLUMN row_index integer NOT NULL DEFAULT 0;
ALTER TABLE reservation_target ADD COLUMN mail_to text;
ALTER TABLE reservation_target ADD CHECK ((mail_to IS NOT NULL) = test_send_mode);

-- Companies mailed outside of this tool, by the send log that says so (its sender_id is NULL, it has no deliveries).
CREATE TABLE recorded_contact (
  account_id bigint NOT NULL,
  send_log_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  PRIMARY KEY (account_id, send_log_id, prospect_id),
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

GRANT SELECT ON schema_migration TO kaitaku_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limit TO kaitaku_api, kaitaku_login, kaitaku_service;

GRANT SELECT, UPDATE ON account TO kaitaku_api;
GRANT SELECT, DELETE ON session TO kaitaku_api;
GRANT SELECT (id, email, password_hash), UPDATE (password_hash) ON account TO kaitaku_login;
GRANT SELECT, INSERT, UPDATE, DELETE ON session TO kaitaku_login;
CREATE POLICY login ON account TO kaitaku_login USING (true);
CREATE POLICY login ON session TO kaitaku_login USING (true);

CREATE POLICY own ON account TO kaitaku_api USING (id = current_account_id());

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY '{account,active_prospect,audit_event,contact_state,delivery,email_change,import_run,industry,
    mail_template,prospect,recorded_contact,reservation,reservation_target,send_log,sender,sender_connection,sender_group,
    sender_throttle,session,suppression}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_service', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    IF tenant_table <> 'account' THEN
      EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
    END IF;
    IF tenant_table NOT IN ('account', 'session') THEN
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_api', tenant_table);
    END IF;
  END LOOP;
END $$;
