-- People of a company (docs/decisions/people.md). Programs without it would send a person's mail to the company's
-- address, so they end. Reads prospect three times.
UPDATE schema_migration SET oldest_program = 32 WHERE version = 32;

-- Backups and moves take it. A disclosure shows it. An erasure of its address, or of its company, deletes it.
CREATE TABLE person (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  prospect_id bigint NOT NULL,
  name text NOT NULL DEFAULT '',
  -- NFKC, lower case, no spaces.
  name_key text COLLATE "C" NOT NULL DEFAULT '',
  department text COLLATE "C" NOT NULL DEFAULT '',
  title text NOT NULL DEFAULT '',
  phone text,
  -- The day on which business cards were exchanged.
  met_on date,
  email text COLLATE "C",
  -- In the form of delivery.address_key.
  email_search text COLLATE "C",
  email_domain text GENERATED ALWAYS AS (split_part(email_search, '@', -1)) STORED,
  archived_at timestamptz,
  import_run_id bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  -- Judged at the end of each statement: one may give a person the key that another one had.
  UNIQUE NULLS NOT DISTINCT (account_id, prospect_id, name_key, department, email_search) DEFERRABLE,
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE,
  CHECK (name <> '' OR department <> '' OR title <> '' OR email IS NOT NULL OR phone IS NOT NULL)
);
CREATE INDEX person_email_idx ON person (account_id, email_search) WHERE email_search IS NOT NULL;
CREATE INDEX person_domain_idx ON person (account_id, email_domain COLLATE "C") WHERE email_domain IS NOT NULL;
CREATE INDEX person_name_idx ON person (account_id, name_key, id) WHERE name_key <> '';
-- As of label_set: a new account is not in them.
ALTER TABLE person ALTER COLUMN account_id SET STATISTICS 0;

-- The company's 主担当, copied from person by its one writer (features/people); NULL without one, so no rewrite. No
-- foreign key: it would be a circle.
ALTER TABLE prospect
  ADD COLUMN person_id bigint,
  ADD COLUMN person_email text COLLATE "C",
  ADD COLUMN person_email_search text COLLATE "C",
  ADD CHECK (person_email IS NULL OR person_id IS NOT NULL);
-- Companies without any address are read from this index alone (chosen-address.queries.ts).
DROP INDEX prospect_email_idx;
CREATE INDEX prospect_email_idx ON prospect (account_id, email_search COLLATE "C", id) INCLUDE (person_email_search)
  WHERE archived_at IS NULL;
CREATE INDEX prospect_person_email_idx ON prospect (account_id, person_email_search, id)
  WHERE archived_at IS NULL AND person_email_search IS NOT NULL;
ALTER TABLE prospect_search ADD COLUMN person_email_search text COLLATE "C";

-- The person whom the mail greets and reaches; no foreign key. NULL: the company's address.
ALTER TABLE delivery ADD COLUMN person_id bigint;
-- company: its own address. primary_or_company: its 主担当's, or its own without one.
ALTER TABLE send_log
  ADD COLUMN send_to text NOT NULL DEFAULT 'company' CHECK (send_to IN ('company', 'primary_or_company'));
ALTER TABLE reservation
  ADD COLUMN send_to text NOT NULL DEFAULT 'company' CHECK (send_to IN ('company', 'primary_or_company'));
DROP INDEX reservation_pending_key;
CREATE UNIQUE INDEX reservation_pending_key ON reservation (account_id, sender_id, send_at, test_send_mode, send_to)
  WHERE active AND NOT is_sent;

ALTER TABLE person ENABLE ROW LEVEL SECURITY;
ALTER TABLE person FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON person TO kaitaku_service USING (true);
CREATE POLICY own ON person TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON person TO kaitaku_service, kaitaku_api;
-- A backup reads the last id.
GRANT SELECT ON SEQUENCE person_id_seq TO kaitaku_service;

-- A person's address may have been erased with its refusals: they become plain as it comes in, as a company's.
CREATE TRIGGER recall_suppressions_inserted AFTER INSERT ON person
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
CREATE TRIGGER recall_suppressions_updated AFTER UPDATE ON person
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();

-- The triggers of prospect and delivery look at both addresses of a company: its own, and its person's.
CREATE OR REPLACE FUNCTION keep_prospect_search() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

CREATE OR REPLACE FUNCTION share_addresses(accounts bigint[], prospects bigint[], addresses text[]) RETURNS void
LANGUAGE plpgsql AS $$
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
END $$;

CREATE OR REPLACE FUNCTION share_new_address() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

CREATE OR REPLACE FUNCTION analyze_companies() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  ANALYZE (SKIP_LOCKED) public.prospect, public.prospect_search, public.person;
END $$;
