-- When a sender may have a mail to claim: what idle workers look at, instead of at every sender. A note is made with each mail that is
-- queued, and removed by the claim that finds nothing left to claim at that time (claim.queries.ts). Notes are only inserted and deleted, never
-- updated: whoever queues a mail waits for nobody, and a claim removes no note of a transaction that it does not see.
-- Always: each queued mail that is not held ('infinity') has a note of its sender with due_at <= not_before.
CREATE TABLE sender_due (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  due_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id) ON DELETE CASCADE
);
CREATE INDEX sender_due_idx ON sender_due (due_at);

-- An owner that is no superuser would see no mails.
ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY;
INSERT INTO sender_due (account_id, sender_id, due_at)
SELECT account_id, sender_id, min(not_before) FROM delivery
WHERE state = 'queued' AND not_before < 'infinity'
GROUP BY account_id, sender_id;
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;

CREATE FUNCTION note_queued_mails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sender_due (account_id, sender_id, due_at)
  SELECT account_id, sender_id, min(not_before) FROM new_rows
  WHERE state = 'queued' AND not_before < 'infinity'
  GROUP BY account_id, sender_id;
  RETURN NULL;
END $$;

-- By row: the statements that finish mails change not_before too, and tables of all that they change would slow each of them down.
-- One note of a transaction is enough: nobody else sees it before the mails beside it.
CREATE FUNCTION note_requeued_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sender_due (account_id, sender_id, due_at)
  SELECT NEW.account_id, NEW.sender_id, NEW.not_before
  WHERE NOT EXISTS (
    SELECT FROM sender_due
    WHERE account_id = NEW.account_id AND sender_id = NEW.sender_id AND due_at <= NEW.not_before
      AND xmin = pg_current_xact_id()::xid);
  RETURN NULL;
END $$;

CREATE TRIGGER note_inserted AFTER INSERT ON delivery REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_queued_mails();
CREATE TRIGGER note_requeued AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'queued' AND NEW.not_before < 'infinity'
    AND (OLD.state <> 'queued' OR NEW.not_before < OLD.not_before))
  EXECUTE FUNCTION note_requeued_mail();

-- Workers that listen look at once. What is due later is found by their slow poll, which comes several times in ten seconds.
CREATE FUNCTION announce_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('kaitaku_work', '');
  RETURN NULL;
END $$;

CREATE TRIGGER announce_mail AFTER INSERT ON sender_due FOR EACH ROW
  WHEN (NEW.due_at <= now() + interval '10 seconds') EXECUTE FUNCTION announce_work();
CREATE TRIGGER announce_reservation AFTER INSERT OR UPDATE ON reservation FOR EACH ROW
  WHEN (NEW.active AND NOT NEW.is_sent AND NEW.send_at <= now() + interval '10 seconds') EXECUTE FUNCTION announce_work();
CREATE TRIGGER announce_transport AFTER UPDATE ON transport FOR EACH ROW
  WHEN (NEW.paused_until IS DISTINCT FROM OLD.paused_until) EXECUTE FUNCTION announce_work();

ALTER TABLE sender_due ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_due FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON sender_due TO kaitaku_service;
GRANT SELECT, INSERT ON sender_due TO kaitaku_api;
CREATE POLICY every ON sender_due TO kaitaku_service USING (true);
CREATE POLICY own ON sender_due TO kaitaku_api USING (account_id = current_account_id());
