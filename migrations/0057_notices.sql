-- What happens in an account and its members should hear of (decisions 0191 and 0192).
-- An event is written by the transaction of what it tells, by the triggers below. A worker folds events into notices.
CREATE TABLE notice_event (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- 'failed_mails': more mails of the run `subject_id` have failed. No notice: its percentage is to be computed.
  kind text NOT NULL CHECK (kind IN ('run_ended', 'failures', 'stopped', 'reservation_missed', 'reply', 'refusal',
    'import_ended', 'domain_bad', 'failed_mails')),
  -- The run, the reservation, the company, the import or a sender of the domain. NULL: all of the account.
  subject_id bigint,
  -- Of failures: the percentages before and after.
  from_percent smallint,
  percent smallint,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

-- How one member is told, and the one mail that is on its way to them.
CREATE TABLE notice_member (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  -- Kinds that are not shown, and kinds that are not mailed.
  screen_off text[] NOT NULL DEFAULT '{}',
  mail_off text[] NOT NULL DEFAULT '{run_ended,import_ended}',
  -- Failures are told above this percentage of a run.
  failure_percent smallint NOT NULL DEFAULT 10 CHECK (failure_percent BETWEEN 1 AND 99),
  morning_summary boolean NOT NULL DEFAULT true,
  -- The last day in Tokyo whose summary is done with.
  summary_on date NOT NULL DEFAULT (now() AT TIME ZONE 'Asia/Tokyo')::date,
  mail_claim_no integer NOT NULL DEFAULT 0,
  -- A worker sends a mail until then. NULL: none is on its way.
  mail_lease_until timestamptz,
  -- The body of that mail may have left.
  mail_marked boolean NOT NULL DEFAULT false,
  -- The day of the summary in that mail. NULL: it has none.
  mailing_summary date,
  mail_attempts smallint NOT NULL DEFAULT 0,
  mail_not_before timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);

-- What one member is told. Several events of a kind within an hour are one row that counts them.
CREATE TABLE notice (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  member_id bigint NOT NULL,
  kind text NOT NULL,
  count integer NOT NULL,
  -- The newest few, the newest first. Names are read when they are shown: a notice holds none.
  subjects bigint[] NOT NULL,
  -- Of failures: the percentage that they are above.
  percent smallint,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  read_at timestamptz,
  on_screen boolean NOT NULL,
  -- Of `count`: how many mails have told, and how many with the mail on its way. NULL: it is in none.
  mailed integer NOT NULL DEFAULT 0,
  mailing integer,
  -- NULL: nothing is to be mailed. 'infinity': with the next mail, because nobody knows whether the last one arrived.
  mail_due_at timestamptz,
  -- When a mail last took it.
  mailed_at timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES notice_member (account_id, member_id) ON DELETE CASCADE
);
CREATE INDEX notice_member_idx ON notice (account_id, member_id, last_at, id) WHERE on_screen;
CREATE INDEX notice_unread_idx ON notice (account_id, member_id, kind) WHERE read_at IS NULL;
CREATE INDEX notice_mail_idx ON notice (mail_due_at) WHERE mail_due_at IS NOT NULL;
CREATE INDEX notice_mailed_idx ON notice (account_id, member_id, kind, mailed_at) WHERE mailed_at IS NOT NULL;
CREATE INDEX notice_age_idx ON notice (last_at);

ALTER TABLE notice_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice_event FORCE ROW LEVEL SECURITY;
ALTER TABLE notice_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice_member FORCE ROW LEVEL SECURITY;
ALTER TABLE notice ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON notice_event, notice_member, notice TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON notice_event TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON notice_event TO kaitaku_service USING (true);
CREATE POLICY own ON notice_member TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON notice_member TO kaitaku_service USING (true);
CREATE POLICY own ON notice TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON notice TO kaitaku_service USING (true);

ALTER TABLE send_log
  -- When none of its mails waited or was being sent any more. NULL: it is open, or was recorded by hand.
  ADD COLUMN ended_at timestamptz,
  -- The highest percentage of failed mails so far, rounded up.
  ADD COLUMN failure_percent smallint NOT NULL DEFAULT 0;
-- When it was found too late to start.
ALTER TABLE reservation ADD COLUMN missed_at timestamptz;

-- Forced row level security hides all rows from the owner, who migrates.
ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY;
ALTER TABLE member NO FORCE ROW LEVEL SECURITY;
ALTER TABLE notice_member NO FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log NO FORCE ROW LEVEL SECURITY;
INSERT INTO notice_member (account_id, member_id) SELECT account_id, id FROM member;
-- What ended before is no news.
UPDATE send_log SET ended_at = sent_at;
UPDATE send_log SET ended_at = NULL WHERE (account_id, id) IN (
  SELECT account_id, send_log_id FROM delivery WHERE state = 'queued'
  UNION SELECT account_id, send_log_id FROM delivery WHERE lease_until IS NOT NULL);
UPDATE reservation SET missed_at = now() WHERE active AND NOT is_sent AND send_at <= now() - interval '1 hour';
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
ALTER TABLE notice_member FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log FORCE ROW LEVEL SECURITY;

CREATE INDEX send_log_open_idx ON send_log (account_id, id) WHERE ended_at IS NULL AND sender_id IS NOT NULL;
CREATE INDEX delivery_failed_idx ON delivery (account_id, send_log_id) WHERE state = 'failed' AND NOT test_send_mode;

CREATE FUNCTION add_notice_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_member (account_id, member_id) VALUES (NEW.account_id, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER add_notice_member AFTER INSERT ON member FOR EACH ROW EXECUTE FUNCTION add_notice_member();

-- TG_ARGV: the kind.
CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject bigint;
BEGIN
  IF TG_TABLE_NAME IN ('send_log', 'reservation') THEN
    subject := NEW.id;
  ELSIF TG_TABLE_NAME = 'reply' THEN
    subject := NEW.prospect_id;
  ELSIF TG_TABLE_NAME = 'suppression' THEN
    subject := (SELECT prospect_id FROM delivery WHERE account_id = NEW.account_id AND id = NEW.delivery_id);
  ELSIF TG_TABLE_NAME = 'job' THEN
    subject := NEW.input ->> 'import_run_id';
  ELSIF TG_TABLE_NAME = 'domain_check' THEN
    subject := (SELECT min(id) FROM sender
      WHERE account_id = NEW.account_id AND active
        AND lower(substring(email FROM '[^@]*$') COLLATE "C") = NEW.domain);
  END IF;
  INSERT INTO notice_event (account_id, kind, subject_id) VALUES (NEW.account_id, TG_ARGV[0], subject);
  RETURN NULL;
END $$;

CREATE TRIGGER notice_of_end AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NOT NEW.test_send_mode AND NOT NEW.cancelled)
  EXECUTE FUNCTION note_event('run_ended');
-- A pause by a member is no news.
CREATE TRIGGER notice_of_stop AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (NEW.paused_by <> 'user' AND NEW.paused_by IS DISTINCT FROM OLD.paused_by)
  EXECUTE FUNCTION note_event('stopped');
CREATE TRIGGER notice_of_miss AFTER UPDATE ON reservation FOR EACH ROW
  WHEN (OLD.missed_at IS NULL AND NEW.missed_at IS NOT NULL)
  EXECUTE FUNCTION note_event('reservation_missed');
CREATE TRIGGER notice_of_reply AFTER INSERT ON reply FOR EACH ROW
  WHEN (NEW.kind = 'reply')
  EXECUTE FUNCTION note_event('reply');
-- By the reader of a mail. One who refuses a whole domain refuses its address too.
CREATE TRIGGER notice_of_refusal AFTER INSERT ON suppression FOR EACH ROW
  WHEN (NEW.class = 'refused' AND NEW.kind = 'address' AND NEW.delivery_id IS NOT NULL AND NEW.member_id IS NULL)
  EXECUTE FUNCTION note_event('refusal');
CREATE TRIGGER notice_of_import AFTER UPDATE ON job FOR EACH ROW
  WHEN (NEW.kind = 'import_run' AND NEW.state IN ('done', 'failed') AND OLD.state = 'running')
  EXECUTE FUNCTION note_event('import_ended');
CREATE TRIGGER notice_of_domain AFTER UPDATE ON domain_check FOR EACH ROW
  WHEN (NEW.result @> '[{"level": "bad"}]' AND NOT OLD.result @> '[{"level": "bad"}]')
  EXECUTE FUNCTION note_event('domain_bad');

CREATE FUNCTION note_failures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind, subject_id, from_percent, percent)
  VALUES (NEW.account_id, 'failures', NEW.id, OLD.failure_percent, NEW.failure_percent);
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_failures AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (NEW.failure_percent > OLD.failure_percent)
  EXECUTE FUNCTION note_failures();

