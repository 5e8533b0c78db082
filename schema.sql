-- The migrated schema, made by `npm run generate` and verified in CI. Change it by a migration.

CREATE OR REPLACE FUNCTION public.add_notice_member()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO notice_member (account_id, member_id) VALUES (NEW.account_id, NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.address_hash(of_account bigint, address text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$ SELECT sha256(hash_salt || convert_to(address, 'UTF8')) FROM account WHERE id = of_account $function$;

CREATE OR REPLACE FUNCTION public.analyze_companies()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
BEGIN
  ANALYZE (SKIP_LOCKED) public.prospect, public.prospect_search, public.person;
END $function$;
REVOKE ALL ON FUNCTION analyze_companies() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_companies() TO kaitaku_service;

CREATE OR REPLACE FUNCTION public.announce_work()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('kaitaku_work', '');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.are_periods(value jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE jsonb_typeof(value) WHEN 'array' THEN jsonb_array_length(value) <= 14 AND NOT EXISTS (
    SELECT FROM jsonb_to_recordset(value) AS one (weekday integer, opens integer, closes integer)
    WHERE coalesce(weekday NOT BETWEEN 0 AND 6 OR opens < 0 OR closes > 1440 OR opens >= closes OR opens % 15 <> 0
      OR closes % 15 <> 0, true)) ELSE false END $function$;

CREATE OR REPLACE FUNCTION public.count_results()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.current_account_id()
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.account_id'::text, true), ''::text))::bigint;

CREATE OR REPLACE FUNCTION public.date_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.moved_to IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.moved_to IS NULL) THEN
    NEW.moved_at := clock_timestamp();
  ELSIF TG_OP = 'UPDATE' AND (NEW.moved_to, NEW.moved_at) IS DISTINCT FROM (OLD.moved_to, OLD.moved_at) THEN
    RAISE EXCEPTION 'the move of an account is final' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.forget_remarks_by()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.remarks_by := NULL;
  NEW.remarks_at := now();
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_address_contact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
  SELECT account_id, sender_group_id, address_key, max(coalesce(finished_at, now()))
  FROM new_rows
  WHERE state = 'sent' AND NOT test_send_mode AND address_key IS NOT NULL
  GROUP BY 1, 2, 3
  ORDER BY 1, 3, 2
  ON CONFLICT (account_id, address_key, sender_group_id)
    DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_prospect_search()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE prospect_search, prospect_total;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    EXECUTE $query$
      DELETE FROM prospect_search AS search USING old_rows AS gone
      WHERE search.account_id = gone.account_id AND search.id = gone.id $query$;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO prospect_search (account_id, id, has_company_url, has_contact_url, address_search, email_search,
      major_industry_id, included_industry_id, year_of_establishment, amount_of_sales, ordinary_profit,
      number_of_employees, name_search, person_email_search)
    SELECT account_id, id, has_company_url, has_contact_url, address_search, email_search,
      major_industry_id, included_industry_id, year_of_establishment, amount_of_sales, ordinary_profit,
      number_of_employees, split_part(identity_key, E'\n', 1), person_email_search
    FROM new_rows WHERE archived_at IS NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO prospect_total AS known
    SELECT account_id, count(*) FROM new_rows WHERE archived_at IS NULL GROUP BY account_id
    ON CONFLICT (account_id) DO UPDATE SET total = known.total + excluded.total;
  ELSIF TG_OP = 'UPDATE' THEN
    -- Only where companies were archived or brought back: other updates need not wait for each other here.
    UPDATE prospect_total AS known SET total = known.total + changed.difference
    FROM (
      SELECT account_id, sum(live) AS difference FROM (
        SELECT account_id, 1 AS live FROM new_rows WHERE archived_at IS NULL
        UNION ALL SELECT account_id, -1 FROM old_rows WHERE archived_at IS NULL) AS counted
      GROUP BY account_id HAVING sum(live) <> 0) AS changed
    WHERE known.account_id = changed.account_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE prospect_total AS known SET total = known.total - gone.count
    FROM (SELECT account_id, count(*) FROM old_rows WHERE archived_at IS NULL GROUP BY account_id) AS gone
    WHERE known.account_id = gone.account_id;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_recorded_address()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE $query$
    INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
    SELECT log.account_id, log.sender_group_id, prospect.email_search, max(log.sent_at)
    FROM new_rows AS recorded
    JOIN send_log AS log ON log.account_id = recorded.account_id AND log.id = recorded.send_log_id
    JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
    WHERE prospect.email_search <> ''
    GROUP BY 1, 2, 3
    ORDER BY 1, 3, 2
    ON CONFLICT (account_id, address_key, sender_group_id)
      DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at $query$;
  EXECUTE $query$
    SELECT share_addresses(array_agg(prospect.account_id), array_agg(prospect.id), array_agg(prospect.email_search))
    FROM new_rows AS recorded
    JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
    WHERE prospect.email_search <> '' $query$;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_template_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE next integer;
BEGIN
  SELECT coalesce(max(number), 0) + 1 INTO next FROM mail_template_version
  WHERE account_id = NEW.account_id AND template_id = NEW.id;
  INSERT INTO mail_template_version
    (account_id, template_id, number, name, subject, text_body, html_body, editor, text_follows, member_id)
  VALUES (NEW.account_id, NEW.id, next, NEW.name, NEW.subject, NEW.text_body, NEW.html_body, NEW.editor,
    NEW.text_follows, NEW.member_id);
  DELETE FROM mail_template_version
  WHERE account_id = NEW.account_id AND template_id = NEW.id AND number <= next - 50;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.next_account_id()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ SELECT nextval('public.account_id_seq') $function$;
REVOKE ALL ON FUNCTION next_account_id() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_account_id() TO kaitaku_login;

CREATE OR REPLACE FUNCTION public.note_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.note_failed_mail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO notice_event (account_id, kind, subject_id)
  SELECT NEW.account_id, 'failed_mails', NEW.send_log_id
  WHERE NOT EXISTS (
    SELECT FROM notice_event
    WHERE account_id = NEW.account_id AND kind = 'failed_mails' AND subject_id = NEW.send_log_id
      AND xmin = pg_current_xact_id()::xid);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_failures()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO notice_event (account_id, kind, subject_id, from_percent, percent)
  VALUES (NEW.account_id, 'failures', NEW.id, OLD.failure_percent, NEW.failure_percent);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_queued_mails()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO sender_due (account_id, sender_id, due_at)
  SELECT account_id, sender_id, min(not_before) FROM new_rows
  WHERE state = 'queued' AND not_before < 'infinity'
  GROUP BY account_id, sender_id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_reply()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE delivery AS d SET replied = NOT replied
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id AND d.replied <> EXISTS (
    SELECT FROM reply
    WHERE reply.account_id = d.account_id AND reply.delivery_id = d.id AND reply.kind <> 'auto_reply');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_requeued_mail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO sender_due (account_id, sender_id, due_at)
  SELECT NEW.account_id, NEW.sender_id, NEW.not_before
  WHERE NOT EXISTS (
    SELECT FROM sender_due
    WHERE account_id = NEW.account_id AND sender_id = NEW.sender_id AND due_at <= NEW.not_before
      AND xmin = pg_current_xact_id()::xid);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_stop_of_all()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO notice_event (account_id, kind)
  SELECT DISTINCT account_id, 'stopped' FROM sender_due
  WHERE due_at <= now() AND account_id <> ALL (ARRAY(SELECT id FROM account WHERE frozen_at IS NOT NULL));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_suppression()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE delivery AS d SET
    refused = d.refused OR NEW.class = 'refused' AND NEW.source <> 'complaint',
    complained = d.complained OR NEW.source = 'complaint',
    dead = d.dead OR NEW.class = 'undeliverable'
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_undone_refusal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE delivery AS d SET refused = false
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id AND d.refused AND NOT EXISTS (
    SELECT FROM suppression AS other
    WHERE other.account_id = d.account_id AND other.delivery_id = d.id AND other.class = 'refused'
      AND other.source <> 'complaint');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.recall_suppressions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM suppression_hash) THEN
    RETURN NULL;
  END IF;
  EXECUTE $query$
    WITH known AS (
      DELETE FROM suppression_hash AS kept
      USING (
        SELECT DISTINCT added.account_id, added.email_search,
          sha256(account.hash_salt || convert_to(added.email_search, 'UTF8')) AS hash
        FROM new_rows AS added JOIN account ON account.id = added.account_id
        WHERE added.email_search <> '') AS address
      WHERE kept.account_id = address.account_id AND kept.hash = address.hash
      RETURNING kept.account_id, address.email_search, kept.class, kept.source, kept.created_at
    )
    INSERT INTO suppression (account_id, kind, value, class, source, created_at)
    SELECT account_id, 'address', email_search, class, source, created_at FROM known
    ORDER BY account_id, email_search COLLATE "C", class
    ON CONFLICT DO NOTHING $query$;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_frozen()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
AS $function$
BEGIN
  IF EXISTS (SELECT FROM account WHERE id = current_account_id() AND frozen_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the account is frozen' USING ERRCODE = 'KF001';
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.share_addresses(accounts bigint[], prospects bigint[], addresses text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT other.account_id, other.id, mailed.address_key
    FROM unnest($1, $2, $3) AS mailed (account_id, prospect_id, address_key)
    JOIN prospect AS other ON other.account_id = mailed.account_id AND other.archived_at IS NULL
      AND other.email_search COLLATE "C" = mailed.address_key COLLATE "C" AND other.id <> mailed.prospect_id
    UNION
    SELECT other.account_id, other.id, mailed.address_key
    FROM unnest($1, $2, $3) AS mailed (account_id, prospect_id, address_key)
    JOIN prospect AS other ON other.account_id = mailed.account_id AND other.archived_at IS NULL
      AND other.person_email_search = mailed.address_key COLLATE "C" AND other.id <> mailed.prospect_id
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$ USING accounts, prospects, addresses;
END $function$;

CREATE OR REPLACE FUNCTION public.share_mailed_address()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM share_addresses(array_agg(account_id), array_agg(prospect_id), array_agg(address_key))
  FROM new_rows WHERE NOT test_send_mode AND state IN ('queued', 'claimed', 'sending', 'unknown');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.share_new_address()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    EXECUTE $query$
      DELETE FROM shared_address AS shared USING new_rows AS added
      WHERE shared.account_id = added.account_id AND shared.prospect_id = added.id
        AND shared.address_key IS DISTINCT FROM added.email_search COLLATE "C"
        AND shared.address_key IS DISTINCT FROM added.person_email_search $query$;
  END IF;
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT account_id, id, address_key
    FROM (
      SELECT account_id, id, email_search COLLATE "C" AS address_key FROM new_rows WHERE email_search <> ''
      UNION ALL
      SELECT account_id, id, person_email_search FROM new_rows WHERE person_email_search IS NOT NULL) AS added
    WHERE EXISTS (
        SELECT FROM address_contact AS mailed
        WHERE mailed.account_id = added.account_id AND mailed.address_key = added.address_key AND NOT EXISTS (
          SELECT FROM contact_state AS own
          WHERE own.account_id = added.account_id AND own.sender_group_id = mailed.sender_group_id
            AND own.prospect_id = added.id AND own.last_sent_at >= mailed.last_sent_at))
      OR EXISTS (
        SELECT FROM delivery AS other
        WHERE other.account_id = added.account_id AND other.address_key = added.address_key
          AND other.prospect_id <> added.id AND other.state IN ('queued', 'claimed', 'sending', 'unknown')
          AND NOT other.test_send_mode AND NOT other.shares_address)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tokyo_hour(at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (floor(((EXTRACT(epoch FROM at) + (32400)::numeric) / (3600)::numeric)))::integer;

CREATE TABLE account (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  company text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  hash_salt bytea DEFAULT decode(replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text), 'hex'::text) NOT NULL,
  last_job_at timestamp with time zone,
  frozen_at timestamp with time zone,
  settled_at timestamp with time zone,
  move_number bigint DEFAULT 0 NOT NULL,
  moved_to text,
  moves integer DEFAULT 0 NOT NULL,
  is_arriving boolean DEFAULT false NOT NULL,
  moved_at timestamp with time zone,
  late_mail_to text,
  CONSTRAINT account_pkey PRIMARY KEY (id),
  CONSTRAINT account_arriving_check CHECK (((NOT is_arriving) OR ((frozen_at IS NOT NULL) AND (moved_to IS NULL)))),
  CONSTRAINT account_moved_at_check CHECK (((moved_to IS NULL) = (moved_at IS NULL))),
  CONSTRAINT account_moved_check CHECK (((moved_to IS NULL) OR (settled_at IS NOT NULL))),
  CONSTRAINT account_settled_check CHECK (((settled_at IS NULL) OR (frozen_at IS NOT NULL)))
);
CREATE INDEX account_frozen_idx ON public.account USING btree (id) WHERE (frozen_at IS NOT NULL);
CREATE INDEX account_moved_idx ON public.account USING btree (id) WHERE (moved_to IS NOT NULL);
CREATE TRIGGER date_move BEFORE INSERT OR UPDATE OF moved_to, moved_at ON public.account FOR EACH ROW EXECUTE FUNCTION date_move();
ALTER TABLE account ENABLE ROW LEVEL SECURITY;
ALTER TABLE account FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON account FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON account FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON account FOR ALL TO kaitaku_api USING ((id = current_account_id()));
GRANT INSERT, SELECT ON account TO kaitaku_api;
GRANT INSERT, SELECT, UPDATE ON account TO kaitaku_service;
GRANT UPDATE (company, updated_at) ON account TO kaitaku_api;
GRANT SELECT (id, frozen_at, moved_to, moves, is_arriving) ON account TO kaitaku_login;

CREATE TABLE account_host (
  account_id bigint NOT NULL,
  host text COLLATE "C" NOT NULL,
  is_current boolean NOT NULL,
  given_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT account_host_pkey PRIMARY KEY (account_id, host),
  CONSTRAINT account_host_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT account_host_host_check CHECK ((length(host) <= 253))
);
CREATE UNIQUE INDEX account_host_current_key ON public.account_host USING btree (account_id) WHERE is_current;
CREATE UNIQUE INDEX account_host_key ON public.account_host USING btree (host);
ALTER TABLE account_host ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_host FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON account_host FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON account_host FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON account_host FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT SELECT ON account_host TO kaitaku_api;
GRANT SELECT ON account_host TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON account_host TO kaitaku_service;

CREATE TABLE account_rule (
  account_id bigint NOT NULL,
  undo_seconds smallint DEFAULT 0 NOT NULL,
  per_day integer,
  per_domain smallint DEFAULT 0 NOT NULL,
  across_groups boolean DEFAULT false NOT NULL,
  export_needs_admin boolean DEFAULT false NOT NULL,
  two_factor_required boolean DEFAULT false NOT NULL,
  login_networks cidr[] DEFAULT '{}'::cidr[] NOT NULL,
  password_off boolean DEFAULT false NOT NULL,
  CONSTRAINT account_rule_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_rule_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT account_rule_login_networks_check CHECK ((cardinality(login_networks) <= 50)),
  CONSTRAINT account_rule_per_day_check CHECK (((per_day >= 1) AND (per_day <= 1000000))),
  CONSTRAINT account_rule_per_domain_check CHECK (((per_domain >= 0) AND (per_domain <= 1000))),
  CONSTRAINT account_rule_undo_seconds_check CHECK ((undo_seconds = ANY (ARRAY[0, 10, 30, 60])))
);
ALTER TABLE account_rule ENABLE ROW LEVEL SECURITY;
ALTER TABLE account_rule FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON account_rule FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON account_rule FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON account_rule FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON account_rule TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON account_rule TO kaitaku_service;
GRANT SELECT (account_id, two_factor_required, login_networks, password_off) ON account_rule TO kaitaku_login;

CREATE TABLE active_prospect (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  active boolean DEFAULT true NOT NULL,
  remarks text COLLATE "C" DEFAULT ''::text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  remarks_by bigint,
  remarks_at timestamp with time zone,
  CONSTRAINT active_prospect_pkey PRIMARY KEY (account_id, sender_group_id, prospect_id),
  CONSTRAINT active_prospect_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT active_prospect_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX active_prospect_remarks_idx ON public.active_prospect USING btree (account_id, sender_group_id, "left"(remarks, 100), prospect_id) WHERE (remarks <> ''::text);
CREATE TRIGGER remarks_by_nobody BEFORE UPDATE ON public.active_prospect FOR EACH ROW WHEN (((new.remarks <> old.remarks) AND (NOT (new.remarks_at IS DISTINCT FROM old.remarks_at)))) EXECUTE FUNCTION forget_remarks_by();
ALTER TABLE active_prospect ENABLE ROW LEVEL SECURITY;
ALTER TABLE active_prospect FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON active_prospect FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON active_prospect FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON active_prospect TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON active_prospect TO kaitaku_service;

CREATE TABLE address_contact (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  last_sent_at timestamp with time zone NOT NULL,
  CONSTRAINT address_contact_pkey PRIMARY KEY (account_id, address_key, sender_group_id),
  CONSTRAINT address_contact_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX address_contact_last_sent_idx ON public.address_contact USING btree (account_id, sender_group_id, last_sent_at, address_key) WHERE (last_sent_at > '-infinity'::timestamp with time zone);
ALTER TABLE address_contact ENABLE ROW LEVEL SECURITY;
ALTER TABLE address_contact FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON address_contact FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON address_contact FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON address_contact TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON address_contact TO kaitaku_service;

CREATE TABLE address_rejection (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  delivery_id bigint NOT NULL,
  rejected_at timestamp with time zone NOT NULL,
  CONSTRAINT address_rejection_pkey PRIMARY KEY (account_id, address_key, sender_group_id, delivery_id),
  CONSTRAINT address_rejection_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX address_rejection_at_idx ON public.address_rejection USING btree (account_id, sender_group_id, rejected_at, address_key) WHERE (rejected_at > '-infinity'::timestamp with time zone);
ALTER TABLE address_rejection ENABLE ROW LEVEL SECURITY;
ALTER TABLE address_rejection FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON address_rejection FOR ALL TO kaitaku_service USING (true);
CREATE POLICY moved ON address_rejection AS RESTRICTIVE FOR DELETE TO kaitaku_service USING ((EXISTS ( SELECT
   FROM account
  WHERE ((account.id = address_rejection.account_id) AND (account.moved_at < (now() - '7 days'::interval))))));
CREATE POLICY own ON address_rejection FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, SELECT ON address_rejection TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON address_rejection TO kaitaku_service;

CREATE TABLE audit_event (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  detail jsonb DEFAULT '{}'::jsonb NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  subject text COLLATE "C" GENERATED ALWAYS AS (COALESCE(('run:'::text || (detail ->> 'send_log_id'::text)), ('reservation:'::text || (detail ->> 'reservation_id'::text)), ('company:'::text || (detail ->> 'prospect_id'::text)), ('mail:'::text || (detail ->> 'delivery_id'::text)), ('reply:'::text || (detail ->> 'reply_id'::text)), ('template:'::text || (detail ->> 'template_id'::text)), ('sender:'::text || (detail ->> 'sender_id'::text)), ('person:'::text || (detail ->> 'sender_profile_id'::text)), ('person:'::text || (detail ->> 'profile_id'::text)), ('group:'::text || (detail ->> 'sender_group_id'::text)), ('member:'::text || (detail ->> 'member_id'::text)), ('invitation:'::text || (detail ->> 'invitation_id'::text)), ('import:'::text || (detail ->> 'import_run_id'::text)), ('folder:'::text || (detail ->> 'folder_id'::text)), ('condition:'::text || (detail ->> 'saved_condition_id'::text)), ('closing_day:'::text || (detail ->> 'closing_day_id'::text)), ('suppression:'::text || (detail ->> 'suppression_id'::text)))) STORED,
  CONSTRAINT audit_event_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT audit_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT audit_event_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX audit_event_reservation_idx ON public.audit_event USING btree (account_id, ((detail ->> 'reservation_id'::text))) WHERE ((detail ->> 'reservation_id'::text) IS NOT NULL);
CREATE INDEX audit_kind_idx ON public.audit_event USING btree (account_id, kind, at DESC, id DESC);
CREATE INDEX audit_member_idx ON public.audit_event USING btree (account_id, member_id, at DESC, id DESC) INCLUDE (kind);
CREATE INDEX audit_page_idx ON public.audit_event USING btree (account_id, at DESC, id DESC);
CREATE INDEX audit_subject_idx ON public.audit_event USING btree (account_id, subject, at DESC, id DESC) WHERE (subject IS NOT NULL);
ALTER TABLE audit_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_event FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON audit_event FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON audit_event FOR INSERT TO kaitaku_login WITH CHECK (((kind = ANY (ARRAY['logged_in'::text, 'log_in_refused'::text, 'recovery_code_used'::text])) AND (member_id IS NOT NULL)));
CREATE POLICY moved_or_old ON audit_event AS RESTRICTIVE FOR DELETE TO kaitaku_service USING (((at < (now() - '5 years'::interval)) OR (EXISTS ( SELECT
   FROM account
  WHERE ((account.id = audit_event.account_id) AND (account.moved_at < (now() - '7 days'::interval)))))));
CREATE POLICY own ON audit_event FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT ON audit_event TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON audit_event TO kaitaku_service;
GRANT INSERT (account_id, kind, detail, member_id) ON audit_event TO kaitaku_login;

CREATE TABLE bounce (
  account_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  class text NOT NULL,
  send_log_id bigint NOT NULL,
  status text,
  reply text NOT NULL,
  is_forwarded boolean NOT NULL,
  message_hashes bytea[] NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT bounce_pkey PRIMARY KEY (account_id, delivery_id, class),
  CONSTRAINT bounce_account_id_delivery_id_fkey FOREIGN KEY (account_id, delivery_id) REFERENCES delivery(account_id, id) ON DELETE CASCADE,
  CONSTRAINT bounce_account_id_send_log_id_fkey FOREIGN KEY (account_id, send_log_id) REFERENCES send_log(account_id, id) ON DELETE CASCADE,
  CONSTRAINT bounce_class_check CHECK ((class = ANY (ARRAY['hard'::text, 'filtered'::text, 'soft'::text, 'policy'::text, 'mail'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX bounce_run_idx ON public.bounce USING btree (account_id, send_log_id, class);
ALTER TABLE bounce ENABLE ROW LEVEL SECURITY;
ALTER TABLE bounce FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON bounce FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON bounce FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON bounce TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON bounce TO kaitaku_service;

CREATE TABLE business_hours (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  periods jsonb NOT NULL,
  on_holidays boolean DEFAULT true NOT NULL,
  outside text DEFAULT 'warn'::text NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  CONSTRAINT business_hours_pkey PRIMARY KEY (account_id, sender_group_id),
  CONSTRAINT business_hours_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT business_hours_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id) ON DELETE CASCADE,
  CONSTRAINT business_hours_outside_check CHECK ((outside = ANY (ARRAY['warn'::text, 'hold'::text]))),
  CONSTRAINT business_hours_periods_check CHECK (are_periods(periods))
);
ALTER TABLE business_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE business_hours FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON business_hours FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON business_hours FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON business_hours TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON business_hours TO kaitaku_service;

CREATE TABLE closing_day (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  sender_group_id bigint,
  first_day date NOT NULL,
  last_day date NOT NULL,
  name text NOT NULL,
  working boolean DEFAULT false NOT NULL,
  yearly boolean DEFAULT false NOT NULL,
  active boolean DEFAULT true NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  CONSTRAINT closing_day_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT closing_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT closing_day_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT closing_day_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id) ON DELETE CASCADE,
  CONSTRAINT closing_day_check CHECK (((last_day >= first_day) AND ((last_day - first_day) < 92)))
);
ALTER TABLE closing_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE closing_day FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON closing_day FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON closing_day FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON closing_day TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON closing_day TO kaitaku_service;

CREATE TABLE confirmed_address (
  account_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  confirmed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT confirmed_address_pkey PRIMARY KEY (account_id, address_key),
  CONSTRAINT confirmed_address_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
ALTER TABLE confirmed_address ENABLE ROW LEVEL SECURITY;
ALTER TABLE confirmed_address FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON confirmed_address FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON confirmed_address FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON confirmed_address TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON confirmed_address TO kaitaku_service;

CREATE TABLE contact_state (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  last_sent_at timestamp with time zone NOT NULL,
  CONSTRAINT contact_state_pkey PRIMARY KEY (account_id, sender_group_id, prospect_id),
  CONSTRAINT contact_state_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT contact_state_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
) WITH (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX contact_state_last_sent_idx ON public.contact_state USING btree (account_id, sender_group_id, last_sent_at, prospect_id) WHERE (last_sent_at > '-infinity'::timestamp with time zone);
CREATE INDEX contact_state_prospect_idx ON public.contact_state USING btree (account_id, prospect_id, sender_group_id);
ALTER TABLE contact_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE contact_state FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON contact_state FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON contact_state FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON contact_state TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON contact_state TO kaitaku_service;

CREATE TABLE create_key (
  account_id bigint NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  answer jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT create_key_pkey PRIMARY KEY (account_id, key),
  CONSTRAINT create_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX create_key_created_idx ON public.create_key USING btree (account_id, created_at);
ALTER TABLE create_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE create_key FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON create_key FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON create_key FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON create_key TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON create_key TO kaitaku_service;

CREATE TABLE custom_field (
  account_id bigint NOT NULL,
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  key text COLLATE "C" NOT NULL,
  label text NOT NULL,
  label_key text COLLATE "C" NOT NULL,
  type text NOT NULL,
  "position" smallint NOT NULL,
  archived_at timestamp with time zone,
  import_run_id bigint,
  CONSTRAINT custom_field_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT custom_field_account_id_key_key UNIQUE (account_id, key),
  CONSTRAINT custom_field_account_id_label_key_key UNIQUE (account_id, label_key),
  CONSTRAINT custom_field_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT custom_field_key_check CHECK ((key ~ '^[a-z][a-z0-9_]{0,29}$'::text)),
  CONSTRAINT custom_field_type_check CHECK ((type = ANY (ARRAY['text'::text, 'number'::text, 'date'::text, 'choice'::text, 'flag'::text, 'url'::text])))
);
ALTER TABLE custom_field ENABLE ROW LEVEL SECURITY;
ALTER TABLE custom_field FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON custom_field FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON custom_field FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT, UPDATE ON custom_field TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON custom_field TO kaitaku_service;

CREATE TABLE delivery (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
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
  mail_date timestamp with time zone NOT NULL,
  state text DEFAULT 'queued'::text NOT NULL,
  reason text,
  attempts integer DEFAULT 0 NOT NULL,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  worker_id uuid,
  claim_no integer DEFAULT 0 NOT NULL,
  lease_until timestamp with time zone,
  smtp_reply text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone,
  maybe_sent boolean DEFAULT false NOT NULL,
  delivered_at timestamp with time zone,
  address_key text COLLATE "C" GENERATED ALWAYS AS (lower((mail_to COLLATE "C"))) STORED,
  shares_address boolean DEFAULT false NOT NULL,
  mail_key uuid DEFAULT gen_random_uuid() NOT NULL,
  erased_hash bytea,
  blanked_at timestamp with time zone,
  follows_id bigint,
  industry_id integer,
  replied boolean DEFAULT false NOT NULL,
  refused boolean DEFAULT false NOT NULL,
  complained boolean DEFAULT false NOT NULL,
  dead boolean DEFAULT false NOT NULL,
  requeued_at timestamp with time zone,
  limited_since timestamp with time zone,
  profile_id bigint NOT NULL,
  put_off text,
  merge_values jsonb,
  person_id bigint,
  CONSTRAINT delivery_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT delivery_account_id_send_log_id_prospect_id_key UNIQUE (account_id, send_log_id, prospect_id),
  CONSTRAINT delivery_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id),
  CONSTRAINT delivery_account_id_send_log_id_fkey FOREIGN KEY (account_id, send_log_id) REFERENCES send_log(account_id, id),
  CONSTRAINT delivery_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id),
  CONSTRAINT delivery_account_id_sender_id_profile_id_fkey FOREIGN KEY (account_id, sender_id, profile_id) REFERENCES sender(account_id, id, profile_id),
  CONSTRAINT delivery_check CHECK (((state = ANY (ARRAY['queued'::text, 'cancelled'::text])) OR (mail_to IS NOT NULL) OR (erased_hash IS NOT NULL))),
  CONSTRAINT delivery_check1 CHECK (((state = ANY (ARRAY['claimed'::text, 'sending'::text])) = (lease_until IS NOT NULL))),
  CONSTRAINT delivery_check2 CHECK (((blanked_at IS NULL) OR (mail_to IS NULL))),
  CONSTRAINT delivery_put_off_check CHECK ((put_off = ANY (ARRAY['hours'::text, 'limit'::text]))),
  CONSTRAINT delivery_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'unknown'::text, 'cancelled'::text])))
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX delivery_address_idx ON public.delivery USING btree (account_id, address_key) WHERE ((NOT ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'sending'::text, 'unknown'::text])) AND (NOT test_send_mode) AND (NOT shares_address))) AND (address_key IS NOT NULL));
CREATE INDEX delivery_blanked_idx ON public.delivery USING btree (account_id, erased_hash) WHERE (blanked_at IS NOT NULL);
CREATE INDEX delivery_erased_idx ON public.delivery USING btree (account_id, erased_hash) WHERE ((erased_hash IS NOT NULL) AND (blanked_at IS NULL));
CREATE INDEX delivery_failed_idx ON public.delivery USING btree (account_id, send_log_id) WHERE ((state = 'failed'::text) AND (NOT test_send_mode));
CREATE INDEX delivery_finished_idx ON public.delivery USING btree (account_id, profile_id, finished_at) WHERE ((finished_at IS NOT NULL) AND (state <> 'cancelled'::text));
CREATE INDEX delivery_held_idx ON public.delivery USING btree (account_id) WHERE ((state = 'queued'::text) AND (reason = 'maybe_refused'::text));
CREATE INDEX delivery_lease_idx ON public.delivery USING btree (lease_until) WHERE (lease_until IS NOT NULL);
CREATE INDEX delivery_limited_idx ON public.delivery USING btree (account_id, profile_id) WHERE ((state = 'queued'::text) AND (limited_since IS NOT NULL));
CREATE INDEX delivery_mail_key_idx ON public.delivery USING btree (mail_key);
CREATE INDEX delivery_message_idx ON public.delivery USING btree ("substring"(message_id, 2, 36)) WHERE (state = ANY (ARRAY['sent'::text, 'unknown'::text, 'failed'::text]));
CREATE UNIQUE INDEX delivery_open_address_key ON public.delivery USING btree (account_id, address_key, sender_group_id) WHERE ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'sending'::text, 'unknown'::text])) AND (NOT test_send_mode) AND (NOT shares_address));
CREATE UNIQUE INDEX delivery_open_key ON public.delivery USING btree (account_id, sender_group_id, prospect_id) WHERE ((state = ANY (ARRAY['queued'::text, 'claimed'::text, 'sending'::text, 'unknown'::text])) AND (NOT test_send_mode));
CREATE INDEX delivery_prospect_idx ON public.delivery USING btree (account_id, prospect_id);
CREATE INDEX delivery_queue_idx ON public.delivery USING btree (account_id, sender_id, not_before, id) WHERE (state = 'queued'::text);
CREATE INDEX delivery_unknown_idx ON public.delivery USING btree (finished_at) WHERE (state = 'unknown'::text);
CREATE TRIGGER count_results AFTER UPDATE ON public.delivery REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_results();
CREATE TRIGGER keep_address_contact AFTER UPDATE ON public.delivery REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_address_contact();
CREATE TRIGGER note_inserted AFTER INSERT ON public.delivery REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION note_queued_mails();
CREATE TRIGGER note_requeued AFTER UPDATE ON public.delivery FOR EACH ROW WHEN (((new.state = 'queued'::text) AND (new.not_before < 'infinity'::timestamp with time zone) AND ((old.state <> 'queued'::text) OR (new.not_before < old.not_before)))) EXECUTE FUNCTION note_requeued_mail();
CREATE TRIGGER notice_of_failed_mail AFTER UPDATE ON public.delivery FOR EACH ROW WHEN (((new.state = 'failed'::text) AND (old.state <> 'failed'::text) AND (NOT new.test_send_mode))) EXECUTE FUNCTION note_failed_mail();
CREATE TRIGGER share_mailed_address AFTER INSERT ON public.delivery REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION share_mailed_address();
ALTER TABLE delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON delivery FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON delivery FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON delivery FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON delivery TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON delivery TO kaitaku_service;
GRANT SELECT (account_id, id, mail_key) ON delivery TO kaitaku_login;

