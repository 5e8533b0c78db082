-- An import calls this function within its transaction. It must not wait for autovacuum or for another import, so a
-- table that is locked is skipped and left to autovacuum (0152).
CREATE OR REPLACE FUNCTION analyze_companies() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  ANALYZE (SKIP_LOCKED) public.prospect, public.prospect_search;
END $$;

-- Only imports use it: they run in the workers and in the operator's commands.
REVOKE ALL ON FUNCTION analyze_companies() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_companies() TO kaitaku_service;

COMMENT ON COLUMN delivery.shares_address IS
  'The mail does not hold its address: it is outside of delivery_open_address_key until its claim. Either an older mail
to this address was open when migration 0018 came, or the company has another address now (decision 0115).';