-- One event of a transaction is enough. One of another may be folded before this commits.
CREATE FUNCTION note_failed_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind, subject_id)
  SELECT NEW.account_id, 'failed_mails', NEW.send_log_id
  WHERE NOT EXISTS (
    SELECT FROM notice_event
    WHERE account_id = NEW.account_id AND kind = 'failed_mails' AND subject_id = NEW.send_log_id
      AND xmin = pg_current_xact_id()::xid);
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_failed_mail AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'failed' AND OLD.state <> 'failed' AND NOT NEW.test_send_mode)
  EXECUTE FUNCTION note_failed_mail();

-- Stops of the whole installation: accounts whose mails wait are told. The pauses of a transport grow from 30 seconds:
-- the third one begins after more than a minute of faults.
CREATE FUNCTION note_stop_of_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind)
  SELECT DISTINCT account_id, 'stopped' FROM sender_due WHERE due_at <= now();
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_transport AFTER UPDATE ON transport FOR EACH ROW
  WHEN (OLD.pauses = 2 AND NEW.pauses = 3)
  EXECUTE FUNCTION note_stop_of_all();
CREATE TRIGGER notice_of_rewind AFTER UPDATE ON installation FOR EACH ROW
  WHEN (OLD.rewound_at IS NULL AND NEW.rewound_at IS NOT NULL)
  EXECUTE FUNCTION note_stop_of_all();