CREATE TABLE domain_check (
  account_id bigint NOT NULL,
  domain text NOT NULL,
  result jsonb NOT NULL,
  checked_at timestamp with time zone NOT NULL,
  failed_at timestamp with time zone,
  CONSTRAINT domain_check_pkey PRIMARY KEY (account_id, domain),
  CONSTRAINT domain_check_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE TRIGGER notice_of_domain AFTER UPDATE ON public.domain_check FOR EACH ROW WHEN (((new.result @> '[{"level": "bad"}]'::jsonb) AND (NOT (old.result @> '[{"level": "bad"}]'::jsonb)))) EXECUTE FUNCTION note_event('domain_bad');
ALTER TABLE domain_check ENABLE ROW LEVEL SECURITY;
ALTER TABLE domain_check FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON domain_check FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON domain_check FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON domain_check TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON domain_check TO kaitaku_service;

CREATE TABLE domain_test (
  account_id bigint NOT NULL,
  domain text NOT NULL,
  key uuid NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  waits boolean NOT NULL,
  result jsonb,
  arrived_at timestamp with time zone,
  CONSTRAINT domain_test_pkey PRIMARY KEY (account_id, domain),
  CONSTRAINT domain_test_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT domain_test_check CHECK (((result IS NULL) = (arrived_at IS NULL)))
);
CREATE INDEX domain_test_key_idx ON public.domain_test USING btree (key);
ALTER TABLE domain_test ENABLE ROW LEVEL SECURITY;
ALTER TABLE domain_test FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON domain_test FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON domain_test FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON domain_test TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON domain_test TO kaitaku_service;

CREATE TABLE email_change (
  account_id bigint NOT NULL,
  email text NOT NULL,
  ticket_hash bytea,
  ticket_expires_at timestamp with time zone,
  secret_hash bytea,
  secret_expires_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  member_id bigint NOT NULL,
  CONSTRAINT email_change_pkey PRIMARY KEY (account_id, member_id),
  CONSTRAINT email_change_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE
);
ALTER TABLE email_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE email_change FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON email_change FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON email_change FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON email_change TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON email_change TO kaitaku_service;

CREATE TABLE erased_address (
  account_id bigint NOT NULL,
  hash bytea NOT NULL,
  erased_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT erased_address_pkey PRIMARY KEY (account_id, hash),
  CONSTRAINT erased_address_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX erased_address_at_idx ON public.erased_address USING btree (erased_at);
ALTER TABLE erased_address ENABLE ROW LEVEL SECURITY;
ALTER TABLE erased_address FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON erased_address FOR ALL TO kaitaku_service USING (true);
CREATE POLICY moved ON erased_address AS RESTRICTIVE FOR DELETE TO kaitaku_service USING ((EXISTS ( SELECT
   FROM account
  WHERE ((account.id = erased_address.account_id) AND (account.moved_at < (now() - '7 days'::interval))))));
CREATE POLICY own ON erased_address FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT, UPDATE ON erased_address TO kaitaku_api;
GRANT DELETE, SELECT ON erased_address TO kaitaku_service;

CREATE TABLE held_arrival (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  delivery_id bigint,
  head jsonb NOT NULL,
  body bytea,
  digest bytea NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT held_arrival_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT held_arrival_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT held_arrival_kind_check CHECK ((kind = ANY (ARRAY['refusal'::text, 'undo'::text, 'mail'::text, 'events'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX held_arrival_delivery_idx ON public.held_arrival USING btree (account_id, delivery_id, id);
CREATE UNIQUE INDEX held_arrival_digest_key ON public.held_arrival USING btree (account_id, digest);
ALTER TABLE held_arrival ENABLE ROW LEVEL SECURITY;
ALTER TABLE held_arrival FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON held_arrival FOR ALL TO kaitaku_service USING (true);
CREATE POLICY no_events ON held_arrival AS RESTRICTIVE FOR SELECT TO kaitaku_api USING ((kind <> 'events'::text));
CREATE POLICY own ON held_arrival FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT ON held_arrival TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON held_arrival TO kaitaku_service;

CREATE TABLE import_line (
  account_id bigint NOT NULL,
  file_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  file_row integer NOT NULL,
  first_row integer,
  prospect_id bigint,
  company_name text,
  column_label text DEFAULT ''::text NOT NULL,
  value text DEFAULT ''::text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  changes jsonb,
  cells text[],
  CONSTRAINT import_line_pkey PRIMARY KEY (account_id, file_id, id),
  CONSTRAINT import_line_account_id_file_id_fkey FOREIGN KEY (account_id, file_id) REFERENCES stored_file(account_id, id) ON DELETE CASCADE
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX import_line_kind_idx ON public.import_line USING btree (account_id, file_id, kind, file_row, id);
ALTER TABLE import_line ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_line FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON import_line FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON import_line FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON import_line TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON import_line TO kaitaku_service;

CREATE TABLE import_mapping (
  account_id bigint NOT NULL,
  heading_hash bytea NOT NULL,
  columns jsonb NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT import_mapping_pkey PRIMARY KEY (account_id, heading_hash),
  CONSTRAINT import_mapping_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
ALTER TABLE import_mapping ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_mapping FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON import_mapping FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON import_mapping FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON import_mapping TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON import_mapping TO kaitaku_service;

CREATE TABLE import_run (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  file_name text NOT NULL,
  encoding text,
  rows_read integer NOT NULL,
  rows_added integer NOT NULL,
  rows_updated integer NOT NULL,
  rows_refused integer NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  state text DEFAULT 'imported'::text NOT NULL,
  file_id bigint,
  file_bytes bigint,
  head_sha256 text,
  settings jsonb,
  review jsonb,
  job_id bigint,
  rows_unchanged integer DEFAULT 0 NOT NULL,
  imported_at timestamp with time zone,
  undone jsonb,
  sender_group_id bigint,
  rows_repeated integer DEFAULT 0 NOT NULL,
  rows_closed integer DEFAULT 0 NOT NULL,
  people_added integer,
  people_updated integer,
  people_unchanged integer,
  CONSTRAINT import_run_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT import_run_account_id_file_id_fkey FOREIGN KEY (account_id, file_id) REFERENCES stored_file(account_id, id) ON DELETE SET NULL (file_id),
  CONSTRAINT import_run_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT import_run_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT import_run_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id),
  CONSTRAINT import_run_state_check CHECK ((state = ANY (ARRAY['uploading'::text, 'uploaded'::text, 'checked'::text, 'imported'::text, 'undone'::text])))
);
CREATE INDEX import_run_file_idx ON public.import_run USING btree (account_id, file_id) WHERE (file_id IS NOT NULL);
ALTER TABLE import_run ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_run FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON import_run FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON import_run FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON import_run TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON import_run TO kaitaku_service;

CREATE TABLE inbox (
  name text NOT NULL,
  uid_validity bigint,
  last_uid bigint DEFAULT 0 NOT NULL,
  worker_id uuid,
  lease_until timestamp with time zone,
  tried_at timestamp with time zone DEFAULT now() NOT NULL,
  read_at timestamp with time zone,
  fault text,
  mails bigint DEFAULT 0 NOT NULL,
  unmatched bigint DEFAULT 0 NOT NULL,
  skipped bigint DEFAULT 0 NOT NULL,
  since timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_pkey PRIMARY KEY (name),
  CONSTRAINT inbox_fault_check CHECK ((fault = ANY (ARRAY['connection'::text, 'login'::text, 'mailbox'::text, 'other'::text])))
);
GRANT INSERT, SELECT, UPDATE ON inbox TO kaitaku_service;
GRANT SELECT (tried_at, read_at, fault, mails, unmatched, skipped) ON inbox TO kaitaku_api;

CREATE TABLE inbox_parse (
  mailbox text NOT NULL,
  mail text NOT NULL,
  tries smallint NOT NULL,
  worker_id uuid,
  begun_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT inbox_parse_pkey PRIMARY KEY (mailbox, mail)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON inbox_parse TO kaitaku_service;

CREATE TABLE industry (
  account_id bigint NOT NULL,
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name_search text NOT NULL,
  name text,
  CONSTRAINT industry_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT industry_account_id_name_search_key UNIQUE (account_id, name_search),
  CONSTRAINT industry_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
ALTER TABLE industry ENABLE ROW LEVEL SECURITY;
ALTER TABLE industry FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON industry FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON industry FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON industry TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON industry TO kaitaku_service;

CREATE TABLE installation (
  only_row boolean DEFAULT true NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  server text,
  server_since timestamp with time zone,
  rewound_at timestamp with time zone,
  setup_key_hash bytea,
  setup_expires_at timestamp with time zone,
  domain_round_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
  restored_from timestamp with time zone,
  receipts_until timestamp with time zone,
  cell integer DEFAULT 0 NOT NULL,
  held_at timestamp with time zone,
  secret_key integer,
  CONSTRAINT installation_pkey PRIMARY KEY (only_row),
  CONSTRAINT installation_cell_check CHECK (((cell >= 0) AND (cell <= 999))),
  CONSTRAINT installation_only_row_check CHECK (only_row)
);
CREATE TRIGGER notice_of_rewind AFTER UPDATE ON public.installation FOR EACH ROW WHEN (((old.rewound_at IS NULL) AND (new.rewound_at IS NOT NULL))) EXECUTE FUNCTION note_stop_of_all();
GRANT SELECT, UPDATE ON installation TO kaitaku_service;
GRANT SELECT (only_row, rewound_at, setup_key_hash, setup_expires_at, secret_key) ON installation TO kaitaku_api;
GRANT UPDATE (setup_key_hash, setup_expires_at, secret_key) ON installation TO kaitaku_api;
GRANT SELECT (only_row, setup_key_hash, setup_expires_at, secret_key) ON installation TO kaitaku_login;
GRANT UPDATE (setup_key_hash, setup_expires_at) ON installation TO kaitaku_login;

CREATE TABLE invitation (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  sender_group_ids bigint[],
  invited_by bigint,
  member_id bigint,
  secret_hash bytea,
  expires_at timestamp with time zone NOT NULL,
  mail_state text DEFAULT 'sending'::text NOT NULL,
  asked_at timestamp with time zone DEFAULT now() NOT NULL,
  accepted_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT invitation_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT invitation_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT invitation_account_id_invited_by_fkey FOREIGN KEY (account_id, invited_by) REFERENCES member(account_id, id) ON DELETE SET NULL (invited_by),
  CONSTRAINT invitation_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT invitation_mail_state_check CHECK ((mail_state = ANY (ARRAY['sending'::text, 'sent'::text, 'failed'::text, 'caught'::text]))),
  CONSTRAINT invitation_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'sales'::text, 'viewer'::text])))
);
CREATE INDEX invitation_invited_by_idx ON public.invitation USING btree (account_id, invited_by);
CREATE INDEX invitation_member_idx ON public.invitation USING btree (account_id, member_id);
CREATE UNIQUE INDEX invitation_open_key ON public.invitation USING btree (account_id, lower(email)) WHERE ((accepted_at IS NULL) AND (cancelled_at IS NULL));
CREATE UNIQUE INDEX invitation_secret_key ON public.invitation USING btree (secret_hash);
ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
ALTER TABLE invitation FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON invitation FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON invitation FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON invitation FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON invitation TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON invitation TO kaitaku_service;
GRANT SELECT (account_id, id, secret_hash, expires_at) ON invitation TO kaitaku_login;

CREATE TABLE job (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  state text DEFAULT 'queued'::text NOT NULL,
  input jsonb NOT NULL,
  done bigint DEFAULT 0 NOT NULL,
  total bigint,
  result jsonb,
  member_id bigint,
  claim_no integer DEFAULT 0 NOT NULL,
  lease_until timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT job_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT job_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT job_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT job_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text, 'cancelled'::text])))
);
CREATE INDEX job_finished_idx ON public.job USING btree (finished_at);
CREATE INDEX job_open_idx ON public.job USING btree (state, account_id, id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE TRIGGER announce_job AFTER INSERT ON public.job FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER notice_of_import AFTER UPDATE ON public.job FOR EACH ROW WHEN (((new.kind = 'import_run'::text) AND (new.state = ANY (ARRAY['done'::text, 'failed'::text])) AND (old.state = 'running'::text))) EXECUTE FUNCTION note_event('import_ended');
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
ALTER TABLE job FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON job FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON job FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON job TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON job TO kaitaku_service;

CREATE TABLE label (
  account_id bigint NOT NULL,
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  field_id integer,
  label text NOT NULL,
  label_key text COLLATE "C" NOT NULL,
  colour smallint DEFAULT 0 NOT NULL,
  "position" smallint DEFAULT 0 NOT NULL,
  archived_at timestamp with time zone,
  CONSTRAINT label_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT label_account_id_field_id_label_key_key UNIQUE NULLS NOT DISTINCT (account_id, field_id, label_key),
  CONSTRAINT label_account_id_field_id_fkey FOREIGN KEY (account_id, field_id) REFERENCES custom_field(account_id, id),
  CONSTRAINT label_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT label_colour_check CHECK (((colour >= 0) AND (colour <= 7)))
);
ALTER TABLE label ENABLE ROW LEVEL SECURITY;
ALTER TABLE label FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON label FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON label FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON label TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON label TO kaitaku_service;

CREATE TABLE label_set (
  account_id bigint NOT NULL,
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  members text COLLATE "C" NOT NULL,
  CONSTRAINT label_set_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT label_set_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT label_set_members_check CHECK ((members ~ '^,([0-9]+,)+$'::text))
);
CREATE INDEX label_set_members_idx ON public.label_set USING btree (account_id, members);
ALTER TABLE label_set ENABLE ROW LEVEL SECURITY;
ALTER TABLE label_set FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON label_set FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON label_set FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT, UPDATE ON label_set TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON label_set TO kaitaku_service;

CREATE TABLE legal_profile (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  official_name text DEFAULT ''::text NOT NULL,
  department text DEFAULT ''::text NOT NULL,
  postal_code text DEFAULT ''::text NOT NULL,
  postal_address text DEFAULT ''::text NOT NULL,
  contact_phone text DEFAULT ''::text NOT NULL,
  contact_email text DEFAULT ''::text NOT NULL,
  contact_url text DEFAULT ''::text NOT NULL,
  refusal_email text DEFAULT ''::text NOT NULL,
  privacy_url text DEFAULT ''::text NOT NULL,
  basis text DEFAULT 'published'::text NOT NULL,
  confirmed_at timestamp with time zone,
  confirmed_by bigint,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  CONSTRAINT legal_profile_pkey PRIMARY KEY (account_id, sender_group_id),
  CONSTRAINT legal_profile_account_id_confirmed_by_fkey FOREIGN KEY (account_id, confirmed_by) REFERENCES member(account_id, id) ON DELETE SET NULL (confirmed_by),
  CONSTRAINT legal_profile_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT legal_profile_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id) ON DELETE CASCADE,
  CONSTRAINT legal_profile_basis_check CHECK ((basis = ANY (ARRAY['published'::text, 'consent'::text, 'notified'::text, 'relation'::text])))
);
ALTER TABLE legal_profile ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_profile FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON legal_profile FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON legal_profile FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON legal_profile TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON legal_profile TO kaitaku_service;

CREATE TABLE lifted_suppression (
  account_id bigint NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  lifted_at timestamp with time zone DEFAULT now() NOT NULL,
  lifted_by bigint,
  lift_reason text,
  consented_on date,
  lift_note text DEFAULT ''::text NOT NULL,
  CONSTRAINT lifted_suppression_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT lifted_suppression_account_id_delivery_id_fkey FOREIGN KEY (account_id, delivery_id) REFERENCES delivery(account_id, id) ON DELETE SET NULL (delivery_id),
  CONSTRAINT lifted_suppression_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT lifted_suppression_account_id_lifted_by_fkey FOREIGN KEY (account_id, lifted_by) REFERENCES member(account_id, id) ON DELETE SET NULL (lifted_by),
  CONSTRAINT lifted_suppression_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT lifted_suppression_lift_reason_check CHECK ((lift_reason = ANY (ARRAY['asked_again'::text, 'mistake'::text, 'undone'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX lifted_suppression_delivery_idx ON public.lifted_suppression USING btree (account_id, delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE TRIGGER note_undone_refusal AFTER INSERT ON public.lifted_suppression FOR EACH ROW WHEN ((new.lift_reason = 'undone'::text)) EXECUTE FUNCTION note_undone_refusal();
ALTER TABLE lifted_suppression ENABLE ROW LEVEL SECURITY;
ALTER TABLE lifted_suppression FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON lifted_suppression FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON lifted_suppression FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON lifted_suppression TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON lifted_suppression TO kaitaku_service;

CREATE TABLE mail_retention (
  account_id bigint NOT NULL,
  months smallint NOT NULL,
  send_log_id bigint,
  after_prospect_id bigint DEFAULT 0 NOT NULL,
  next_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  CONSTRAINT mail_retention_pkey PRIMARY KEY (account_id),
  CONSTRAINT mail_retention_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT mail_retention_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT mail_retention_months_check CHECK (((months >= 6) AND (months <= 120)))
);
CREATE INDEX mail_retention_next_idx ON public.mail_retention USING btree (next_at);
ALTER TABLE mail_retention ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_retention FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON mail_retention FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON mail_retention FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_retention TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_retention TO kaitaku_service;

CREATE TABLE mail_template (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  sendgrid_template_id text,
  member_id bigint,
  subject text DEFAULT ''::text NOT NULL,
  editor text DEFAULT 'html'::text NOT NULL,
  text_follows boolean DEFAULT false NOT NULL,
  folder_id bigint,
  archived_at timestamp with time zone,
  sendgrid_footer_confirmed_at timestamp with time zone,
  CONSTRAINT mail_template_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT mail_template_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT mail_template_account_id_folder_id_fkey FOREIGN KEY (account_id, folder_id) REFERENCES mail_template_folder(account_id, id),
  CONSTRAINT mail_template_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT mail_template_editor_check CHECK ((editor = ANY (ARRAY['rich'::text, 'html'::text, 'text'::text]))),
  CONSTRAINT mail_template_sendgrid_template_id_check CHECK ((sendgrid_template_id ~ '^d-[0-9a-f]{32}$'::text))
);
CREATE TRIGGER keep_first_version AFTER INSERT ON public.mail_template FOR EACH ROW EXECUTE FUNCTION keep_template_version();
CREATE TRIGGER keep_version AFTER UPDATE ON public.mail_template FOR EACH ROW WHEN (((((((old.name IS DISTINCT FROM new.name) OR (old.subject IS DISTINCT FROM new.subject)) OR (old.text_body IS DISTINCT FROM new.text_body)) OR (old.html_body IS DISTINCT FROM new.html_body)) OR (old.editor IS DISTINCT FROM new.editor)) OR (old.text_follows IS DISTINCT FROM new.text_follows))) EXECUTE FUNCTION keep_template_version();
ALTER TABLE mail_template ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_template FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON mail_template FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON mail_template FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_template TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_template TO kaitaku_service;

CREATE TABLE mail_template_folder (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT mail_template_folder_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT mail_template_folder_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
ALTER TABLE mail_template_folder ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_template_folder FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON mail_template_folder FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON mail_template_folder FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_template_folder TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_template_folder TO kaitaku_service;

CREATE TABLE mail_template_version (
  account_id bigint NOT NULL,
  template_id bigint NOT NULL,
  number integer NOT NULL,
  name text NOT NULL,
  subject text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  editor text NOT NULL,
  text_follows boolean NOT NULL,
  member_id bigint,
  at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT mail_template_version_pkey PRIMARY KEY (account_id, template_id, number),
  CONSTRAINT mail_template_version_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT mail_template_version_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES mail_template(account_id, id) ON DELETE CASCADE
);
ALTER TABLE mail_template_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_template_version FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON mail_template_version FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON mail_template_version FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_template_version TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON mail_template_version TO kaitaku_service;

CREATE TABLE mailbox (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  owner_id bigint,
  smtp_host text NOT NULL,
  smtp_port integer NOT NULL,
  security text NOT NULL,
  username text NOT NULL,
  imap_host text,
  reads_replies boolean DEFAULT false NOT NULL,
  takes_refusals boolean DEFAULT false NOT NULL,
  other_from text[] DEFAULT '{}'::text[] NOT NULL,
  ids text DEFAULT 'unknown'::text NOT NULL,
  secret bytea,
  secret_key integer,
  token_expires_at timestamp with time zone,
  token_lease uuid,
  token_lease_until timestamp with time zone,
  per_minute integer NOT NULL,
  per_day integer NOT NULL,
  state text DEFAULT 'unchecked'::text NOT NULL,
  checked_at timestamp with time zone,
  version integer DEFAULT 1 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT mailbox_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT mailbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT mailbox_account_id_owner_id_fkey FOREIGN KEY (account_id, owner_id) REFERENCES member(account_id, id) ON DELETE SET NULL (owner_id),
  CONSTRAINT mailbox_check CHECK (((NOT reads_replies) OR (imap_host IS NOT NULL))),
  CONSTRAINT mailbox_check1 CHECK (((secret IS NULL) = (secret_key IS NULL))),
  CONSTRAINT mailbox_ids_check CHECK ((ids = ANY (ARRAY['unknown'::text, 'kept'::text, 'replaced'::text, 'lost'::text]))),
  CONSTRAINT mailbox_kind_check CHECK ((kind = ANY (ARRAY['smtp'::text, 'google'::text, 'microsoft'::text]))),
  CONSTRAINT mailbox_other_from_check CHECK ((cardinality(other_from) <= 20)),
  CONSTRAINT mailbox_per_day_check CHECK (((per_day >= 1) AND (per_day <= 10000))),
  CONSTRAINT mailbox_per_minute_check CHECK (((per_minute >= 1) AND (per_minute <= 60))),
  CONSTRAINT mailbox_security_check CHECK ((security = ANY (ARRAY['tls'::text, 'starttls'::text]))),
  CONSTRAINT mailbox_smtp_port_check CHECK ((smtp_port = ANY (ARRAY[465, 587, 2525]))),
  CONSTRAINT mailbox_state_check CHECK ((state = ANY (ARRAY['unchecked'::text, 'ok'::text, 'reconnect'::text, 'off'::text])))
);
CREATE UNIQUE INDEX mailbox_address_key ON public.mailbox USING btree (account_id, lower((address COLLATE "C")));
CREATE INDEX mailbox_owner_idx ON public.mailbox USING btree (account_id, owner_id);
CREATE TRIGGER notice_of_mailbox AFTER UPDATE ON public.mailbox FOR EACH ROW WHEN (((old.state = 'ok'::text) AND (new.state = 'reconnect'::text))) EXECUTE FUNCTION note_event('mailbox_lost');
ALTER TABLE mailbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE mailbox FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON mailbox FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON mailbox FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT, UPDATE ON mailbox TO kaitaku_api;
GRANT DELETE, SELECT, UPDATE ON mailbox TO kaitaku_service;

CREATE TABLE mailbox_state (
  account_id bigint NOT NULL,
  mailbox_id bigint NOT NULL,
  paused_until timestamp with time zone,
  told_until timestamp with time zone,
  pauses integer DEFAULT 0 NOT NULL,
  why text,
  last_fault text,
  login_refusals integer DEFAULT 0 NOT NULL,
  max_mail_bytes bigint,
  uid_validity bigint,
  last_uid bigint,
  reads_from timestamp with time zone,
  read_at timestamp with time zone,
  read_fault text,
  reader_id uuid,
  reader_until timestamp with time zone,
  CONSTRAINT mailbox_state_pkey PRIMARY KEY (account_id, mailbox_id),
  CONSTRAINT mailbox_state_account_id_mailbox_id_fkey FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox(account_id, id) ON DELETE CASCADE,
  CONSTRAINT mailbox_state_why_check CHECK ((why = ANY (ARRAY['fault'::text, 'limited'::text, 'crowded'::text, 'log_in'::text])))
);
ALTER TABLE mailbox_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE mailbox_state FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON mailbox_state FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON mailbox_state FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT, UPDATE ON mailbox_state TO kaitaku_api;
GRANT DELETE, SELECT, UPDATE ON mailbox_state TO kaitaku_service;

CREATE TABLE member (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  email text NOT NULL,
  email_before_confirmation text,
  name text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  first_steps_dismissed_at timestamp with time zone,
  last_login_at timestamp with time zone,
  deactivated_at timestamp with time zone,
  deactivated_by bigint,
  CONSTRAINT member_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT member_account_id_deactivated_by_fkey FOREIGN KEY (account_id, deactivated_by) REFERENCES member(account_id, id) ON DELETE SET NULL (deactivated_by),
  CONSTRAINT member_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT member_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'sales'::text, 'viewer'::text])))
);
CREATE UNIQUE INDEX member_email_key ON public.member USING btree (lower(email));
CREATE TRIGGER add_notice_member AFTER INSERT ON public.member FOR EACH ROW EXECUTE FUNCTION add_notice_member();
ALTER TABLE member ENABLE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON member FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON member FOR ALL TO kaitaku_login USING (true);
CREATE POLICY moved ON member AS RESTRICTIVE FOR DELETE TO kaitaku_service USING ((EXISTS ( SELECT
   FROM account
  WHERE ((account.id = member.account_id) AND (account.moved_at < (now() - '7 days'::interval))))));
CREATE POLICY own ON member FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT ON member TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON member TO kaitaku_service;
GRANT UPDATE (email, email_before_confirmation, name, password_hash, role, active, updated_at, first_steps_dismissed_at, deactivated_at, deactivated_by) ON member TO kaitaku_api;
GRANT SELECT (account_id, id, email, password_hash, role, active) ON member TO kaitaku_login;
GRANT UPDATE (password_hash, last_login_at) ON member TO kaitaku_login;

CREATE TABLE member_group (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  CONSTRAINT member_group_pkey PRIMARY KEY (account_id, member_id, sender_group_id),
  CONSTRAINT member_group_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE,
  CONSTRAINT member_group_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
);
CREATE INDEX member_group_sender_group_idx ON public.member_group USING btree (account_id, sender_group_id);
ALTER TABLE member_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE member_group FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON member_group FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON member_group FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT ON member_group TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON member_group TO kaitaku_service;

CREATE TABLE member_totp (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  secret bytea NOT NULL,
  secret_key integer NOT NULL,
  confirmed_at timestamp with time zone,
  last_step bigint DEFAULT 0 NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  tried_at timestamp with time zone,
  CONSTRAINT member_totp_pkey PRIMARY KEY (account_id, member_id),
  CONSTRAINT member_totp_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE
);
ALTER TABLE member_totp ENABLE ROW LEVEL SECURITY;
ALTER TABLE member_totp FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON member_totp FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON member_totp FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON member_totp FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON member_totp TO kaitaku_api;
GRANT SELECT ON member_totp TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON member_totp TO kaitaku_service;
GRANT UPDATE (last_step, tries, tried_at) ON member_totp TO kaitaku_login;

CREATE TABLE moved_mail (
  account_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  mail_key uuid NOT NULL,
  message_uuid uuid,
  is_test boolean NOT NULL,
  CONSTRAINT moved_mail_pkey PRIMARY KEY (account_id, delivery_id),
  CONSTRAINT moved_mail_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE INDEX moved_mail_key_idx ON public.moved_mail USING btree (mail_key);
CREATE INDEX moved_mail_message_idx ON public.moved_mail USING btree (message_uuid);
ALTER TABLE moved_mail ENABLE ROW LEVEL SECURITY;
ALTER TABLE moved_mail FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON moved_mail FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON moved_mail FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON moved_mail FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT SELECT ON moved_mail TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON moved_mail TO kaitaku_service;
GRANT SELECT (account_id, delivery_id, mail_key) ON moved_mail TO kaitaku_login;

CREATE TABLE notice (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  member_id bigint NOT NULL,
  kind text NOT NULL,
  count integer NOT NULL,
  subjects bigint[] NOT NULL,
  percent smallint,
  first_at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  read_at timestamp with time zone,
  on_screen boolean NOT NULL,
  mailed integer DEFAULT 0 NOT NULL,
  mailing integer,
  mail_due_at timestamp with time zone,
  mailed_at timestamp with time zone,
  CONSTRAINT notice_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT notice_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES notice_member(account_id, member_id) ON DELETE CASCADE
);
CREATE INDEX notice_age_idx ON public.notice USING btree (last_at);
CREATE INDEX notice_mail_idx ON public.notice USING btree (mail_due_at) WHERE (mail_due_at IS NOT NULL);
CREATE INDEX notice_mailed_idx ON public.notice USING btree (account_id, member_id, kind, mailed_at) WHERE (mailed_at IS NOT NULL);
CREATE INDEX notice_member_idx ON public.notice USING btree (account_id, member_id, last_at, id) WHERE on_screen;
CREATE INDEX notice_unread_idx ON public.notice USING btree (account_id, member_id, kind) WHERE (read_at IS NULL);
ALTER TABLE notice ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON notice FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON notice FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notice TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON notice TO kaitaku_service;

CREATE TABLE notice_event (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  subject_id bigint,
  from_percent smallint,
  percent smallint,
  at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT notice_event_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT notice_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT notice_event_kind_check CHECK ((kind = ANY (ARRAY['run_ended'::text, 'failures'::text, 'stopped'::text, 'reservation_missed'::text, 'reply'::text, 'doubtful_reply'::text, 'refusal'::text, 'import_ended'::text, 'domain_bad'::text, 'mailbox_lost'::text, 'restored'::text, 'receipts_unwritable'::text, 'failed_mails'::text])))
);
ALTER TABLE notice_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice_event FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON notice_event FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON notice_event FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notice_event TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON notice_event TO kaitaku_service;

CREATE TABLE notice_member (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  screen_off text[] DEFAULT '{}'::text[] NOT NULL,
  mail_off text[] DEFAULT '{run_ended,import_ended}'::text[] NOT NULL,
  failure_percent smallint DEFAULT 10 NOT NULL,
  morning_summary boolean DEFAULT true NOT NULL,
  summary_on date DEFAULT ((now() AT TIME ZONE 'Asia/Tokyo'::text))::date NOT NULL,
  mail_claim_no integer DEFAULT 0 NOT NULL,
  mail_lease_until timestamp with time zone,
  mailing_summary date,
  mail_attempts smallint DEFAULT 0 NOT NULL,
  mail_not_before timestamp with time zone DEFAULT now() NOT NULL,
  mail_lost boolean DEFAULT false NOT NULL,
  CONSTRAINT notice_member_pkey PRIMARY KEY (account_id, member_id),
  CONSTRAINT notice_member_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE,
  CONSTRAINT notice_member_failure_percent_check CHECK (((failure_percent >= 1) AND (failure_percent <= 99)))
);
ALTER TABLE notice_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE notice_member FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON notice_member FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON notice_member FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notice_member TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON notice_member TO kaitaku_service;

CREATE TABLE oauth_app (
  account_id bigint NOT NULL,
  provider text NOT NULL,
  client_id text NOT NULL,
  tenant text,
  secret bytea NOT NULL,
  secret_key integer NOT NULL,
  fault text,
  CONSTRAINT oauth_app_pkey PRIMARY KEY (account_id, provider),
  CONSTRAINT oauth_app_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT oauth_app_check CHECK (((tenant IS NOT NULL) = (provider = 'microsoft'::text))),
  CONSTRAINT oauth_app_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'microsoft'::text])))
);
ALTER TABLE oauth_app ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_app FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON oauth_app FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON oauth_app FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT, UPDATE ON oauth_app TO kaitaku_api;
GRANT DELETE, SELECT, UPDATE ON oauth_app TO kaitaku_service;

CREATE TABLE oauth_start (
  account_id bigint NOT NULL,
  state_hash bytea NOT NULL,
  member_id bigint NOT NULL,
  mailbox_id bigint NOT NULL,
  redirect_uri text NOT NULL,
  verifier text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT oauth_start_pkey PRIMARY KEY (account_id, state_hash),
  CONSTRAINT oauth_start_account_id_mailbox_id_fkey FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox(account_id, id) ON DELETE CASCADE,
  CONSTRAINT oauth_start_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE
);
CREATE INDEX oauth_start_mailbox_idx ON public.oauth_start USING btree (account_id, mailbox_id);
CREATE INDEX oauth_start_member_idx ON public.oauth_start USING btree (account_id, member_id);
ALTER TABLE oauth_start ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_start FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON oauth_start FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON oauth_start FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON oauth_start TO kaitaku_api;
GRANT DELETE, SELECT, UPDATE ON oauth_start TO kaitaku_service;

CREATE TABLE oidc (
  account_id bigint NOT NULL,
  provider text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  secret bytea NOT NULL,
  secret_key integer NOT NULL,
  domains text[] NOT NULL,
  link_key bytea NOT NULL,
  active boolean NOT NULL,
  CONSTRAINT oidc_pkey PRIMARY KEY (account_id),
  CONSTRAINT oidc_link_key_key UNIQUE (link_key),
  CONSTRAINT oidc_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT oidc_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'microsoft'::text, 'other'::text])))
);
ALTER TABLE oidc ENABLE ROW LEVEL SECURITY;
ALTER TABLE oidc FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON oidc FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON oidc FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON oidc FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON oidc TO kaitaku_api;
GRANT SELECT ON oidc TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON oidc TO kaitaku_service;

