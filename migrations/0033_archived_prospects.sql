-- An archived company is in no list, but keeps its history. prospect_search, prospect_total and the sort indexes hold the
-- others only, so that lists need not look at archived_at.
ALTER TABLE prospect ADD COLUMN archived_at timestamptz;

DROP INDEX prospect_address_idx;
DROP INDEX prospect_capital_idx;
DROP INDEX prospect_ceo_idx;
DROP INDEX prospect_company_name_idx;
DROP INDEX prospect_company_url_idx;
DROP INDEX prospect_contact_url_idx;
DROP INDEX prospect_email_idx;
DROP INDEX prospect_employees_idx;
DROP INDEX prospect_included_industry_idx;
DROP INDEX prospect_major_industry_idx;
DROP INDEX prospect_profit_idx;
DROP INDEX prospect_sales_idx;
DROP INDEX prospect_year_idx;
CREATE INDEX prospect_address_idx ON prospect (account_id, address, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_capital_idx ON prospect (account_id, capital, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_ceo_idx ON prospect (account_id, ceo, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_company_name_idx ON prospect (account_id, company_name, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_company_url_idx ON prospect (account_id, company_url, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_contact_url_idx ON prospect (account_id, contact_url, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_email_idx ON prospect (account_id, email_search COLLATE "C", id) WHERE archived_at IS NULL;
CREATE INDEX prospect_employees_idx ON prospect (account_id, number_of_employees, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_included_industry_idx ON prospect (account_id, included_industry_type, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_major_industry_idx ON prospect (account_id, major_industry_type, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_profit_idx ON prospect (account_id, ordinary_profit, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_sales_idx ON prospect (account_id, amount_of_sales, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_year_idx ON prospect (account_id, year_of_establishment, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_archived_idx ON prospect (account_id, id) WHERE archived_at IS NOT NULL;

-- The name of the company, for the search: the first line of identity_key (src/domain/prospect-identity.ts).
ALTER TABLE prospect_search ADD COLUMN name_search text;

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
    INSERT INTO prospect_search (account_id, id, has_company_url, has_contact_url, address_search, email_search,
      major_industry_id, included_industry_id, year_of_establishment, amount_of_sales, ordinary_profit,
      number_of_employees, name_search)
    SELECT account_id, id, has_company_url, has_contact_url, address_search, email_search,
      major_industry_id, included_industry_id, year_of_establishment, amount_of_sales, ordinary_profit,
      number_of_employees, split_part(identity_key, E'\n', 1)
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

-- Forced row level security hides all rows from the owner too, who migrates.
ALTER TABLE prospect NO FORCE ROW LEVEL SECURITY;
ALTER TABLE prospect_search NO FORCE ROW LEVEL SECURITY;
UPDATE prospect_search SET name_search = split_part(prospect.identity_key, E'\n', 1)
FROM prospect WHERE prospect.account_id = prospect_search.account_id AND prospect.id = prospect_search.id;
ALTER TABLE prospect FORCE ROW LEVEL SECURITY;
ALTER TABLE prospect_search FORCE ROW LEVEL SECURITY;

-- Looks addresses up in the sort index, which has no archived companies. One that is brought back is an updated row of
-- share_new_address().
CREATE OR REPLACE FUNCTION share_addresses(accounts bigint[], prospects bigint[], addresses text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT DISTINCT other.account_id, other.id, mailed.address_key
    FROM unnest($1, $2, $3) AS mailed (account_id, prospect_id, address_key)
    JOIN prospect AS other ON other.account_id = mailed.account_id AND other.archived_at IS NULL
      AND other.email_search COLLATE "C" = mailed.address_key COLLATE "C" AND other.id <> mailed.prospect_id
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$ USING accounts, prospects, addresses;
END $$;
