-- What is held of a frozen account is held once, by an index: the role that holds a batch of events cannot read others
-- (docs/decisions/cells.md). Programs of 1.0.0 may run beside it. They answer a batch that came before with an error,
-- and SendGrid sends it again.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 16;

ALTER TABLE held_arrival NO FORCE ROW LEVEL SECURITY;
DELETE FROM held_arrival AS later USING held_arrival AS first
  WHERE first.account_id = later.account_id AND first.digest = later.digest AND first.id < later.id;
ALTER TABLE held_arrival FORCE ROW LEVEL SECURITY;
DROP INDEX held_arrival_digest_idx;
CREATE UNIQUE INDEX held_arrival_digest_key ON held_arrival (account_id, digest);

-- A batch of events has the addresses of readers, and who signs events names any account.
CREATE POLICY no_events ON held_arrival AS RESTRICTIVE FOR SELECT TO kaitaku_api USING (kind <> 'events');
