-- industry: each industry value of a company once (its terms normalised, joined with 、), not each term, so that a company has one number for
-- it instead of an array of terms: a scan asks for one of a few hashed numbers, which takes much less than comparing arrays
-- (docs/decisions/0064). No foreign key: only an import writes these numbers, nothing deletes what they name but the end of the account.
CREATE TEMPORARY TABLE value_of ON COMMIT DROP AS
SELECT used.account_id, used.terms, left(string_agg(industry.name_search, '、' ORDER BY term.place), 800) AS name_search
FROM (
  SELECT account_id, major_industry_ids AS terms FROM prospect
  UNION
  SELECT account_id, included_industry_ids FROM prospect
) AS used
CROSS JOIN unnest(used.terms) WITH ORDINALITY AS term(id, place)
JOIN industry ON industry.account_id = used.account_id AND industry.id = term.id
GROUP BY used.account_id, used.terms;

INSERT INTO industry (account_id, name_search) SELECT account_id, name_search FROM value_of ON CONFLICT DO NOTHING;
DELETE FROM industry WHERE (account_id, name_search) NOT IN (SELECT account_id, name_search FROM value_of);

ALTER TABLE value_of ADD COLUMN id integer, ADD PRIMARY KEY (account_id, terms);
UPDATE value_of SET id = industry.id FROM industry
WHERE industry.account_id = value_of.account_id AND industry.name_search = value_of.name_search;

CREATE FUNCTION pg_temp.id_of_value(of_account bigint, of_terms integer[]) RETURNS integer LANGUAGE sql STABLE
  RETURN (SELECT id FROM value_of WHERE account_id = of_account AND terms = of_terms);

ALTER TABLE prospect
  ALTER major_industry_ids DROP NOT NULL,
  ALTER major_industry_ids DROP DEFAULT,
  ALTER major_industry_ids TYPE integer USING pg_temp.id_of_value(account_id, major_industry_ids),
  ALTER included_industry_ids DROP NOT NULL,
  ALTER included_industry_ids DROP DEFAULT,
  ALTER included_industry_ids TYPE integer USING pg_temp.id_of_value(account_id, included_industry_ids);
ALTER TABLE prospect RENAME major_industry_ids TO major_industry_id;
ALTER TABLE prospect RENAME included_industry_ids TO included_industry_id;

-- Anew, with the dearest to compare first: PostgreSQL walks over all columns before the one that it looks at, and one in which values are
-- missing keeps it from knowing where the next begins.
DROP TABLE prospect_search;
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
  PRIMARY KEY (account_id, id)
);

CREATE OR REPLACE FUNCTION keep_prospect_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE prospect_search, prospect_total;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM prospect_search AS search USING old_rows AS gone
    WHERE search.account_id = gone.account_id AND search.id = gone.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO prospect_search
    SELECT account_id, id, has_company_url, has_contact_url, address_search, email_search, major_industry_id, included_industry_id,
      year_of_establishment, amount_of_sales, ordinary_profit, number_of_employees
    FROM new_rows;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO prospect_total AS known
    SELECT account_id, count(*) FROM new_rows GROUP BY account_id
    ON CONFLICT (account_id) DO UPDATE SET total = known.total + excluded.total;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE prospect_total AS known SET total = known.total - gone.count
    FROM (SELECT account_id, count(*) FROM old_rows GROUP BY account_id) AS gone
    WHERE known.account_id = gone.account_id;
  END IF;
  RETURN NULL;
END $$;

INSERT INTO prospect_search
SELECT account_id, id, has_company_url, has_contact_url, address_search, email_search, major_industry_id, included_industry_id,
  year_of_establishment, amount_of_sales, ordinary_profit, number_of_employees
FROM prospect ORDER BY account_id, id;

GRANT SELECT, INSERT, UPDATE, DELETE ON prospect_search TO kaitaku_api, kaitaku_service;
ALTER TABLE prospect_search ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect_search FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON prospect_search TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON prospect_search TO kaitaku_service USING (true);
