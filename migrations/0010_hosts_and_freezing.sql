-- Hosts of accounts, and accounts that stand still while they are copied to another cell (docs/decisions/cells.md).

-- A cell gives its accounts ids of a range of its own: from cell * 1,000,000,000 on. `migrate` sets it once.
ALTER TABLE installation ADD COLUMN cell integer NOT NULL DEFAULT 0 CHECK (cell BETWEEN 0 AND 999);

-- frozen_at: from then on nothing of the account begins. settled_at: nothing of it is under way any more; what comes
-- from outside waits in held_arrival. move_number: changes with each freeze and each thaw. moved_to: the origin of its
-- new home, for good.
ALTER TABLE account
  ADD COLUMN frozen_at timestamptz,
  ADD COLUMN settled_at timestamptz,
  ADD COLUMN move_number bigint NOT NULL DEFAULT 0,
  ADD COLUMN moved_to text,
  ADD CONSTRAINT account_settled_check CHECK (settled_at IS NULL OR frozen_at IS NOT NULL),
  ADD CONSTRAINT account_moved_check CHECK (moved_to IS NULL OR settled_at IS NOT NULL);
-- Every search for work of all accounts reads it.
CREATE INDEX account_frozen_idx ON account (id) WHERE frozen_at IS NOT NULL;
CREATE POLICY login ON account FOR SELECT TO kaitaku_login USING (true);
GRANT SELECT (id, frozen_at) ON account TO kaitaku_login;

-- SQLSTATE KF001: the account of this transaction is frozen. Transactions that write begin with it.
CREATE FUNCTION refuse_frozen() RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF EXISTS (SELECT FROM account WHERE id = current_account_id() AND frozen_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the account is frozen' USING ERRCODE = 'KF001';
  END IF;
END $$;

-- Where an account's members open the web client. Former hosts stay its own: links in old mails name them.
CREATE TABLE account_host (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- In lower case, without a port or a final dot.
  host text COLLATE "C" NOT NULL CHECK (length(host) <= 253),
  is_current boolean NOT NULL,
  given_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, host)
);
CREATE UNIQUE INDEX account_host_key ON account_host (host);
CREATE UNIQUE INDEX account_host_current_key ON account_host (account_id) WHERE is_current;

-- What came from outside for a frozen account, as it came: a reader's refusal or its undo, a mail of the inbox, events
-- of SendGrid. It was answered as taken.
CREATE TABLE held_arrival (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL CHECK (kind IN ('refusal', 'undo', 'mail', 'events')),
  -- The mail of ours that it is about. NULL: a test mail of a domain, events.
  delivery_id bigint,
  -- What is beside the body: choices of a form, the envelope of a mail, the signature of events.
  head jsonb NOT NULL,
  -- NULL: all is in the head.
  body bytea,
  -- Of kind, delivery, head and body: what comes again is held once.
  digest bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE CASCADE
);
CREATE INDEX held_arrival_digest_idx ON held_arrival (account_id, digest);
CREATE INDEX held_arrival_delivery_idx ON held_arrival (account_id, delivery_id, id);

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['account_host', 'held_arrival'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON account_host TO kaitaku_service;
CREATE POLICY login ON account_host FOR SELECT TO kaitaku_login USING (true);
GRANT SELECT ON account_host TO kaitaku_login;
GRANT SELECT ON account_host TO kaitaku_api;
GRANT SELECT, INSERT ON held_arrival TO kaitaku_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON held_arrival TO kaitaku_service;
-- A backup keeps the last number.
GRANT SELECT ON SEQUENCE held_arrival_id_seq TO kaitaku_service;

-- The workers that keep receipts. A freeze waits until each one that lives has merged those of before it.
CREATE TABLE receipt_worker (
  worker_id uuid PRIMARY KEY,
  machine text NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- All receipts of before this time are merged. NULL: not since its start.
  merged_at timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON receipt_worker TO kaitaku_service;

-- Frozen accounts get no events: their rows do not change.
CREATE OR REPLACE FUNCTION note_stop_of_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind)
  SELECT DISTINCT account_id, 'stopped' FROM sender_due
  WHERE due_at <= now() AND account_id <> ALL (ARRAY(SELECT id FROM account WHERE frozen_at IS NOT NULL));
  RETURN NULL;
END $$;
