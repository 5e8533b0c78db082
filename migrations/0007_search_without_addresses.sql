-- email_search is the address in lower case (an import lets in ASCII alone), so that it serves for the suppression list as well: the
-- narrow table need not hold the address twice.

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
    SELECT account_id, id, amount_of_sales, ordinary_profit, number_of_employees, year_of_establishment, has_company_url,
      has_contact_url, address_search, email_search, major_industry_ids, included_industry_ids
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

ALTER TABLE prospect_search DROP COLUMN company_email;
