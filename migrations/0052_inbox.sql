-- The mailbox that bounces and answers come back to (INBOX_URL). One worker reads it, as long as its lease lasts.
CREATE TABLE inbox (
  -- The mailbox without its password: another one has a row of its own.
  name text NOT NULL PRIMARY KEY,
  -- RFC 3501: the uids of mails hold as long as this stays the same. NULL: never read.
  uid_validity bigint,
  last_uid bigint NOT NULL DEFAULT 0,
  worker_id uuid,
  lease_until timestamptz,
  tried_at timestamptz NOT NULL DEFAULT now(),
  read_at timestamptz,
  -- Why the last try failed; NULL: it did not.
  fault text CHECK (fault IN ('connection', 'login', 'mailbox', 'other')),
  -- Mails that were read, those about no mail of ours, and those that could not be read.
  mails bigint NOT NULL DEFAULT 0,
  unmatched bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0
);
GRANT SELECT, INSERT, UPDATE ON inbox TO kaitaku_service;
-- Of all accounts: no name of a machine or of a mailbox.
GRANT SELECT (tried_at, read_at, fault) ON inbox TO kaitaku_api;

-- What servers report about mails that were accepted first. The class is that of domain/bounce-class.ts.
CREATE TABLE bounce (
  account_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  class text NOT NULL CHECK (class IN ('hard', 'filtered', 'soft', 'policy', 'mail')),
  send_log_id bigint NOT NULL,
  -- The enhanced status code (RFC 3463).
  status text,
  -- The server's words.
  reply text NOT NULL,
  -- It names another address: the mail was forwarded, so it says nothing about the address that we know.
  is_forwarded boolean NOT NULL,
  -- Of the mails that reported it. The same mail again changes nothing; another one is about a later try.
  message_hashes bytea[] NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, delivery_id, class),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id) ON DELETE CASCADE
);
CREATE INDEX bounce_run_idx ON bounce (account_id, send_log_id, class);
ALTER TABLE bounce ENABLE ROW LEVEL SECURITY;
ALTER TABLE bounce FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON bounce TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON bounce TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON bounce TO kaitaku_service USING (true);

-- Answers to mails. 'manual': a member noted it.
CREATE TABLE reply (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- NULL: noted by hand.
  delivery_id bigint,
  prospect_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('reply', 'auto_reply', 'manual')),
  from_address text NOT NULL DEFAULT '',
  subject text NOT NULL DEFAULT '',
  -- The text above the quotation.
  excerpt text NOT NULL DEFAULT '' CHECK (char_length(excerpt) <= 500),
  -- The same for the same mail, so that reading it twice adds nothing. NULL: noted by hand.
  message_hash bytea,
  at timestamptz NOT NULL DEFAULT now(),
  handled_at timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, message_hash),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (delivery_id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);
CREATE INDEX reply_prospect_idx ON reply (account_id, prospect_id);
CREATE INDEX reply_delivery_idx ON reply (account_id, delivery_id) WHERE delivery_id IS NOT NULL;
ALTER TABLE reply ENABLE ROW LEVEL SECURITY;
ALTER TABLE reply FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON reply TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON reply TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON reply TO kaitaku_service USING (true);

-- Answers name the Message-ID, `<uuid@domain>`, of the mail that they answer.
CREATE INDEX delivery_message_idx ON delivery (substring(message_id, 2, 36)) WHERE state IN ('sent', 'unknown');

ALTER TABLE send_log DROP CONSTRAINT send_log_paused_by_check;
ALTER TABLE send_log ADD CONSTRAINT send_log_paused_by_check
  CHECK (paused_by IN ('user', 'sender_refused', 'policy_bounces'));
