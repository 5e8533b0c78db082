-- Mailboxes of members, by which their mails leave and in which they are answered (docs/decisions/mailboxes.md).
-- Programs without it would send a mailbox's mails by the mail server of the environment, so they end.
UPDATE schema_migration SET oldest_program = 30 WHERE version = 30;

-- Backups and moves take it: the secret opens with the key alone. A disclosure shows it by its address. An erasure
-- leaves it: the address is of a colleague, and it works until its member or an admin disconnects it. Never deleted.
CREATE TABLE mailbox (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL CHECK (kind IN ('smtp', 'google', 'microsoft')),
  name text NOT NULL,
  -- The envelope sender, and the From address that it may use.
  address text NOT NULL,
  -- The member whose mailbox it is; NULL: shared, or of a deleted member and then off.
  owner_id bigint,
  smtp_host text NOT NULL,
  smtp_port integer NOT NULL CHECK (smtp_port IN (465, 587, 2525)),
  -- tls: from the first byte; starttls: required.
  security text NOT NULL CHECK (security IN ('tls', 'starttls')),
  username text NOT NULL,
  -- Of IMAP by TLS, port 993; NULL: it is not read.
  imap_host text,
  reads_replies boolean NOT NULL DEFAULT false CHECK (NOT reads_replies OR imap_host IS NOT NULL),
  -- A run relied on its being read: its mails name this address as the place of refusals.
  takes_refusals boolean NOT NULL DEFAULT false,
  -- Keys of further From addresses, each proved by a check's mail.
  other_from text[] NOT NULL DEFAULT '{}' CHECK (cardinality(other_from) <= 20),
  -- What its server does with the Message-ID.
  ids text NOT NULL DEFAULT 'unknown' CHECK (ids IN ('unknown', 'kept', 'replaced', 'lost')),
  -- The password, or the tokens as JSON, sealed under the key with this id. NULL: disconnected.
  secret bytea,
  secret_key integer CHECK ((secret IS NULL) = (secret_key IS NULL)),
  token_expires_at timestamptz,
  -- Who asks for a new token.
  token_lease uuid,
  token_lease_until timestamptz,
  -- Its own pace and limit of the day, over all its senders.
  per_minute integer NOT NULL CHECK (per_minute BETWEEN 1 AND 60),
  per_day integer NOT NULL CHECK (per_day BETWEEN 1 AND 10000),
  state text NOT NULL DEFAULT 'unchecked' CHECK (state IN ('unchecked', 'ok', 'reconnect', 'off')),
  checked_at timestamptz,
  -- Rises with each change by a member; a check holds for its version alone.
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, owner_id) REFERENCES member (account_id, id) ON DELETE SET NULL (owner_id)
);
CREATE UNIQUE INDEX mailbox_address_key ON mailbox (account_id, lower(address COLLATE "C"));
CREATE INDEX mailbox_owner_idx ON mailbox (account_id, owner_id);

-- What sending and reading learn of a mailbox: its row is the lock of its claims. Backups and moves take it.
CREATE TABLE mailbox_state (
  account_id bigint NOT NULL,
  mailbox_id bigint NOT NULL,
  -- No mail leaves until then; told_until is what its members were told last.
  paused_until timestamptz,
  told_until timestamptz,
  -- Pauses in a row, without an answer in between.
  pauses integer NOT NULL DEFAULT 0,
  why text CHECK (why IN ('fault', 'limited', 'crowded', 'log_in')),
  last_fault text,
  -- Refused log-ins in a row, by SMTP or IMAP.
  login_refusals integer NOT NULL DEFAULT 0,
  max_mail_bytes bigint,
  uid_validity bigint,
  last_uid bigint,
  -- Mails before it are not read.
  reads_from timestamptz,
  read_at timestamptz,
  read_fault text,
  -- The worker that reads it.
  reader_id uuid,
  reader_until timestamptz,
  PRIMARY KEY (account_id, mailbox_id),
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox (account_id, id) ON DELETE CASCADE
);

-- An account's own registration of Kaitaku at Google or Microsoft. Backups and moves take it; it names nobody.
CREATE TABLE oauth_app (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  provider text NOT NULL CHECK (provider IN ('google', 'microsoft')),
  client_id text NOT NULL,
  -- Microsoft: the tenant's id or domain.
  tenant text CHECK ((tenant IS NOT NULL) = (provider = 'microsoft')),
  secret bytea NOT NULL,
  secret_key integer NOT NULL,
  -- Why the provider refused the registration last.
  fault text,
  PRIMARY KEY (account_id, provider)
);

