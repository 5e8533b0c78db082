-- PL/pgSQL keeps the plan of a statement for the life of its session. A plan that was made for a list of three
-- companies scans the whole list for each company of a bulk act. EXECUTE plans anew, by the present size (0152).

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

CREATE OR REPLACE FUNCTION keep_recorded_address() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;

CREATE OR REPLACE FUNCTION share_new_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    EXECUTE $query$
      DELETE FROM shared_address AS shared USING new_rows AS added
      WHERE shared.account_id = added.account_id AND shared.prospect_id = added.id
        AND shared.address_key IS DISTINCT FROM added.email_search COLLATE "C" $query$;
  END IF;
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT account_id, id, email_search
    FROM new_rows AS added
    WHERE email_search <> '' AND (
      EXISTS (
        SELECT FROM address_contact AS mailed
        WHERE mailed.account_id = added.account_id AND mailed.address_key = added.email_search COLLATE "C" AND NOT EXISTS (
          SELECT FROM contact_state AS own
          WHERE own.account_id = added.account_id AND own.sender_group_id = mailed.sender_group_id
            AND own.prospect_id = added.id AND own.last_sent_at >= mailed.last_sent_at))
      OR EXISTS (
        SELECT FROM delivery AS other
        WHERE other.account_id = added.account_id AND other.address_key = added.email_search COLLATE "C"
          AND other.prospect_id <> added.id AND other.state IN ('queued', 'claimed', 'sending', 'unknown')
          AND NOT other.test_send_mode AND NOT other.shares_address))
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$;
  RETURN NULL;
END $$;

-- Foreign keys are checked by kept plans too, which nothing but ANALYZE renews. Only the owner may ANALYZE.
CREATE FUNCTION analyze_companies() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  ANALYZE public.prospect, public.prospect_search;
END $$;
