-- Each mail has a key, with which its reader refuses further mails (/u/KEY). Rows of older versions get theirs when they
-- are claimed. It names nobody and never expires. Whoever shows it may be of any account, so kaitaku_login looks it up.
ALTER TABLE delivery ADD COLUMN mail_key uuid;
ALTER TABLE delivery ALTER COLUMN mail_key SET DEFAULT gen_random_uuid();
-- Not unique: 122 random bits suffice, and the key comes without an account.
CREATE INDEX delivery_mail_key_idx ON delivery (mail_key) WHERE mail_key IS NOT NULL;
GRANT SELECT (account_id, id, mail_key) ON delivery TO kaitaku_login;
CREATE POLICY login ON delivery FOR SELECT TO kaitaku_login USING (true);

-- Why an address or domain must not be mailed. One value may be suppressed for several reasons: each has its row.
--   refused        its owner does not want our mails
--   undeliverable  its mail server says that it does not exist
--   blocked        a member of the account does not want to mail it
ALTER TABLE suppression NO FORCE ROW LEVEL SECURITY;
ALTER TABLE suppression
  -- For the wire: a URL must not contain an address.
  ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY,
  ADD COLUMN class text NOT NULL DEFAULT 'undeliverable' CHECK (class IN ('refused', 'undeliverable', 'blocked')),
  ADD COLUMN source text NOT NULL DEFAULT 'smtp' CHECK (source IN ('link', 'one_click', 'mailto', 'reply', 'manual', 'csv',
    'smtp', 'dsn', 'complaint', 'sendgrid', 'erased')),
  -- The mail that was refused, or that could not be delivered. NULL: none, or not known.
  ADD COLUMN delivery_id bigint,
  -- Why its reader refuses, by a choice on the page.
  ADD COLUMN opt_out_reason text CHECK (opt_out_reason IN ('irrelevant', 'too_many', 'unknown_sender', 'other')),
  -- Of the member who added it.
  ADD COLUMN note text NOT NULL DEFAULT '',
  -- Until then the reader of that mail may undo the refusal. NULL: not by the page.
  ADD COLUMN undo_until timestamptz,
  -- Open mails to it are still to be cancelled. The process that added it does so at once; the workers' sweep if it died.
  ADD COLUMN cancels_mails boolean NOT NULL DEFAULT false,
  -- The words of a mail server; empty where a person suppressed.
  ALTER COLUMN reason SET DEFAULT '',
  DROP CONSTRAINT suppression_pkey,
  ADD PRIMARY KEY (account_id, kind, value, class),
  ADD CONSTRAINT suppression_id_key UNIQUE (account_id, id),
  ADD FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (delivery_id);
UPDATE suppression SET class = 'blocked', source = 'manual', reason = '' WHERE reason = '自社で禁止';
UPDATE suppression SET source = 'sendgrid' WHERE reason LIKE 'SendGrid: %';
UPDATE suppression SET class = 'refused', source = CASE WHEN lower(reason) LIKE '%spam%' THEN 'complaint' ELSE source END
WHERE reason ~ '^SendGrid: (spamreport|(group_)?unsubscribe|dropped \((Spam Reporting|Unsubscribed) Address\))';
ALTER TABLE suppression FORCE ROW LEVEL SECURITY;
CREATE INDEX suppression_delivery_idx ON suppression (account_id, delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX suppression_cancels_idx ON suppression (account_id, id) WHERE cancels_mails;

-- What was lifted, and why: evidence that the account may mail an address again.
CREATE TABLE lifted_suppression (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- As in suppression.
  id bigint NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  class text NOT NULL,
  source text NOT NULL,
  reason text NOT NULL,
  delivery_id bigint,
  opt_out_reason text,
  note text NOT NULL,
  member_id bigint,
  created_at timestamptz NOT NULL,
  lifted_at timestamptz NOT NULL DEFAULT now(),
  -- NULL: the reader of the mail undid the refusal.
  lifted_by bigint,
  -- Asked for where the owner of the address had refused. 'undone': by the reader of the mail.
  lift_reason text CHECK (lift_reason IN ('asked_again', 'mistake', 'undone')),
  -- The day on which the owner of the address consented again.
  consented_on date,
  lift_note text NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (delivery_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, lifted_by) REFERENCES member (account_id, id) ON DELETE SET NULL (lifted_by)
);
CREATE INDEX lifted_suppression_delivery_idx ON lifted_suppression (account_id, delivery_id) WHERE delivery_id IS NOT NULL;
ALTER TABLE lifted_suppression ENABLE ROW LEVEL SECURITY;
ALTER TABLE lifted_suppression FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON lifted_suppression TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON lifted_suppression TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON lifted_suppression TO kaitaku_service USING (true);