-- Consents on their way through the provider: 10 minutes, once. Backups and moves leave them. A periodic task deletes
-- expired ones.
CREATE TABLE oauth_start (
  account_id bigint NOT NULL,
  state_hash bytea NOT NULL,
  member_id bigint NOT NULL,
  mailbox_id bigint NOT NULL,
  redirect_uri text NOT NULL,
  -- Of PKCE.
  verifier text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, state_hash),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox (account_id, id) ON DELETE CASCADE
);
CREATE INDEX oauth_start_member_idx ON oauth_start (account_id, member_id);
CREATE INDEX oauth_start_mailbox_idx ON oauth_start (account_id, mailbox_id);

-- NULL: the mail server of the environment. It never falls back to that.
ALTER TABLE sender_profile
  ADD COLUMN mailbox_id bigint,
  ADD FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox (account_id, id);
CREATE INDEX sender_profile_mailbox_idx ON sender_profile (account_id, mailbox_id) WHERE mailbox_id IS NOT NULL;
-- The mailbox whose one connection a worker holds.
ALTER TABLE sender_connection ADD COLUMN mailbox_id bigint;
CREATE INDEX sender_connection_mailbox_idx ON sender_connection (account_id, mailbox_id) WHERE mailbox_id IS NOT NULL;

-- A mail in a mailbox whose sender we have mailed, which may be about something else. Nothing of its text is stored.
ALTER TABLE reply ADD COLUMN is_unclear boolean NOT NULL DEFAULT false;

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['mailbox', 'mailbox_state', 'oauth_app', 'oauth_start'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
    -- DELETE: of an account that has moved.
    EXECUTE format('GRANT SELECT, UPDATE, DELETE ON %I TO kaitaku_service', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %I TO kaitaku_api', tenant_table);
  END LOOP;
END $$;
GRANT DELETE ON oauth_start TO kaitaku_api;
-- A backup reads the last id.
GRANT SELECT ON SEQUENCE mailbox_id_seq TO kaitaku_service;

-- Members are notified of a mailbox whose log-in is refused: its owner and the admins.
ALTER TABLE notice_event DROP CONSTRAINT notice_event_kind_check;
ALTER TABLE notice_event ADD CONSTRAINT notice_event_kind_check CHECK (kind IN ('run_ended', 'failures', 'stopped',
  'reservation_missed', 'reply', 'doubtful_reply', 'refusal', 'import_ended', 'domain_bad', 'mailbox_lost', 'restored',
  'receipts_unwritable', 'failed_mails'));
CREATE OR REPLACE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject bigint;
BEGIN
  IF TG_TABLE_NAME IN ('send_log', 'reservation', 'mailbox') THEN
    subject := NEW.id;
  ELSIF TG_TABLE_NAME = 'reply' THEN
    subject := NEW.prospect_id;
  ELSIF TG_TABLE_NAME = 'suppression' THEN
    subject := (SELECT prospect_id FROM delivery WHERE account_id = NEW.account_id AND id = NEW.delivery_id);
  ELSIF TG_TABLE_NAME = 'job' THEN
    subject := NEW.input ->> 'import_run_id';
  ELSIF TG_TABLE_NAME = 'domain_check' THEN
    subject := (SELECT min(sender.id) FROM sender
      JOIN sender_profile AS profile
        ON profile.account_id = sender.account_id AND profile.id = sender.profile_id
      WHERE sender.account_id = NEW.account_id AND sender.active
        AND lower(substring(profile.email FROM '[^@]*$') COLLATE "C") = NEW.domain);
  END IF;
  INSERT INTO notice_event (account_id, kind, subject_id) VALUES (NEW.account_id, TG_ARGV[0], subject);
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_mailbox AFTER UPDATE ON mailbox FOR EACH ROW
  WHEN (OLD.state = 'ok' AND NEW.state = 'reconnect') EXECUTE FUNCTION note_event('mailbox_lost');

-- The mail of an invitation is in the mail catcher: no mailbox of its account could send it.
ALTER TABLE invitation DROP CONSTRAINT invitation_mail_state_check;
ALTER TABLE invitation ADD CONSTRAINT invitation_mail_state_check
  CHECK (mail_state IN ('sending', 'sent', 'failed', 'caught'));
