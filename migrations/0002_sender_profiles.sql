-- One person, several texts: the person of a sender becomes a row of its own (docs/decisions/senders.md).

-- A person that mails leave from. What the specification calls a sender is a profile with a template.
CREATE TABLE sender_profile (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_group_id bigint NOT NULL,
  person_in_charge text NOT NULL,
  email text NOT NULL,
  bcc text,
  reply_to text,
  signature text NOT NULL DEFAULT '',
  -- Always where one of its senders is.
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Who changed it last.
  member_id bigint,
  PRIMARY KEY (account_id, id),
  -- A sender names its group too: the same one.
  UNIQUE (account_id, sender_group_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);

ALTER TABLE sender ADD COLUMN profile_id bigint;

----------------------------------------------------------------------------------------------------
-- The rows of the version before
----------------------------------------------------------------------------------------------------

-- Forced row level security hides them from the owner, who migrates.
ALTER TABLE sender NO FORCE ROW LEVEL SECURITY;
ALTER TABLE sender_throttle NO FORCE ROW LEVEL SECURITY;
ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation_target NO FORCE ROW LEVEL SECURITY;

-- One profile for senders that are equal but for template and subject, written as the first of them in use.
INSERT INTO sender_profile
  (account_id, sender_group_id, person_in_charge, email, bcc, reply_to, signature, active, created_at, updated_at,
    member_id)
SELECT account_id, sender_group_id, person_in_charge, (array_agg(email ORDER BY active DESC, id))[1], bcc, reply_to,
  signature, bool_or(active), min(created_at), max(updated_at), (array_agg(member_id ORDER BY updated_at DESC, id))[1]
FROM sender
GROUP BY account_id, sender_group_id, lower(email COLLATE "C"), person_in_charge, bcc, reply_to, signature
ORDER BY account_id, min(id);

UPDATE sender SET profile_id = profile.id
FROM sender_profile AS profile
WHERE profile.account_id = sender.account_id AND profile.sender_group_id = sender.sender_group_id
  AND lower(profile.email COLLATE "C") = lower(sender.email COLLATE "C")
  AND profile.person_in_charge = sender.person_in_charge AND profile.signature = sender.signature
  AND profile.bcc IS NOT DISTINCT FROM sender.bcc AND profile.reply_to IS NOT DISTINCT FROM sender.reply_to;

-- Of equal senders in use the first one stays.
CREATE TEMPORARY TABLE sender_double ON COMMIT DROP AS
SELECT account_id, id, kept FROM (
  SELECT account_id, id,
    min(id) OVER (PARTITION BY account_id, profile_id, template_id, coalesce(subject, '')) AS kept
  FROM sender WHERE active
) AS active_sender
WHERE id <> kept;

-- It takes the pending reservations of the others. Those at one time become one, as when they are made one after the
-- other: its own, else the first; place 1 is the one that stays.
CREATE TEMPORARY TABLE reservation_move ON COMMIT DROP AS
SELECT account_id, id, kept, row_number() OVER at_one_time AS place, first_value(id) OVER at_one_time AS into_id
FROM (
  SELECT reservation.account_id, reservation.id, kept_of.kept, reservation.sender_id <> kept_of.kept AS is_of_double,
    reservation.send_at, reservation.test_send_mode
  FROM reservation
  JOIN (SELECT account_id, id, kept FROM sender_double UNION SELECT account_id, kept, kept FROM sender_double) AS kept_of
    ON kept_of.account_id = reservation.account_id AND kept_of.id = reservation.sender_id
  WHERE reservation.active AND NOT reservation.is_sent
) AS pending
WINDOW at_one_time AS (PARTITION BY account_id, kept, send_at, test_send_mode ORDER BY is_of_double, id);

-- The longer interval holds for all; a list is named only where all come from the same.
UPDATE reservation SET days_from_lastday = merged.days, list_conditions = merged.conditions
FROM (
  SELECT moved.account_id, moved.into_id, max(days_from_lastday) AS days,
    CASE WHEN count(DISTINCT coalesce(list_conditions, 'null')) = 1 THEN (array_agg(list_conditions))[1] END
      AS conditions
  FROM reservation_move AS moved
  JOIN reservation ON reservation.account_id = moved.account_id AND reservation.id = moved.id
  GROUP BY moved.account_id, moved.into_id HAVING count(*) > 1
) AS merged
WHERE reservation.account_id = merged.account_id AND reservation.id = merged.into_id;

-- Their targets follow one another; of tests to one company the first stays.
UPDATE reservation_target AS target SET reservation_id = wanted.into_id, row_index = wanted.row_index
FROM (
  SELECT account_id, reservation_id, prospect_id, into_id,
    row_number() OVER (PARTITION BY account_id, into_id ORDER BY place, row_index, prospect_id) - 1 AS row_index
  FROM (
    SELECT target.account_id, target.reservation_id, target.prospect_id, target.row_index, moved.into_id, moved.place,
      row_number() OVER (PARTITION BY target.account_id, moved.into_id, target.prospect_id ORDER BY moved.place) AS turn
    FROM reservation_move AS moved
    JOIN reservation_target AS target ON target.account_id = moved.account_id AND target.reservation_id = moved.id
    WHERE (moved.account_id, moved.into_id) IN (SELECT account_id, into_id FROM reservation_move WHERE place > 1)
  ) AS ranked
  WHERE turn = 1
) AS wanted
WHERE target.account_id = wanted.account_id AND target.reservation_id = wanted.reservation_id
  AND target.prospect_id = wanted.prospect_id;
UPDATE reservation_target AS target SET pending = false
FROM reservation_move AS moved
WHERE moved.place > 1 AND target.account_id = moved.account_id AND target.reservation_id = moved.id;
UPDATE reservation SET active = false
FROM reservation_move AS moved
WHERE moved.place > 1 AND reservation.account_id = moved.account_id AND reservation.id = moved.id;
UPDATE reservation SET sender_id = moved.kept
FROM reservation_move AS moved
WHERE moved.place = 1 AND reservation.account_id = moved.account_id AND reservation.id = moved.id
  AND reservation.sender_id <> moved.kept;

UPDATE sender SET active = false FROM sender_double AS double
WHERE sender.account_id = double.account_id AND sender.id = double.id;

-- Senders of one profile had limits each: the lowest hold, and a pause of one is a pause of all.
CREATE TEMPORARY TABLE profile_limit ON COMMIT DROP AS
SELECT sender.account_id, sender.profile_id, min(mails_per_minute) AS mails_per_minute,
  min(max_connections) AS max_connections, max(next_at) AS next_at, min(chosen_per_minute) AS chosen_per_minute,
  min(limited_since) AS limited_since, max(limited_until) AS limited_until, max(probe_at) AS probe_at
FROM sender_throttle AS throttle
JOIN sender ON sender.account_id = throttle.account_id AND sender.id = throttle.sender_id
GROUP BY sender.account_id, sender.profile_id;

-- Mails name the profile too: each claim counts those of its last minute. No trigger: nothing else of them changes.
ALTER TABLE delivery ADD COLUMN profile_id bigint;
ALTER TABLE delivery DISABLE TRIGGER USER;
UPDATE delivery SET profile_id = sender.profile_id
FROM sender WHERE sender.account_id = delivery.account_id AND sender.id = delivery.sender_id;
ALTER TABLE delivery ENABLE TRIGGER USER;

ALTER TABLE sender FORCE ROW LEVEL SECURITY;
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation_target FORCE ROW LEVEL SECURITY;

----------------------------------------------------------------------------------------------------
-- What holds from now on
----------------------------------------------------------------------------------------------------

-- domain_check: the first sender in use of the domain.
CREATE OR REPLACE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
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
    subject := (SELECT min(sender.id) FROM sender
      JOIN sender_profile AS profile
        ON profile.account_id = sender.account_id AND profile.id = sender.profile_id
      WHERE sender.account_id = NEW.account_id AND sender.active
        AND lower(substring(profile.email FROM '[^@]*$') COLLATE "C") = NEW.domain);
  END IF;
  INSERT INTO notice_event (account_id, kind, subject_id) VALUES (NEW.account_id, TG_ARGV[0], subject);
  RETURN NULL;
END $$;

ALTER TABLE sender
  ALTER COLUMN profile_id SET NOT NULL,
  ADD FOREIGN KEY (account_id, sender_group_id, profile_id)
    REFERENCES sender_profile (account_id, sender_group_id, id),
  DROP COLUMN person_in_charge,
  DROP COLUMN email,
  DROP COLUMN bcc,
  DROP COLUMN reply_to,
  DROP COLUMN signature;
-- Another subject of its own is another sender.
CREATE UNIQUE INDEX sender_pair_key ON sender (account_id, profile_id, template_id, coalesce(subject, ''))
  WHERE active;
CREATE INDEX sender_profile_idx ON sender (account_id, profile_id);

-- A mail has the profile of its sender.
ALTER TABLE sender ADD UNIQUE (account_id, id, profile_id);
ALTER TABLE delivery
  ALTER COLUMN profile_id SET NOT NULL,
  DROP CONSTRAINT delivery_account_id_sender_id_fkey,
  ADD FOREIGN KEY (account_id, sender_id, profile_id) REFERENCES sender (account_id, id, profile_id);
-- A profile's mails per minute are counted by those whose try has ended within the last one.
DROP INDEX delivery_finished_idx;
CREATE INDEX delivery_finished_idx ON delivery (account_id, profile_id, finished_at)
  WHERE finished_at IS NOT NULL AND state <> 'cancelled';
DROP INDEX delivery_limited_idx;
CREATE INDEX delivery_limited_idx ON delivery (account_id, profile_id)
  WHERE state = 'queued' AND limited_since IS NOT NULL;

DROP TABLE sender_connection;
DROP TABLE sender_throttle;

-- The pace of a profile, over all its senders and all worker processes: the row is locked at each claim.
-- next_at: before this moment no mail of the profile is claimed (mails_per_minute NULL: no limit).
CREATE TABLE sender_throttle (
  account_id bigint NOT NULL,
  profile_id bigint NOT NULL,
  mails_per_minute integer CHECK (mails_per_minute BETWEEN 1 AND 60000),
  max_connections integer NOT NULL DEFAULT 20 CHECK (max_connections BETWEEN 1 AND 200),
  next_at timestamptz NOT NULL DEFAULT now(),
  -- The account's own limit. The operator's, mails_per_minute, holds besides it.
  chosen_per_minute integer CHECK (chosen_per_minute BETWEEN 1 AND 60000),
  -- Since when the mail server has refused this profile's mails for our quota, rate or plan. NULL: it does not.
  limited_since timestamptz,
  -- When it takes them again at the latest, as members are told.
  limited_until timestamptz,
  -- When one mail may try it. Set as long as limited_since is.
  probe_at timestamptz,
  PRIMARY KEY (account_id, profile_id),
  FOREIGN KEY (account_id, profile_id) REFERENCES sender_profile (account_id, id) ON DELETE CASCADE
);
INSERT INTO sender_throttle (account_id, profile_id, mails_per_minute, max_connections, next_at, chosen_per_minute,
  limited_since, limited_until, probe_at)
SELECT account_id, profile_id, mails_per_minute, max_connections, next_at, chosen_per_minute, limited_since,
  limited_until, probe_at
FROM profile_limit;

-- How many connections of a profile each worker holds; a row past its lease belongs to a dead worker and counts no more.
CREATE TABLE sender_connection (
  account_id bigint NOT NULL,
  profile_id bigint NOT NULL,
  worker_id uuid NOT NULL,
  connections integer NOT NULL CHECK (connections > 0),
  lease_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, profile_id, worker_id),
  FOREIGN KEY (account_id, profile_id) REFERENCES sender_throttle (account_id, profile_id) ON DELETE CASCADE
);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['sender_profile', 'sender_throttle', 'sender_connection'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_api, kaitaku_service', tenant_table);
  END LOOP;
END $$;
-- The profile of a sender never changes: its runs, its pace and its connections are counted by it.
REVOKE UPDATE ON sender FROM kaitaku_api, kaitaku_service;
GRANT UPDATE (template_id, subject, active, updated_at, member_id) ON sender TO kaitaku_api, kaitaku_service;

-- What senders were used last: the order of those to choose from.
CREATE INDEX send_log_sender_idx ON send_log (account_id, sender_id, sent_at) WHERE sender_id IS NOT NULL;
