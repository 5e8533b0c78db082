-- The audit stays, and has log-ins (docs/decisions/members.md). Programs of 1.0.0 may run beside it.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 15;

-- All at once, in the order of transactions: else one of a program beside it and this one could wait for each other.
LOCK TABLE account, member, address_rejection, audit_event, erased_address IN ACCESS EXCLUSIVE MODE;

-- What may be deleted a week after a move depends on moved_at: no role chooses it. It is the time of the statement: a
-- transaction that was kept open for a week would have an old now().
CREATE FUNCTION date_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.moved_to IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.moved_to IS NULL) THEN
    NEW.moved_at := clock_timestamp();
  ELSIF TG_OP = 'UPDATE' AND (NEW.moved_to, NEW.moved_at) IS DISTINCT FROM (OLD.moved_to, OLD.moved_at) THEN
    RAISE EXCEPTION 'the move of an account is final' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER date_move BEFORE INSERT OR UPDATE OF moved_to, moved_at ON account
  FOR EACH ROW EXECUTE FUNCTION date_move();

-- Deleting an account or a member would delete its audit, or take the name from it, past the policies of the audit.
REVOKE DELETE ON account FROM kaitaku_service;
CREATE POLICY moved ON member AS RESTRICTIVE FOR DELETE TO kaitaku_service USING (true);
DO $$
DECLARE
  kept_table text;
BEGIN
  FOREACH kept_table IN ARRAY ARRAY['address_rejection', 'audit_event', 'erased_address', 'member'] LOOP
    EXECUTE format('ALTER POLICY moved ON %I
      USING (EXISTS (SELECT FROM account WHERE id = account_id AND moved_at < now() - interval ''7 days''))', kept_table);
  END LOOP;
END $$;

-- A log-in is written by the role that finds out who asks. Neither id nor time is its to choose.
CREATE POLICY login ON audit_event FOR INSERT TO kaitaku_login
  WITH CHECK (kind IN ('logged_in', 'log_in_refused') AND member_id IS NOT NULL);
GRANT INSERT (account_id, member_id, kind, detail) ON audit_event TO kaitaku_login;