CREATE TABLE oidc_start (
  account_id bigint NOT NULL,
  state_hash bytea NOT NULL,
  nonce text NOT NULL,
  verifier text NOT NULL,
  browser_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT oidc_start_pkey PRIMARY KEY (account_id, state_hash),
  CONSTRAINT oidc_start_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX oidc_start_state_idx ON public.oidc_start USING btree (state_hash);
ALTER TABLE oidc_start ENABLE ROW LEVEL SECURITY;
ALTER TABLE oidc_start FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON oidc_start FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON oidc_start FOR ALL TO kaitaku_login USING (true);
GRANT DELETE, INSERT, SELECT ON oidc_start TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON oidc_start TO kaitaku_service;

CREATE TABLE password_reset (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  secret_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT password_reset_pkey PRIMARY KEY (account_id, member_id),
  CONSTRAINT password_reset_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE
);
CREATE INDEX password_reset_secret_idx ON public.password_reset USING btree (secret_hash);
ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;
ALTER TABLE password_reset FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON password_reset FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON password_reset FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON password_reset FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON password_reset TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON password_reset TO kaitaku_service;
GRANT SELECT (account_id, member_id, secret_hash, expires_at) ON password_reset TO kaitaku_login;

CREATE TABLE person (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  prospect_id bigint NOT NULL,
  name text DEFAULT ''::text NOT NULL,
  name_key text COLLATE "C" DEFAULT ''::text NOT NULL,
  department text COLLATE "C" DEFAULT ''::text NOT NULL,
  title text DEFAULT ''::text NOT NULL,
  phone text,
  met_on date,
  email text COLLATE "C",
  email_search text COLLATE "C",
  email_domain text GENERATED ALWAYS AS (split_part(email_search, '@'::text, '-1'::integer)) STORED,
  archived_at timestamp with time zone,
  import_run_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT person_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT person_account_id_prospect_id_name_key_department_email_sea_key UNIQUE NULLS NOT DISTINCT (account_id, prospect_id, name_key, department, email_search) DEFERRABLE,
  CONSTRAINT person_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT person_check CHECK (((name <> ''::text) OR (department <> ''::text) OR (title <> ''::text) OR (email IS NOT NULL) OR (phone IS NOT NULL)))
);
CREATE INDEX person_domain_idx ON public.person USING btree (account_id, email_domain COLLATE "C") WHERE (email_domain IS NOT NULL);
CREATE INDEX person_email_idx ON public.person USING btree (account_id, email_search) WHERE (email_search IS NOT NULL);
CREATE INDEX person_import_idx ON public.person USING btree (account_id, import_run_id) WHERE (import_run_id IS NOT NULL);
CREATE INDEX person_name_idx ON public.person USING btree (account_id, name_key, id) WHERE (name_key <> ''::text);
CREATE TRIGGER recall_suppressions_inserted AFTER INSERT ON public.person REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
CREATE TRIGGER recall_suppressions_updated AFTER UPDATE ON public.person REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
ALTER TABLE person ENABLE ROW LEVEL SECURITY;
ALTER TABLE person FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON person FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON person FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON person TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON person TO kaitaku_service;

CREATE TABLE prospect (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  identity_key text NOT NULL,
  company_name text COLLATE "C" NOT NULL,
  company_email text COLLATE "C",
  ceo text COLLATE "C",
  year_of_establishment integer,
  address text COLLATE "C",
  amount_of_sales bigint,
  capital bigint,
  number_of_employees bigint,
  ordinary_profit bigint,
  company_url text COLLATE "C",
  contact_url text COLLATE "C",
  major_industry_type text COLLATE "C",
  included_industry_type text COLLATE "C",
  address_search text,
  email_search text,
  major_industry_id integer,
  included_industry_id integer,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  has_company_url boolean GENERATED ALWAYS AS ((COALESCE(company_url, ''::text) <> ''::text)) STORED NOT NULL,
  has_contact_url boolean GENERATED ALWAYS AS ((COALESCE(contact_url, ''::text) <> ''::text)) STORED NOT NULL,
  corporate_number text COLLATE "C",
  archived_at timestamp with time zone,
  import_run_id bigint,
  published_at_url text COLLATE "C",
  published_seen_on date,
  publication_notice text COLLATE "C",
  email_domain text GENERATED ALWAYS AS (split_part(email_search, '@'::text, '-1'::integer)) STORED,
  phone text COLLATE "C",
  external_id text COLLATE "C",
  person_id bigint,
  person_email text COLLATE "C",
  person_email_search text COLLATE "C",
  CONSTRAINT prospect_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT prospect_account_id_identity_key_key UNIQUE (account_id, identity_key),
  CONSTRAINT prospect_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT prospect_check CHECK (((person_email IS NULL) OR (person_id IS NOT NULL))),
  CONSTRAINT prospect_corporate_number_check CHECK ((corporate_number ~ '^[1-9][0-9]{12}$'::text)),
  CONSTRAINT prospect_publication_notice_check CHECK ((publication_notice = ANY (ARRAY['none'::text, 'refused'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX prospect_address_idx ON public.prospect USING btree (account_id, address, id) WHERE (archived_at IS NULL);
CREATE INDEX prospect_archived_email_idx ON public.prospect USING btree (account_id, email_search COLLATE "C") WHERE (archived_at IS NOT NULL);
CREATE INDEX prospect_archived_idx ON public.prospect USING btree (account_id, id) WHERE (archived_at IS NOT NULL);
CREATE INDEX prospect_capital_idx ON public.prospect USING btree (account_id, capital, id) WHERE (archived_at IS NULL);
CREATE INDEX prospect_company_name_idx ON public.prospect USING btree (account_id, company_name, id) WHERE (archived_at IS NULL);
CREATE UNIQUE INDEX prospect_corporate_number_key ON public.prospect USING btree (account_id, corporate_number) WHERE (corporate_number IS NOT NULL);
CREATE INDEX prospect_domain_idx ON public.prospect USING btree (account_id, email_domain COLLATE "C") WHERE (email_domain IS NOT NULL);
CREATE INDEX prospect_email_idx ON public.prospect USING btree (account_id, email_search COLLATE "C", id) INCLUDE (person_email_search) WHERE (archived_at IS NULL);
CREATE INDEX prospect_employees_idx ON public.prospect USING btree (account_id, number_of_employees, id) WHERE (archived_at IS NULL);
CREATE UNIQUE INDEX prospect_external_id_key ON public.prospect USING btree (account_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX prospect_included_industry_idx ON public.prospect USING btree (account_id, included_industry_type);
CREATE INDEX prospect_major_industry_idx ON public.prospect USING btree (account_id, major_industry_type);
CREATE INDEX prospect_notice_idx ON public.prospect USING btree (account_id, id) WHERE (publication_notice = 'refused'::text);
CREATE INDEX prospect_person_email_idx ON public.prospect USING btree (account_id, person_email_search, id) WHERE ((archived_at IS NULL) AND (person_email_search IS NOT NULL));
CREATE INDEX prospect_sales_idx ON public.prospect USING btree (account_id, amount_of_sales, id) WHERE (archived_at IS NULL);
CREATE TRIGGER keep_search_deleted AFTER DELETE ON public.prospect REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER keep_search_inserted AFTER INSERT ON public.prospect REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER keep_search_truncated AFTER TRUNCATE ON public.prospect FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER keep_search_updated AFTER UPDATE ON public.prospect REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER recall_suppressions_inserted AFTER INSERT ON public.prospect REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
CREATE TRIGGER recall_suppressions_updated AFTER UPDATE ON public.prospect REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
CREATE TRIGGER share_new_address_inserted AFTER INSERT ON public.prospect REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION share_new_address();
CREATE TRIGGER share_new_address_updated AFTER UPDATE ON public.prospect REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION share_new_address();
ALTER TABLE prospect ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON prospect FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON prospect FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect TO kaitaku_service;

CREATE TABLE prospect_change (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  prospect_id bigint NOT NULL,
  at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  import_run_id bigint,
  sender_group_id bigint,
  kind text NOT NULL,
  changes jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT prospect_change_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT prospect_change_account_id_import_run_id_fkey FOREIGN KEY (account_id, import_run_id) REFERENCES import_run(account_id, id),
  CONSTRAINT prospect_change_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT prospect_change_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT prospect_change_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX prospect_change_import_idx ON public.prospect_change USING btree (account_id, import_run_id) WHERE (import_run_id IS NOT NULL);
CREATE INDEX prospect_change_prospect_idx ON public.prospect_change USING btree (account_id, prospect_id, id);
ALTER TABLE prospect_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect_change FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON prospect_change FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON prospect_change FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_change TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_change TO kaitaku_service;

CREATE TABLE prospect_own (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  owner_id bigint,
  label_set_id integer,
  vals jsonb DEFAULT '{}'::jsonb NOT NULL,
  text_search jsonb DEFAULT '{}'::jsonb NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT prospect_own_pkey PRIMARY KEY (account_id, prospect_id),
  CONSTRAINT prospect_own_account_id_label_set_id_fkey FOREIGN KEY (account_id, label_set_id) REFERENCES label_set(account_id, id),
  CONSTRAINT prospect_own_account_id_owner_id_fkey FOREIGN KEY (account_id, owner_id) REFERENCES member(account_id, id) ON DELETE SET NULL (owner_id),
  CONSTRAINT prospect_own_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE
);
CREATE INDEX prospect_own_labels_idx ON public.prospect_own USING btree (account_id, label_set_id, prospect_id) WHERE (label_set_id IS NOT NULL);
CREATE INDEX prospect_own_owner_idx ON public.prospect_own USING btree (account_id, owner_id, prospect_id) WHERE (owner_id IS NOT NULL);
ALTER TABLE prospect_own ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect_own FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON prospect_own FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON prospect_own FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_own TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_own TO kaitaku_service;

CREATE TABLE prospect_search (
  account_id bigint NOT NULL,
  id bigint NOT NULL,
  has_company_url boolean NOT NULL,
  has_contact_url boolean NOT NULL,
  address_search text,
  email_search text,
  major_industry_id integer,
  included_industry_id integer,
  year_of_establishment integer,
  amount_of_sales bigint,
  ordinary_profit bigint,
  number_of_employees bigint,
  name_search text,
  person_email_search text COLLATE "C",
  CONSTRAINT prospect_search_pkey PRIMARY KEY (account_id, id)
);
ALTER TABLE prospect_search ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect_search FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON prospect_search FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON prospect_search FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_search TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_search TO kaitaku_service;

CREATE TABLE prospect_total (
  account_id bigint NOT NULL,
  total bigint NOT NULL,
  CONSTRAINT prospect_total_pkey PRIMARY KEY (account_id),
  CONSTRAINT prospect_total_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
ALTER TABLE prospect_total ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect_total FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON prospect_total FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON prospect_total FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_total TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON prospect_total TO kaitaku_service;

CREATE TABLE rate_limit (
  key text NOT NULL,
  points integer DEFAULT 0 NOT NULL,
  expire bigint,
  CONSTRAINT rate_limit_pkey PRIMARY KEY (key)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_limit TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_limit TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON rate_limit TO kaitaku_service;

CREATE TABLE receipt_worker (
  worker_id uuid NOT NULL,
  machine text NOT NULL,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  merged_at timestamp with time zone,
  CONSTRAINT receipt_worker_pkey PRIMARY KEY (worker_id)
);
GRANT DELETE, INSERT, SELECT, UPDATE ON receipt_worker TO kaitaku_service;

CREATE TABLE recorded_contact (
  account_id bigint NOT NULL,
  send_log_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  CONSTRAINT recorded_contact_pkey PRIMARY KEY (account_id, send_log_id, prospect_id),
  CONSTRAINT recorded_contact_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT recorded_contact_account_id_send_log_id_fkey FOREIGN KEY (account_id, send_log_id) REFERENCES send_log(account_id, id)
);
CREATE TRIGGER keep_recorded_address AFTER INSERT ON public.recorded_contact REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_recorded_address();
ALTER TABLE recorded_contact ENABLE ROW LEVEL SECURITY;
ALTER TABLE recorded_contact FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON recorded_contact FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON recorded_contact FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON recorded_contact TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON recorded_contact TO kaitaku_service;

CREATE TABLE recovery_code (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  hash bytea NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_code_pkey PRIMARY KEY (account_id, member_id, hash),
  CONSTRAINT recovery_code_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member_totp(account_id, member_id) ON DELETE CASCADE
);
ALTER TABLE recovery_code ENABLE ROW LEVEL SECURITY;
ALTER TABLE recovery_code FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON recovery_code FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON recovery_code FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON recovery_code FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON recovery_code TO kaitaku_api;
GRANT SELECT ON recovery_code TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON recovery_code TO kaitaku_service;
GRANT UPDATE (used_at) ON recovery_code TO kaitaku_login;

CREATE TABLE reply (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  delivery_id bigint,
  prospect_id bigint NOT NULL,
  kind text NOT NULL,
  from_address text DEFAULT ''::text NOT NULL,
  subject text DEFAULT ''::text NOT NULL,
  excerpt text DEFAULT ''::text NOT NULL,
  message_hash bytea,
  at timestamp with time zone DEFAULT now() NOT NULL,
  handled_at timestamp with time zone,
  is_refusal boolean DEFAULT false NOT NULL,
  member_id bigint,
  handled_by bigint,
  cancels_mails boolean DEFAULT false NOT NULL,
  from_trust text DEFAULT 'none'::text NOT NULL,
  folded_hashes bytea[] DEFAULT '{}'::bytea[] NOT NULL,
  doubted_address text COLLATE "C",
  is_unclear boolean DEFAULT false NOT NULL,
  CONSTRAINT reply_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT reply_account_id_message_hash_key UNIQUE (account_id, message_hash),
  CONSTRAINT reply_account_id_delivery_id_fkey FOREIGN KEY (account_id, delivery_id) REFERENCES delivery(account_id, id) ON DELETE SET NULL (delivery_id),
  CONSTRAINT reply_account_id_handled_by_fkey FOREIGN KEY (account_id, handled_by) REFERENCES member(account_id, id) ON DELETE SET NULL (handled_by),
  CONSTRAINT reply_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT reply_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT reply_excerpt_check CHECK ((char_length(excerpt) <= 500)),
  CONSTRAINT reply_folded_hashes_check CHECK ((cardinality(folded_hashes) <= 1000)),
  CONSTRAINT reply_from_trust_check CHECK ((from_trust = ANY (ARRAY['none'::text, 'single'::text, 'authenticated'::text]))),
  CONSTRAINT reply_kind_check CHECK ((kind = ANY (ARRAY['reply'::text, 'auto_reply'::text, 'manual'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX reply_cancels_idx ON public.reply USING btree (account_id, id) WHERE cancels_mails;
CREATE INDEX reply_delivery_idx ON public.reply USING btree (account_id, delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE INDEX reply_doubt_idx ON public.reply USING btree (account_id, doubted_address) WHERE ((doubted_address IS NOT NULL) AND (kind <> 'auto_reply'::text) AND (handled_at IS NULL));
CREATE INDEX reply_open_idx ON public.reply USING btree (account_id, prospect_id) WHERE ((kind <> 'auto_reply'::text) AND (handled_at IS NULL));
CREATE INDEX reply_prospect_idx ON public.reply USING btree (account_id, prospect_id);
CREATE TRIGGER note_reply AFTER INSERT OR UPDATE OF kind, delivery_id ON public.reply FOR EACH ROW WHEN ((new.delivery_id IS NOT NULL)) EXECUTE FUNCTION note_reply();
CREATE TRIGGER notice_of_doubt AFTER INSERT ON public.reply FOR EACH ROW WHEN (((new.kind = 'reply'::text) AND (new.doubted_address IS NOT NULL))) EXECUTE FUNCTION note_event('doubtful_reply');
CREATE TRIGGER notice_of_reply AFTER INSERT ON public.reply FOR EACH ROW WHEN (((new.kind = 'reply'::text) AND (new.doubted_address IS NULL))) EXECUTE FUNCTION note_event('reply');
ALTER TABLE reply ENABLE ROW LEVEL SECURITY;
ALTER TABLE reply FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON reply FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON reply FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON reply TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON reply TO kaitaku_service;

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
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
ALTER TABLE report_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_change FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON report_change FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON report_change FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON report_change TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON report_change TO kaitaku_service;

CREATE TABLE report_hour (
  account_id bigint NOT NULL,
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
  CONSTRAINT report_hour_account_id_hour_sender_group_id_template_id_key UNIQUE NULLS NOT DISTINCT (account_id, hour, sender_group_id, template_id),
  CONSTRAINT report_hour_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT report_hour_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id) ON DELETE CASCADE,
  CONSTRAINT report_hour_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES mail_template(account_id, id) ON DELETE CASCADE
) WITH (fillfactor=70);
ALTER TABLE report_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON report_hour FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON report_hour FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON report_hour TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON report_hour TO kaitaku_service;

CREATE TABLE report_industry (
  account_id bigint NOT NULL,
  day integer NOT NULL,
  sender_group_id bigint NOT NULL,
  template_id bigint,
  industry_id integer,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  CONSTRAINT report_industry_account_id_day_sender_group_id_template_id__key UNIQUE NULLS NOT DISTINCT (account_id, day, sender_group_id, template_id, industry_id),
  CONSTRAINT report_industry_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT report_industry_account_id_industry_id_fkey FOREIGN KEY (account_id, industry_id) REFERENCES industry(account_id, id) ON DELETE CASCADE,
  CONSTRAINT report_industry_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id) ON DELETE CASCADE,
  CONSTRAINT report_industry_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES mail_template(account_id, id) ON DELETE CASCADE
) WITH (fillfactor=70);
ALTER TABLE report_industry ENABLE ROW LEVEL SECURITY;
ALTER TABLE report_industry FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON report_industry FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON report_industry FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON report_industry TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON report_industry TO kaitaku_service;

CREATE TABLE reservation (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  sender_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  send_at timestamp with time zone NOT NULL,
  is_sent boolean DEFAULT false NOT NULL,
  test_send_mode boolean NOT NULL,
  candidate_dates jsonb,
  active boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  days_from_lastday integer DEFAULT 1 NOT NULL,
  refused_reason text,
  member_id bigint,
  missed_at timestamp with time zone,
  list_conditions jsonb,
  companies_chosen boolean DEFAULT false NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  changed_at timestamp with time zone,
  changed_by bigint,
  held_by_restore boolean DEFAULT false NOT NULL,
  send_to text DEFAULT 'company'::text NOT NULL,
  CONSTRAINT reservation_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT reservation_account_id_changed_by_fkey FOREIGN KEY (account_id, changed_by) REFERENCES member(account_id, id) ON DELETE SET NULL (changed_by),
  CONSTRAINT reservation_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT reservation_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id),
  CONSTRAINT reservation_account_id_sender_id_fkey FOREIGN KEY (account_id, sender_id) REFERENCES sender(account_id, id),
  CONSTRAINT reservation_check CHECK (((NOT companies_chosen) OR (list_conditions IS NULL))),
  CONSTRAINT reservation_send_to_check CHECK ((send_to = ANY (ARRAY['company'::text, 'primary_or_company'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX reservation_due_idx ON public.reservation USING btree (send_at) WHERE (active AND (NOT is_sent));
CREATE INDEX reservation_page_idx ON public.reservation USING btree (account_id, send_at, id) WHERE active;
CREATE UNIQUE INDEX reservation_pending_key ON public.reservation USING btree (account_id, sender_id, send_at, test_send_mode, send_to) WHERE (active AND (NOT is_sent));
CREATE TRIGGER announce_reservation AFTER INSERT OR UPDATE ON public.reservation FOR EACH ROW WHEN ((new.active AND (NOT new.is_sent) AND (new.send_at <= (now() + '00:00:10'::interval)))) EXECUTE FUNCTION announce_work();
CREATE TRIGGER notice_of_miss AFTER UPDATE ON public.reservation FOR EACH ROW WHEN (((old.missed_at IS NULL) AND (new.missed_at IS NOT NULL) AND (NOT new.held_by_restore))) EXECUTE FUNCTION note_event('reservation_missed');
ALTER TABLE reservation ENABLE ROW LEVEL SECURITY;
ALTER TABLE reservation FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON reservation FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON reservation FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON reservation TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON reservation TO kaitaku_service;

CREATE TABLE reservation_target (
  account_id bigint NOT NULL,
  reservation_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  test_send_mode boolean NOT NULL,
  pending boolean DEFAULT true NOT NULL,
  row_index integer DEFAULT 0 NOT NULL,
  mail_to text,
  follow_up_of bigint,
  CONSTRAINT reservation_target_pkey PRIMARY KEY (account_id, reservation_id, prospect_id),
  CONSTRAINT reservation_target_account_id_follow_up_of_fkey FOREIGN KEY (account_id, follow_up_of) REFERENCES send_log(account_id, id),
  CONSTRAINT reservation_target_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE,
  CONSTRAINT reservation_target_account_id_reservation_id_fkey FOREIGN KEY (account_id, reservation_id) REFERENCES reservation(account_id, id),
  CONSTRAINT reservation_target_check CHECK (((mail_to IS NOT NULL) = test_send_mode))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX reservation_target_follow_up_idx ON public.reservation_target USING btree (account_id, follow_up_of) WHERE (follow_up_of IS NOT NULL);
CREATE UNIQUE INDEX reservation_target_pending_key ON public.reservation_target USING btree (account_id, sender_group_id, prospect_id) WHERE (pending AND (NOT test_send_mode));
ALTER TABLE reservation_target ENABLE ROW LEVEL SECURITY;
ALTER TABLE reservation_target FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON reservation_target FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON reservation_target FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON reservation_target TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON reservation_target TO kaitaku_service;

CREATE TABLE sample_company (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  CONSTRAINT sample_company_pkey PRIMARY KEY (account_id, prospect_id),
  CONSTRAINT sample_company_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE
);
ALTER TABLE sample_company ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample_company FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sample_company FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sample_company FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sample_company TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sample_company TO kaitaku_service;

CREATE TABLE saved_condition (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  owner_id bigint,
  name text NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  where_info jsonb NOT NULL,
  member_id bigint,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT saved_condition_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT saved_condition_account_id_owner_id_name_key_key UNIQUE NULLS NOT DISTINCT (account_id, owner_id, name_key),
  CONSTRAINT saved_condition_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT saved_condition_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT saved_condition_account_id_owner_id_fkey FOREIGN KEY (account_id, owner_id) REFERENCES member(account_id, id) ON DELETE CASCADE
);
CREATE INDEX saved_condition_member_idx ON public.saved_condition USING btree (account_id, member_id);
ALTER TABLE saved_condition ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_condition FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON saved_condition FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON saved_condition FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON saved_condition TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON saved_condition TO kaitaku_service;

CREATE TABLE schema_migration (
  version integer NOT NULL,
  name text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  oldest_program integer,
  prerelease text,
  hash text,
  CONSTRAINT schema_migration_pkey PRIMARY KEY (version),
  CONSTRAINT schema_migration_check CHECK ((oldest_program <= version)),
  CONSTRAINT schema_migration_check1 CHECK (((prerelease IS NULL) = (hash IS NULL)))
);
GRANT SELECT ON schema_migration TO kaitaku_login;
GRANT SELECT ON schema_migration TO kaitaku_service;

CREATE TABLE send_log (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  sender_group_id bigint NOT NULL,
  sender_id bigint,
  reservation_id bigint,
  test_send_mode boolean NOT NULL,
  sent_at timestamp with time zone DEFAULT now() NOT NULL,
  days_from_lastday integer NOT NULL,
  mail jsonb NOT NULL,
  targets integer DEFAULT 0 NOT NULL,
  idempotency_key text,
  request_hash bytea,
  answer jsonb,
  paused_by text,
  cancelled boolean DEFAULT false NOT NULL,
  member_id bigint,
  template_id bigint,
  ended_at timestamp with time zone,
  failure_percent smallint DEFAULT 0 NOT NULL,
  list_conditions jsonb,
  blanked_at timestamp with time zone,
  limit_told_at timestamp with time zone,
  companies_chosen boolean DEFAULT false NOT NULL,
  starts_at timestamp with time zone,
  dates_until timestamp with time zone,
  was_reserved_for timestamp with time zone,
  given_back jsonb,
  send_to text DEFAULT 'company'::text NOT NULL,
  CONSTRAINT send_log_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT send_log_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT send_log_account_id_reservation_id_fkey FOREIGN KEY (account_id, reservation_id) REFERENCES reservation(account_id, id),
  CONSTRAINT send_log_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id),
  CONSTRAINT send_log_account_id_sender_id_fkey FOREIGN KEY (account_id, sender_id) REFERENCES sender(account_id, id),
  CONSTRAINT send_log_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES mail_template(account_id, id),
  CONSTRAINT send_log_check CHECK (((NOT companies_chosen) OR (list_conditions IS NULL))),
  CONSTRAINT send_log_check1 CHECK (((given_back IS NULL) OR (was_reserved_for IS NOT NULL))),
  CONSTRAINT send_log_paused_by_check CHECK ((paused_by = ANY (ARRAY['user'::text, 'sender_refused'::text, 'policy_bounces'::text, 'dates_over'::text, 'restored'::text]))),
  CONSTRAINT send_log_send_to_check CHECK ((send_to = ANY (ARRAY['company'::text, 'primary_or_company'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX send_log_group_idx ON public.send_log USING btree (account_id, sender_group_id, sent_at);
CREATE UNIQUE INDEX send_log_idempotency_key ON public.send_log USING btree (account_id, idempotency_key);
CREATE INDEX send_log_open_idx ON public.send_log USING btree (account_id, id) WHERE ((ended_at IS NULL) AND (sender_id IS NOT NULL));
CREATE INDEX send_log_reservation_idx ON public.send_log USING btree (account_id, reservation_id) WHERE (reservation_id IS NOT NULL);
CREATE INDEX send_log_retention_idx ON public.send_log USING btree (account_id, ended_at, id) WHERE ((ended_at IS NOT NULL) AND (blanked_at IS NULL));
CREATE INDEX send_log_sender_idx ON public.send_log USING btree (account_id, sender_id, sent_at) WHERE (sender_id IS NOT NULL);
CREATE INDEX send_log_template_idx ON public.send_log USING btree (account_id, template_id, sent_at) WHERE (template_id IS NOT NULL);
CREATE TRIGGER notice_of_end AFTER UPDATE ON public.send_log FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL) AND (NOT new.test_send_mode) AND (NOT new.cancelled))) EXECUTE FUNCTION note_event('run_ended');
CREATE TRIGGER notice_of_failures AFTER UPDATE ON public.send_log FOR EACH ROW WHEN ((new.failure_percent > old.failure_percent)) EXECUTE FUNCTION note_failures();
CREATE TRIGGER notice_of_limit AFTER UPDATE ON public.send_log FOR EACH ROW WHEN (((old.limit_told_at IS NULL) AND (new.limit_told_at IS NOT NULL))) EXECUTE FUNCTION note_event('stopped');
CREATE TRIGGER notice_of_stop AFTER UPDATE ON public.send_log FOR EACH ROW WHEN (((new.paused_by <> ALL (ARRAY['user'::text, 'restored'::text])) AND (new.paused_by IS DISTINCT FROM old.paused_by))) EXECUTE FUNCTION note_event('stopped');
ALTER TABLE send_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE send_log FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON send_log FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON send_log FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON send_log TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON send_log TO kaitaku_service;

CREATE TABLE sender (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  sender_group_id bigint NOT NULL,
  template_id bigint NOT NULL,
  subject text,
  active boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  profile_id bigint NOT NULL,
  CONSTRAINT sender_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT sender_account_id_id_profile_id_key UNIQUE (account_id, id, profile_id),
  CONSTRAINT sender_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT sender_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id),
  CONSTRAINT sender_account_id_sender_group_id_profile_id_fkey FOREIGN KEY (account_id, sender_group_id, profile_id) REFERENCES sender_profile(account_id, sender_group_id, id),
  CONSTRAINT sender_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES mail_template(account_id, id)
);
CREATE INDEX sender_group_idx ON public.sender USING btree (account_id, sender_group_id);
CREATE UNIQUE INDEX sender_pair_key ON public.sender USING btree (account_id, profile_id, template_id, COALESCE(subject, ''::text)) WHERE active;
CREATE INDEX sender_profile_idx ON public.sender USING btree (account_id, profile_id);
ALTER TABLE sender ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT ON sender TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON sender TO kaitaku_service;
GRANT UPDATE (template_id, subject, active, updated_at, member_id) ON sender TO kaitaku_api;
GRANT UPDATE (template_id, subject, active, updated_at, member_id) ON sender TO kaitaku_service;

CREATE TABLE sender_confirmation (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  email text NOT NULL,
  secret_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  CONSTRAINT sender_confirmation_pkey PRIMARY KEY (account_id, sender_id),
  CONSTRAINT sender_confirmation_account_id_sender_id_fkey FOREIGN KEY (account_id, sender_id) REFERENCES sender(account_id, id) ON DELETE CASCADE
);
CREATE INDEX sender_confirmation_secret_idx ON public.sender_confirmation USING btree (secret_hash);
ALTER TABLE sender_confirmation ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_confirmation FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_confirmation FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON sender_confirmation FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON sender_confirmation FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_confirmation TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_confirmation TO kaitaku_service;
GRANT SELECT (account_id, secret_hash) ON sender_confirmation TO kaitaku_login;

CREATE TABLE sender_connection (
  account_id bigint NOT NULL,
  profile_id bigint NOT NULL,
  worker_id uuid NOT NULL,
  connections integer NOT NULL,
  lease_until timestamp with time zone NOT NULL,
  mailbox_id bigint,
  CONSTRAINT sender_connection_pkey PRIMARY KEY (account_id, profile_id, worker_id),
  CONSTRAINT sender_connection_account_id_profile_id_fkey FOREIGN KEY (account_id, profile_id) REFERENCES sender_throttle(account_id, profile_id) ON DELETE CASCADE,
  CONSTRAINT sender_connection_connections_check CHECK ((connections > 0))
);
CREATE INDEX sender_connection_mailbox_idx ON public.sender_connection USING btree (account_id, mailbox_id) WHERE (mailbox_id IS NOT NULL);
ALTER TABLE sender_connection ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_connection FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_connection FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender_connection FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_connection TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_connection TO kaitaku_service;

CREATE TABLE sender_due (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT sender_due_pkey PRIMARY KEY (account_id, sender_id, id),
  CONSTRAINT sender_due_account_id_sender_id_fkey FOREIGN KEY (account_id, sender_id) REFERENCES sender(account_id, id) ON DELETE CASCADE
);
CREATE INDEX sender_due_idx ON public.sender_due USING btree (due_at);
CREATE TRIGGER announce_mail AFTER INSERT ON public.sender_due FOR EACH ROW WHEN ((new.due_at <= (now() + '00:00:10'::interval))) EXECUTE FUNCTION announce_work();
ALTER TABLE sender_due ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_due FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_due FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender_due FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT INSERT, SELECT ON sender_due TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON sender_due TO kaitaku_service;

CREATE TABLE sender_group (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  group_name text NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT sender_group_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT sender_group_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE
);
ALTER TABLE sender_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_group FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_group FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender_group FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_group TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_group TO kaitaku_service;

CREATE TABLE sender_limit (
  account_id bigint NOT NULL,
  profile_id bigint NOT NULL,
  per_day integer NOT NULL,
  ramp_from date,
  ramp_start smallint DEFAULT 20 NOT NULL,
  ramp_percent smallint DEFAULT 30 NOT NULL,
  ramp_step smallint DEFAULT 0 NOT NULL,
  ramp_day date,
  ramp_held_until date,
  CONSTRAINT sender_limit_pkey PRIMARY KEY (account_id, profile_id),
  CONSTRAINT sender_limit_account_id_profile_id_fkey FOREIGN KEY (account_id, profile_id) REFERENCES sender_profile(account_id, id) ON DELETE CASCADE,
  CONSTRAINT sender_limit_per_day_check CHECK (((per_day >= 1) AND (per_day <= 1000000))),
  CONSTRAINT sender_limit_ramp_percent_check CHECK (((ramp_percent >= 1) AND (ramp_percent <= 200))),
  CONSTRAINT sender_limit_ramp_start_check CHECK (((ramp_start >= 1) AND (ramp_start <= 1000))),
  CONSTRAINT sender_limit_ramp_step_check CHECK ((ramp_step >= 0))
);
ALTER TABLE sender_limit ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_limit FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_limit FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender_limit FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_limit TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_limit TO kaitaku_service;

CREATE TABLE sender_profile (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  sender_group_id bigint NOT NULL,
  person_in_charge text NOT NULL,
  email text NOT NULL,
  bcc text,
  reply_to text,
  signature text DEFAULT ''::text NOT NULL,
  active boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  mailbox_id bigint,
  CONSTRAINT sender_profile_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT sender_profile_account_id_sender_group_id_id_key UNIQUE (account_id, sender_group_id, id),
  CONSTRAINT sender_profile_account_id_mailbox_id_fkey FOREIGN KEY (account_id, mailbox_id) REFERENCES mailbox(account_id, id),
  CONSTRAINT sender_profile_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT sender_profile_account_id_sender_group_id_fkey FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group(account_id, id)
);
CREATE INDEX sender_profile_mailbox_idx ON public.sender_profile USING btree (account_id, mailbox_id) WHERE (mailbox_id IS NOT NULL);
ALTER TABLE sender_profile ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_profile FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_profile FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender_profile FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_profile TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_profile TO kaitaku_service;

CREATE TABLE sender_throttle (
  account_id bigint NOT NULL,
  profile_id bigint NOT NULL,
  mails_per_minute integer,
  max_connections integer DEFAULT 20 NOT NULL,
  next_at timestamp with time zone DEFAULT now() NOT NULL,
  chosen_per_minute integer,
  limited_since timestamp with time zone,
  limited_until timestamp with time zone,
  probe_at timestamp with time zone,
  CONSTRAINT sender_throttle_pkey PRIMARY KEY (account_id, profile_id),
  CONSTRAINT sender_throttle_account_id_profile_id_fkey FOREIGN KEY (account_id, profile_id) REFERENCES sender_profile(account_id, id) ON DELETE CASCADE,
  CONSTRAINT sender_throttle_chosen_per_minute_check CHECK (((chosen_per_minute >= 1) AND (chosen_per_minute <= 60000))),
  CONSTRAINT sender_throttle_mails_per_minute_check CHECK (((mails_per_minute >= 1) AND (mails_per_minute <= 60000))),
  CONSTRAINT sender_throttle_max_connections_check CHECK (((max_connections >= 1) AND (max_connections <= 200)))
);
ALTER TABLE sender_throttle ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_throttle FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON sender_throttle FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON sender_throttle FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_throttle TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON sender_throttle TO kaitaku_service;

CREATE TABLE session (
  token_hash bytea NOT NULL,
  account_id bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  ip inet,
  agent text,
  device_hash bytea,
  way text DEFAULT 'password'::text NOT NULL,
  CONSTRAINT session_pkey PRIMARY KEY (token_hash),
  CONSTRAINT session_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE,
  CONSTRAINT session_way_check CHECK ((way = ANY (ARRAY['password'::text, 'oidc'::text])))
);
CREATE INDEX session_member_idx ON public.session USING btree (account_id, member_id);
ALTER TABLE session ENABLE ROW LEVEL SECURITY;
ALTER TABLE session FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON session FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON session FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON session FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, SELECT ON session TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON session TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON session TO kaitaku_service;

CREATE TABLE shared_address (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  CONSTRAINT shared_address_pkey PRIMARY KEY (account_id, prospect_id, address_key),
  CONSTRAINT shared_address_account_id_prospect_id_fkey FOREIGN KEY (account_id, prospect_id) REFERENCES prospect(account_id, id) ON DELETE CASCADE
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
ALTER TABLE shared_address ENABLE ROW LEVEL SECURITY;
ALTER TABLE shared_address FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON shared_address FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON shared_address FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON shared_address TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON shared_address TO kaitaku_service;

CREATE TABLE stored_file (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text NOT NULL,
  media_type text NOT NULL,
  bytes bigint DEFAULT 0 NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  declared_bytes bigint DEFAULT 0 NOT NULL,
  review_bytes bigint DEFAULT 0 NOT NULL,
  written_at timestamp with time zone DEFAULT now() NOT NULL,
  job_id bigint,
  CONSTRAINT stored_file_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT stored_file_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT stored_file_account_id_job_id_fkey FOREIGN KEY (account_id, job_id) REFERENCES job(account_id, id) ON DELETE CASCADE
);
CREATE INDEX stored_file_expiry_idx ON public.stored_file USING btree (expires_at);
CREATE INDEX stored_file_job_idx ON public.stored_file USING btree (account_id, job_id) WHERE (job_id IS NOT NULL);
ALTER TABLE stored_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_file FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON stored_file FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON stored_file FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY own ON stored_file FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON stored_file TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON stored_file TO kaitaku_service;
GRANT SELECT (account_id, id, bytes, expires_at, declared_bytes) ON stored_file TO kaitaku_login;

CREATE TABLE stored_file_piece (
  account_id bigint NOT NULL,
  file_id bigint NOT NULL,
  start bigint NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT stored_file_piece_pkey PRIMARY KEY (account_id, file_id, start),
  CONSTRAINT stored_file_piece_account_id_file_id_fkey FOREIGN KEY (account_id, file_id) REFERENCES stored_file(account_id, id) ON DELETE CASCADE
);
ALTER TABLE stored_file_piece ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE stored_file_piece ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_file_piece FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON stored_file_piece FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON stored_file_piece FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON stored_file_piece TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON stored_file_piece TO kaitaku_service;

CREATE TABLE suppression (
  account_id bigint NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  member_id bigint,
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  class text DEFAULT 'undeliverable'::text NOT NULL,
  source text DEFAULT 'smtp'::text NOT NULL,
  delivery_id bigint,
  opt_out_reason text,
  note text DEFAULT ''::text NOT NULL,
  undo_until timestamp with time zone,
  cancels_mails boolean DEFAULT false NOT NULL,
  CONSTRAINT suppression_pkey PRIMARY KEY (account_id, kind, value, class),
  CONSTRAINT suppression_id_key UNIQUE (account_id, id),
  CONSTRAINT suppression_account_id_delivery_id_fkey FOREIGN KEY (account_id, delivery_id) REFERENCES delivery(account_id, id) ON DELETE SET NULL (delivery_id),
  CONSTRAINT suppression_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT suppression_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT suppression_class_check CHECK ((class = ANY (ARRAY['refused'::text, 'undeliverable'::text, 'blocked'::text]))),
  CONSTRAINT suppression_kind_check CHECK ((kind = ANY (ARRAY['address'::text, 'domain'::text]))),
  CONSTRAINT suppression_opt_out_reason_check CHECK ((opt_out_reason = ANY (ARRAY['irrelevant'::text, 'too_many'::text, 'unknown_sender'::text, 'other'::text]))),
  CONSTRAINT suppression_source_check CHECK ((source = ANY (ARRAY['link'::text, 'one_click'::text, 'mailto'::text, 'reply'::text, 'manual'::text, 'csv'::text, 'smtp'::text, 'dsn'::text, 'complaint'::text, 'sendgrid'::text, 'erased'::text]))),
  CONSTRAINT suppression_value_check CHECK ((value = lower(value)))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
CREATE INDEX suppression_cancels_idx ON public.suppression USING btree (account_id, id) WHERE cancels_mails;
CREATE INDEX suppression_delivery_idx ON public.suppression USING btree (account_id, delivery_id) WHERE (delivery_id IS NOT NULL);
CREATE TRIGGER note_suppression AFTER INSERT ON public.suppression FOR EACH ROW WHEN (((new.delivery_id IS NOT NULL) AND (new.class <> 'blocked'::text))) EXECUTE FUNCTION note_suppression();
CREATE TRIGGER notice_of_refusal AFTER INSERT ON public.suppression FOR EACH ROW WHEN (((new.class = 'refused'::text) AND (new.kind = 'address'::text) AND (new.delivery_id IS NOT NULL) AND (new.member_id IS NULL))) EXECUTE FUNCTION note_event('refusal');
ALTER TABLE suppression ENABLE ROW LEVEL SECURITY;
ALTER TABLE suppression FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON suppression FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON suppression FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON suppression TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON suppression TO kaitaku_service;

CREATE TABLE suppression_hash (
  account_id bigint NOT NULL,
  hash bytea NOT NULL,
  class text NOT NULL,
  source text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT suppression_hash_pkey PRIMARY KEY (account_id, hash, class),
  CONSTRAINT suppression_hash_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE,
  CONSTRAINT suppression_hash_class_check CHECK ((class = ANY (ARRAY['refused'::text, 'undeliverable'::text, 'blocked'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=1000);
ALTER TABLE suppression_hash ENABLE ROW LEVEL SECURITY;
ALTER TABLE suppression_hash FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON suppression_hash FOR ALL TO kaitaku_service USING (true);
CREATE POLICY own ON suppression_hash FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON suppression_hash TO kaitaku_api;
GRANT DELETE, INSERT, SELECT, UPDATE ON suppression_hash TO kaitaku_service;

CREATE TABLE task_run (
  name text COLLATE "C" NOT NULL,
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  fault text,
  succeeded_at timestamp with time zone,
  CONSTRAINT task_run_pkey PRIMARY KEY (name)
);
GRANT INSERT, SELECT, UPDATE ON task_run TO kaitaku_login;
GRANT INSERT, SELECT, UPDATE ON task_run TO kaitaku_service;

CREATE TABLE transport (
  name text NOT NULL,
  faults integer DEFAULT 0 NOT NULL,
  pauses integer DEFAULT 0 NOT NULL,
  paused_until timestamp with time zone,
  last_fault text,
  probe_account_id bigint,
  probe_delivery_id bigint,
  probe_claim_no integer,
  limit_suspected boolean DEFAULT false NOT NULL,
  limited_until timestamp with time zone,
  connections_max integer,
  connections_at timestamp with time zone,
  max_mail_bytes bigint,
  max_mail_bytes_of text,
  CONSTRAINT transport_pkey PRIMARY KEY (name),
  CONSTRAINT transport_connections_max_check CHECK ((connections_max >= 1))
);
CREATE TRIGGER announce_transport AFTER UPDATE ON public.transport FOR EACH ROW WHEN ((new.paused_until IS DISTINCT FROM old.paused_until)) EXECUTE FUNCTION announce_work();
CREATE TRIGGER notice_of_transport AFTER UPDATE ON public.transport FOR EACH ROW WHEN (((old.pauses = 2) AND (new.pauses = 3))) EXECUTE FUNCTION note_stop_of_all();
GRANT SELECT, UPDATE ON transport TO kaitaku_service;
GRANT SELECT (name, paused_until, limited_until, max_mail_bytes, max_mail_bytes_of) ON transport TO kaitaku_api;
GRANT UPDATE (max_mail_bytes, max_mail_bytes_of) ON transport TO kaitaku_api;

CREATE TABLE trusted_device (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT trusted_device_pkey PRIMARY KEY (account_id, member_id, hash),
  CONSTRAINT trusted_device_account_id_member_id_fkey FOREIGN KEY (account_id, member_id) REFERENCES member(account_id, id) ON DELETE CASCADE
);
ALTER TABLE trusted_device ENABLE ROW LEVEL SECURITY;
ALTER TABLE trusted_device FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON trusted_device FOR ALL TO kaitaku_service USING (true);
CREATE POLICY login ON trusted_device FOR ALL TO kaitaku_login USING (true);
CREATE POLICY own ON trusted_device FOR ALL TO kaitaku_api USING ((account_id = current_account_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON trusted_device TO kaitaku_api;
GRANT DELETE, INSERT, SELECT ON trusted_device TO kaitaku_login;
GRANT DELETE, INSERT, SELECT, UPDATE ON trusted_device TO kaitaku_service;

INSERT INTO installation DEFAULT VALUES;
INSERT INTO transport (name) VALUES ('smtp');
