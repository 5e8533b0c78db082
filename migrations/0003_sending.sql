-- What is to be mailed, and the truth about each mail.

CREATE TABLE reservation (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  send_at timestamptz NOT NULL,
  is_sent boolean NOT NULL DEFAULT false,
  test_send_mode boolean NOT NULL,
  candidate_dates jsonb,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
);

CREATE UNIQUE INDEX reservation_pending_key ON reservation (account_id, sender_id, send_at, test_send_mode)
  WHERE active AND NOT is_sent;
CREATE INDEX reservation_due_idx ON reservation (send_at) WHERE active AND NOT is_sent;

-- pending follows its reservation (active and not yet sent): kept here so that the database itself can forbid a second one.
CREATE TABLE reservation_target (
  account_id bigint NOT NULL,
  reservation_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  test_send_mode boolean NOT NULL,
  pending boolean NOT NULL DEFAULT true,
  PRIMARY KEY (account_id, reservation_id, prospect_id),
  FOREIGN KEY (account_id, reservation_id) REFERENCES reservation (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX reservation_target_pending_key ON reservation_target (account_id, sender_group_id, prospect_id)
  WHERE pending AND NOT test_send_mode;

-- One send of an attack list. `mail` is the snapshot every mail of the run is rendered from (subject and bodies as
-- templates, sender, account, candidate dates), so that a later edit of a template cannot change a mail already asked for.
-- targets: how many deliveries the run has, for the books: targets = sent + failed + unknown + cancelled + open, always.
-- request_hash, answer: what an idempotency key was first used with, and what that was answered.
CREATE TABLE send_log (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_group_id bigint NOT NULL,
  sender_id bigint,
  reservation_id bigint,
  test_send_mode boolean NOT NULL,
  sent_at timestamptz NOT NULL DEFAULT now(),
  days_from_lastday integer NOT NULL,
  mail jsonb NOT NULL,
  targets integer NOT NULL DEFAULT 0,
  idempotency_key text,
  request_hash bytea,
  answer jsonb,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, reservation_id) REFERENCES reservation (account_id, id)
);

CREATE UNIQUE INDEX send_log_idempotency_key ON send_log (account_id, idempotency_key);
CREATE INDEX send_log_group_idx ON send_log (account_id, sender_group_id, sent_at);

-- One mail of one run to one prospect: the work queue and the log at once, so that there is one truth.
-- claim_no is the fence: every change names (id, claim_no, state), and a worker that woke up late changes nothing.
-- Message-ID and Date are fixed here, before the first try: every copy of a mail is recognisable.
CREATE TABLE delivery (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  send_log_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  test_send_mode boolean NOT NULL,
  row_index integer NOT NULL,
  mail_to text,
  company_name text NOT NULL,
  person_in_charge text NOT NULL,
  message_id text NOT NULL,
  mail_date timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'claimed', 'sending', 'sent', 'failed', 'unknown', 'cancelled')),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT now(),
  worker_id uuid,
  claim_no integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  smtp_reply text,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, send_log_id, prospect_id),
  CHECK (state IN ('queued', 'cancelled') OR mail_to IS NOT NULL),
  CHECK ((state IN ('claimed', 'sending')) = (lease_until IS NOT NULL)),
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id)
) WITH (fillfactor = 70);

-- unknown is open: nobody knows whether the company got the mail, so no second one may start.
CREATE UNIQUE INDEX delivery_open_key ON delivery (account_id, sender_group_id, prospect_id)
  WHERE state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode;
CREATE INDEX delivery_queue_idx ON delivery (account_id, sender_id, not_before, id) WHERE state = 'queued';
CREATE INDEX delivery_lease_idx ON delivery (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX delivery_prospect_idx ON delivery (account_id, prospect_id);

-- The pace of a sender, over all worker processes: the row is locked at each claim.
-- next_at: before this moment no mail of the sender is claimed (mails_per_minute NULL: no limit).
CREATE TABLE sender_throttle (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  mails_per_minute integer CHECK (mails_per_minute BETWEEN 1 AND 60000),
  max_connections integer NOT NULL DEFAULT 20 CHECK (max_connections BETWEEN 1 AND 200),
  next_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, sender_id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id) ON DELETE CASCADE
);

-- How many connections of a sender each worker holds; a row past its lease belongs to a dead worker and counts no more.
CREATE TABLE sender_connection (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  worker_id uuid NOT NULL,
  connections integer NOT NULL CHECK (connections > 0),
  lease_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_id, worker_id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender_throttle (account_id, sender_id) ON DELETE CASCADE
);
