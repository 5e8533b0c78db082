-- Who logs in. An account is the tenant: every table that belongs to one carries account_id in its keys,
-- so that a row cannot even point into another account.

CREATE TABLE account (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text NOT NULL,
  email_before_confirmation text,
  name text NOT NULL,
  company text NOT NULL,
  password_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX account_email_key ON account (lower(email));

-- Only the SHA-256 of a bearer token is kept. The key is the hash alone: a token is looked up before its account is known.
CREATE TABLE session (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX session_account_idx ON session (account_id);

CREATE TABLE audit_event (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);
