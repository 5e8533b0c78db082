-- Sums of real mails by when they ended, for the reports. A report reads them together with `report_change`.

-- The major industry of the company at the acceptance of the mail. NULL: it had none, or the mail is older.
ALTER TABLE delivery ADD COLUMN industry_id integer;
-- Written by triggers alone. `replied`: by a person. `refused`: its reader refused further mails, and has not undone it.
-- `dead`: it showed that its address cannot be reached.
ALTER TABLE delivery
  ADD COLUMN replied boolean NOT NULL DEFAULT false,
  ADD COLUMN refused boolean NOT NULL DEFAULT false,
  ADD COLUMN complained boolean NOT NULL DEFAULT false,
  ADD COLUMN dead boolean NOT NULL DEFAULT false;

-- An industry as a company has written it first: `name_search` is for comparisons. NULL: no company has it any more.
ALTER TABLE industry ADD COLUMN name text;

-- Hours of the clock in Tokyo since 1970-01-01 00:00 there: / 24 is the day. Tokyo has no clock changes.
CREATE FUNCTION tokyo_hour(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor((extract(epoch FROM at) + 32400) / 3600)::integer;

-- Folds update the sums of the present hour and day in place (HOT): room is left in their pages, and the figures stand in
-- no index. They are integers: sum(bigint) would be a numeric.
CREATE TABLE report_hour (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  hour integer NOT NULL,
  sender_group_id bigint NOT NULL,
  template_id bigint,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  complained integer NOT NULL,
  dead integer NOT NULL,
  UNIQUE NULLS NOT DISTINCT (account_id, hour, sender_group_id, template_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE report_industry (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- Days in Tokyo since 1970-01-01.
  day integer NOT NULL,
  sender_group_id bigint NOT NULL,
  template_id bigint,
  industry_id integer,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  UNIQUE NULLS NOT DISTINCT (account_id, day, sender_group_id, template_id, industry_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, industry_id) REFERENCES industry (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- What the sums do not contain yet. Writers only append, so that workers never wait for each other. Workers fold it
-- into the sums. No index and no foreign key: a fold reads and deletes all of it, every few seconds.
CREATE TABLE report_change (
  account_id bigint NOT NULL,
  send_log_id bigint NOT NULL,
  hour integer NOT NULL,
  industry_id integer,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  complained integer NOT NULL,
  dead integer NOT NULL
);
ALTER TABLE report_change SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The owner of the tables, who migrates, sees no row of them while this is forced.
ALTER TABLE prospect NO FORCE ROW LEVEL SECURITY;
ALTER TABLE industry NO FORCE ROW LEVEL SECURITY;
ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY;
ALTER TABLE reply NO FORCE ROW LEVEL SECURITY;
ALTER TABLE suppression NO FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log NO FORCE ROW LEVEL SECURITY;
UPDATE industry SET name = used.name
FROM (
  SELECT account_id, id, min(name) AS name FROM (
    SELECT account_id, major_industry_id AS id, major_industry_type AS name FROM prospect
    UNION ALL SELECT account_id, included_industry_id, included_industry_type FROM prospect) AS written
  WHERE id IS NOT NULL GROUP BY account_id, id) AS used
WHERE industry.account_id = used.account_id AND industry.id = used.id;
UPDATE delivery AS d SET replied = true FROM reply
WHERE reply.account_id = d.account_id AND reply.delivery_id = d.id AND reply.kind <> 'auto_reply';
UPDATE delivery AS d SET
  refused = caused.refused, complained = caused.complained, dead = caused.dead
FROM (
  SELECT account_id, delivery_id, bool_or(class = 'refused' AND source <> 'complaint') AS refused,
    bool_or(source = 'complaint') AS complained, bool_or(class = 'undeliverable') AS dead
  FROM suppression WHERE delivery_id IS NOT NULL AND class <> 'blocked' GROUP BY 1, 2) AS caused
WHERE caused.account_id = d.account_id AND caused.delivery_id = d.id;
INSERT INTO report_hour
SELECT d.account_id, tokyo_hour(d.finished_at), d.sender_group_id, log.template_id, count(*) FILTER (WHERE d.state = 'sent'),
  count(*) FILTER (WHERE d.state = 'failed'), count(*) FILTER (WHERE d.state = 'unknown'),
  count(*) FILTER (WHERE d.replied), count(*) FILTER (WHERE d.refused), count(*) FILTER (WHERE d.complained),
  count(*) FILTER (WHERE d.dead)
FROM delivery AS d JOIN send_log AS log ON log.account_id = d.account_id AND log.id = d.send_log_id
WHERE d.finished_at IS NOT NULL AND NOT d.test_send_mode AND d.state IN ('sent', 'failed', 'unknown')
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2;
INSERT INTO report_industry
SELECT d.account_id, tokyo_hour(d.finished_at) / 24, d.sender_group_id, log.template_id, d.industry_id,
  count(*) FILTER (WHERE d.state = 'sent'), count(*) FILTER (WHERE d.state = 'failed'),
  count(*) FILTER (WHERE d.state = 'unknown'), count(*) FILTER (WHERE d.replied), count(*) FILTER (WHERE d.refused)
FROM delivery AS d JOIN send_log AS log ON log.account_id = d.account_id AND log.id = d.send_log_id
WHERE d.finished_at IS NOT NULL AND NOT d.test_send_mode AND d.state IN ('sent', 'failed', 'unknown')
GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2;
ALTER TABLE prospect FORCE ROW LEVEL SECURITY;
ALTER TABLE industry FORCE ROW LEVEL SECURITY;
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;
ALTER TABLE reply FORCE ROW LEVEL SECURITY;
ALTER TABLE suppression FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log FORCE ROW LEVEL SECURITY;

ALTER TABLE report_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_hour FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON report_hour TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON report_hour TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON report_hour TO kaitaku_service USING (true);
ALTER TABLE report_industry ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_industry FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON report_industry TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON report_industry TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON report_industry TO kaitaku_service USING (true);
ALTER TABLE report_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_change FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON report_change TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON report_change TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON report_change TO kaitaku_service USING (true);

-- Deliveries are never inserted as ended. The rows are not joined: joined transition tables take quadratic time.
CREATE FUNCTION count_results() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_change
  SELECT account_id, send_log_id, hour, industry_id, sum(sent), sum(failed), sum(unknown), sum(replied), sum(refused),
    sum(complained), sum(dead)
  FROM (
    SELECT account_id, send_log_id, tokyo_hour(finished_at) AS hour, industry_id, (state = 'sent')::integer AS sent,
      (state = 'failed')::integer AS failed, (state = 'unknown')::integer AS unknown, replied::integer AS replied,
      refused::integer AS refused, complained::integer AS complained, dead::integer AS dead
    FROM new_rows
    WHERE finished_at IS NOT NULL AND NOT test_send_mode AND state IN ('sent', 'failed', 'unknown')
    UNION ALL
    SELECT account_id, send_log_id, tokyo_hour(finished_at), industry_id, -(state = 'sent')::integer,
      -(state = 'failed')::integer, -(state = 'unknown')::integer, -replied::integer, -refused::integer,
      -complained::integer, -dead::integer
    FROM old_rows
    WHERE finished_at IS NOT NULL AND NOT test_send_mode AND state IN ('sent', 'failed', 'unknown')
  ) AS change
  GROUP BY 1, 2, 3, 4
  HAVING sum(sent) <> 0 OR sum(failed) <> 0 OR sum(unknown) <> 0 OR sum(replied) <> 0 OR sum(refused) <> 0
    OR sum(complained) <> 0 OR sum(dead) <> 0;
  RETURN NULL;
END $$;

CREATE TRIGGER count_results AFTER UPDATE ON delivery REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();

CREATE FUNCTION note_reply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE delivery AS d SET replied = NOT replied
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id AND d.replied <> EXISTS (
    SELECT FROM reply
    WHERE reply.account_id = d.account_id AND reply.delivery_id = d.id AND reply.kind <> 'auto_reply');
  RETURN NULL;
END $$;

CREATE TRIGGER note_reply AFTER INSERT OR UPDATE OF kind, delivery_id ON reply
  FOR EACH ROW WHEN (NEW.delivery_id IS NOT NULL) EXECUTE FUNCTION note_reply();

-- Of suppressions, what their mail has caused. It stays when the suppression is lifted or its address erased.
CREATE FUNCTION note_suppression() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE delivery AS d SET
    refused = d.refused OR NEW.class = 'refused' AND NEW.source <> 'complaint',
    complained = d.complained OR NEW.source = 'complaint',
    dead = d.dead OR NEW.class = 'undeliverable'
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id;
  RETURN NULL;
END $$;

CREATE TRIGGER note_suppression AFTER INSERT ON suppression
  FOR EACH ROW WHEN (NEW.delivery_id IS NOT NULL AND NEW.class <> 'blocked') EXECUTE FUNCTION note_suppression();

-- Its reader has undone a refusal.
CREATE FUNCTION note_undone_refusal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE delivery AS d SET refused = false
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id AND d.refused AND NOT EXISTS (
    SELECT FROM suppression AS other
    WHERE other.account_id = d.account_id AND other.delivery_id = d.id AND other.class = 'refused'
      AND other.source <> 'complaint');
  RETURN NULL;
END $$;

CREATE TRIGGER note_undone_refusal AFTER INSERT ON lifted_suppression
  FOR EACH ROW WHEN (NEW.lift_reason = 'undone') EXECUTE FUNCTION note_undone_refusal();
