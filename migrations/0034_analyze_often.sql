-- As of label_set (0031), an account that is new since the last ANALYZE is in no statistics. The planner expects one row
-- of it by whatever index begins with account_id, chooses any, and reads all rows of the account for each company: the
-- first page of 50,000 companies took 5 s beside 200,000 of another account, 22 ms after ANALYZE. By default autovacuum
-- waits for changes of a tenth of the table, which a small account beside large ones never makes. A sample costs the same
-- for tables of any size, so their size need not count. Without statistics, as of label_set, previews of large accounts
-- took up to four times as long.
DO $$
DECLARE
  kept text;
BEGIN
  FOREACH kept IN ARRAY ARRAY[
    'active_prospect', 'address_contact', 'address_rejection', 'audit_event', 'bounce', 'contact_state', 'delivery',
    'held_arrival', 'import_line', 'lifted_suppression', 'prospect', 'prospect_change', 'reply', 'reservation',
    'reservation_target', 'send_log', 'shared_address', 'suppression', 'suppression_hash']
  LOOP
    EXECUTE format(
      'ALTER TABLE %I SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000)', kept);
  END LOOP;
END $$;
