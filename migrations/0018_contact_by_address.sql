-- When a group last mailed an address (real sends only), whichever company had it. eligibility.queries.ts holds back every company with
-- an address mailed within the interval, also one that was imported again under another name or place.
-- A trigger writes it, so that no writer of a delivery can forget it; an unknown mail holds its address by delivery_open_address_key.
CREATE TABLE address_contact (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  last_sent_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, address_key, sender_group_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
);

CREATE INDEX address_contact_last_sent_idx ON address_contact (account_id, sender_group_id, last_sent_at, address_key);

GRANT SELECT, INSERT, UPDATE, DELETE ON address_contact TO kaitaku_api, kaitaku_service;
ALTER TABLE address_contact ENABLE ROW LEVEL SECURITY;
ALTER TABLE address_contact FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON address_contact TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON address_contact TO kaitaku_service USING (true);

-- The address as src/domain/address-key.ts compares it. A column and no index expression: behind row level security the planner uses
-- no index on lower(), which is not leakproof.
-- shares_address: an older mail to the same address was open when this rule came. Never true afterwards.
ALTER TABLE delivery
  ADD COLUMN address_key text COLLATE "C" GENERATED ALWAYS AS (lower(mail_to COLLATE "C")) STORED,
  ADD COLUMN shares_address boolean NOT NULL DEFAULT false;

UPDATE delivery d SET shares_address = true
FROM (
  SELECT account_id, id, row_number() OVER (PARTITION BY account_id, sender_group_id, address_key ORDER BY id) AS place
  FROM delivery
  WHERE state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode AND address_key IS NOT NULL
) AS open
WHERE d.account_id = open.account_id AND d.id = open.id AND open.place > 1;

-- The last judge of two runs at the same moment: one open mail a group and address, as delivery_open_key is for companies.
CREATE UNIQUE INDEX delivery_open_address_key ON delivery (account_id, address_key, sender_group_id)
  WHERE state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode AND NOT shares_address;

-- Without the old rows: joined with each other, transition tables take quadratic time.
CREATE FUNCTION keep_address_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
  SELECT account_id, sender_group_id, address_key, max(coalesce(finished_at, now()))
  FROM new_rows
  WHERE state = 'sent' AND NOT test_send_mode
  GROUP BY 1, 2, 3
  ORDER BY 1, 3, 2
  ON CONFLICT (account_id, address_key, sender_group_id)
    DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at;
  RETURN NULL;
END $$;

CREATE TRIGGER keep_address_contact AFTER UPDATE ON delivery REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_address_contact();

-- Mails that went out by another tool, to the address that their company has when they are recorded.
CREATE FUNCTION keep_recorded_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
  SELECT log.account_id, log.sender_group_id, prospect.email_search, max(log.sent_at)
  FROM new_rows AS recorded
  JOIN send_log AS log ON log.account_id = recorded.account_id AND log.id = recorded.send_log_id
  JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
  WHERE prospect.email_search <> ''
  GROUP BY 1, 2, 3
  ORDER BY 1, 3, 2
  ON CONFLICT (account_id, address_key, sender_group_id)
    DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at;
  PERFORM share_addresses(array_agg(prospect.account_id), array_agg(prospect.id), array_agg(prospect.email_search))
  FROM new_rows AS recorded
  JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
  WHERE prospect.email_search <> '';
  RETURN NULL;
END $$;

CREATE TRIGGER keep_recorded_address AFTER INSERT ON recorded_contact REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_recorded_address();

INSERT INTO address_contact
SELECT account_id, sender_group_id, address_key, max(sent_at) FROM (
  SELECT d.account_id, d.sender_group_id, d.address_key, coalesce(d.finished_at, contact.last_sent_at, d.created_at) AS sent_at
  FROM delivery d
  LEFT JOIN contact_state AS contact ON contact.account_id = d.account_id AND contact.sender_group_id = d.sender_group_id
    AND contact.prospect_id = d.prospect_id
  WHERE (d.state = 'sent' OR d.maybe_sent) AND NOT d.test_send_mode AND d.address_key IS NOT NULL
  UNION ALL
  SELECT log.account_id, log.sender_group_id, prospect.email_search, log.sent_at
  FROM recorded_contact AS recorded
  JOIN send_log AS log ON log.account_id = recorded.account_id AND log.id = recorded.send_log_id
  JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
  WHERE prospect.email_search <> ''
) AS mailed
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;

-- Prospects whose address was mailed, or is being mailed, as that of another one: for all others contact_state tells the same.
-- The preview of a list compares the addresses of these alone; comparing those of all took a third of its time.
CREATE TABLE shared_address (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, prospect_id, address_key),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

GRANT SELECT, INSERT, UPDATE, DELETE ON shared_address TO kaitaku_api, kaitaku_service;
ALTER TABLE shared_address ENABLE ROW LEVEL SECURITY;
ALTER TABLE shared_address FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON shared_address TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON shared_address TO kaitaku_service USING (true);

-- For mails to these prospects at these addresses: the other prospects that have one of them. Planned at each call, because a plan made
-- while the list was short would scan the list for each address.
CREATE FUNCTION share_addresses(accounts bigint[], prospects bigint[], addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT DISTINCT other.account_id, other.id, mailed.address_key
    FROM unnest($1, $2, $3) AS mailed (account_id, prospect_id, address_key)
    JOIN prospect AS other ON other.account_id = mailed.account_id
      AND other.email_search COLLATE "C" = mailed.address_key COLLATE "C" AND other.id <> mailed.prospect_id
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$ USING accounts, prospects, addresses;
END $$;

CREATE FUNCTION share_mailed_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_addresses(array_agg(account_id), array_agg(prospect_id), array_agg(address_key))
  FROM new_rows WHERE NOT test_send_mode AND state IN ('queued', 'claimed', 'sending', 'unknown');
  RETURN NULL;
END $$;

CREATE TRIGGER share_mailed_address AFTER INSERT ON delivery REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION share_mailed_address();

-- Prospects that get an address at which another one was mailed, or is being mailed.
CREATE FUNCTION share_new_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM shared_address AS shared USING new_rows AS added
    WHERE shared.account_id = added.account_id AND shared.prospect_id = added.id
      AND shared.address_key IS DISTINCT FROM added.email_search COLLATE "C";
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

CREATE TRIGGER share_new_address_inserted AFTER INSERT ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION share_new_address();
CREATE TRIGGER share_new_address_updated AFTER UPDATE ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION share_new_address();

INSERT INTO shared_address
SELECT account_id, id, email_search FROM (
  SELECT account_id, id, email_search, count(*) OVER (PARTITION BY account_id, email_search COLLATE "C") AS holders
  FROM prospect WHERE email_search <> ''
) AS held
WHERE holders > 1 OR EXISTS (
  SELECT FROM delivery d
  WHERE d.account_id = held.account_id AND d.address_key = held.email_search COLLATE "C" AND d.prospect_id <> held.id
    AND NOT d.test_send_mode AND (d.maybe_sent OR d.state NOT IN ('failed', 'cancelled')));
