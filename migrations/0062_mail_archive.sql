-- Old mails move to an archive, so that the tables of sending stay small. See docs/decisions/0205, 0206.

-- How long an account keeps its mails among those of sending. Without a row it keeps all there.
CREATE TABLE mail_retention (
  account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  -- Bounces are counted over 180 days (SOFT_BOUNCE_DAYS): no mail may leave before.
  months smallint NOT NULL CHECK (months BETWEEN 6 AND 120),
  -- Whether names and addresses are taken out of archived mails.
  blanks boolean NOT NULL,
  -- Where the archive is: mails of this run up to this company have been looked at. NULL: at the start of a run.
  send_log_id bigint,
  after_prospect_id bigint NOT NULL DEFAULT 0,
  -- When a worker looks again.
  next_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mail_retention_next_idx ON mail_retention (next_at);

ALTER TABLE mail_retention ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_retention FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_retention TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON mail_retention TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON mail_retention TO kaitaku_service USING (true);

-- Finished mails of `delivery` under the same ids. A mail stands in one of the two tables.
-- Nothing refers to an archived mail: a mail with an answer, a bounce or a suppression stays, and one that gets such
-- later goes back (src/server/features/delivery/recall.queries.ts).
CREATE TABLE archived_delivery (
  account_id bigint NOT NULL,
  id bigint NOT NULL,
  send_log_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  test_send_mode boolean NOT NULL,
  row_index integer NOT NULL,
  mail_to text,
  company_name text NOT NULL,
  person_in_charge text NOT NULL,
  message_id text NOT NULL,
  mail_date timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('sent', 'failed', 'cancelled')),
  reason text,
  attempts integer NOT NULL,
  claim_no integer NOT NULL,
  smtp_reply text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  delivered_at timestamptz,
  address_key text COLLATE "C" GENERATED ALWAYS AS (lower(mail_to COLLATE "C")) STORED,
  mail_key uuid,
  erased_hash bytea,
  follows_id bigint,
  industry_id integer,
  replied boolean NOT NULL,
  refused boolean NOT NULL,
  complained boolean NOT NULL,
  dead boolean NOT NULL,
  -- The archive took name and address out. Otherwise `erased_hash` is of an erased person.
  blanked boolean NOT NULL,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, send_log_id, prospect_id),
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id)
);
CREATE INDEX archived_delivery_prospect_idx ON archived_delivery (account_id, prospect_id);
CREATE INDEX archived_delivery_address_idx ON archived_delivery (account_id, address_key) WHERE address_key IS NOT NULL;
CREATE INDEX archived_delivery_erased_idx ON archived_delivery (account_id, erased_hash) WHERE erased_hash IS NOT NULL;
CREATE INDEX archived_delivery_mail_key_idx ON archived_delivery (mail_key) WHERE mail_key IS NOT NULL;
CREATE INDEX archived_delivery_message_idx ON archived_delivery (substring(message_id, 2, 36))
  WHERE state IN ('sent', 'unknown', 'failed');

ALTER TABLE archived_delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_delivery FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON archived_delivery TO kaitaku_api, kaitaku_service;
GRANT SELECT (account_id, id, mail_key) ON archived_delivery TO kaitaku_login;
CREATE POLICY own ON archived_delivery TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON archived_delivery TO kaitaku_service USING (true);
CREATE POLICY login ON archived_delivery FOR SELECT TO kaitaku_login USING (true);

-- All mails, for whatever reads what was: history, results, and whether a company was ever mailed.
CREATE VIEW every_delivery WITH (security_invoker = true) AS
SELECT account_id, id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index, mail_to,
  company_name, person_in_charge, message_id, mail_date, state, reason, attempts, not_before, claim_no, smtp_reply,
  created_at, finished_at, maybe_sent, delivered_at, address_key, mail_key, erased_hash, follows_id, industry_id,
  replied, refused, complained, dead, false AS archived
FROM delivery
UNION ALL
SELECT account_id, id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index, mail_to,
  company_name, person_in_charge, message_id, mail_date, state, reason, attempts, created_at, claim_no, smtp_reply,
  created_at, finished_at, false, delivered_at, address_key, mail_key, erased_hash, follows_id, industry_id,
  replied, refused, complained, dead, true
FROM archived_delivery;
GRANT SELECT ON every_delivery TO kaitaku_api, kaitaku_service;

-- A follow-up may be left after its first mail was archived.
ALTER TABLE delivery DROP CONSTRAINT delivery_account_id_follows_id_fkey;
DROP INDEX delivery_follows_idx;
-- Whether an address was erased is asked by its hash. Few mails have one.
CREATE INDEX delivery_erased_idx ON delivery (account_id, erased_hash) WHERE erased_hash IS NOT NULL;

-- When the archive was through with the run. NULL: not yet.
ALTER TABLE send_log ADD COLUMN archived_at timestamptz;
CREATE INDEX send_log_archive_idx ON send_log (account_id, ended_at, id)
  WHERE ended_at IS NOT NULL AND archived_at IS NULL;
