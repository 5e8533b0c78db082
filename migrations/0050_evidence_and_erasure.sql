-- Where a company publishes its address, the day on which somebody read it there, and whether the company declines sales
-- mails beside it (特定電子メール法, article 3(1)(iv)). NULL: nobody has noted it.
ALTER TABLE prospect
  ADD COLUMN published_at_url text COLLATE "C",
  ADD COLUMN published_seen_on date,
  ADD COLUMN publication_notice text COLLATE "C" CHECK (publication_notice IN ('none', 'refused'));
-- Attack lists leave these companies out. They are few: the index costs an import nothing for the others.
CREATE INDEX prospect_notice_idx ON prospect (account_id, id) WHERE publication_notice = 'refused';

-- The address of an erased person is kept as a hash alone. Each account has its own salt.
ALTER TABLE account ADD COLUMN hash_salt bytea NOT NULL
  DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');

-- The hash of an address in the form of address_key. SHA-256 of the account's salt and the address.
CREATE FUNCTION address_hash(of_account bigint, address text) RETURNS bytea LANGUAGE sql STABLE AS
  $$ SELECT sha256(hash_salt || convert_to(address, 'UTF8')) FROM account WHERE id = of_account $$;

-- The suppressions of erased addresses. When such an address comes in again, its rows go back to `suppression`.
CREATE TABLE suppression_hash (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- address_hash()
  hash bytea NOT NULL,
  -- As in suppression.
  class text NOT NULL CHECK (class IN ('refused', 'undeliverable', 'blocked')),
  source text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, hash, class)
);
ALTER TABLE suppression_hash ENABLE ROW LEVEL SECURITY;
ALTER TABLE suppression_hash FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON suppression_hash TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON suppression_hash TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON suppression_hash TO kaitaku_service USING (true);

-- Whichever way an address comes in (import, form, undo): what was suppressed stays suppressed.
CREATE FUNCTION recall_suppressions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM suppression_hash) THEN
    RETURN NULL;
  END IF;
  EXECUTE $query$
    WITH known AS (
      DELETE FROM suppression_hash AS kept
      USING (
        SELECT DISTINCT added.account_id, added.email_search,
          sha256(account.hash_salt || convert_to(added.email_search, 'UTF8')) AS hash
        FROM new_rows AS added JOIN account ON account.id = added.account_id
        WHERE added.email_search <> '') AS address
      WHERE kept.account_id = address.account_id AND kept.hash = address.hash
      RETURNING kept.account_id, address.email_search, kept.class, kept.source, kept.created_at
    )
    INSERT INTO suppression (account_id, kind, value, class, source, created_at)
    SELECT account_id, 'address', email_search, class, source, created_at FROM known
    ORDER BY account_id, email_search COLLATE "C", class
    ON CONFLICT DO NOTHING $query$;
  RETURN NULL;
END $$;
CREATE TRIGGER recall_suppressions_inserted AFTER INSERT ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
CREATE TRIGGER recall_suppressions_updated AFTER UPDATE ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();

-- A mail of an erased person keeps its state and times, and of its address the hash: its key still refuses.
ALTER TABLE delivery
  ADD COLUMN erased_hash bytea,
  DROP CONSTRAINT delivery_check,
  ADD CONSTRAINT delivery_check
    CHECK (state IN ('queued', 'cancelled') OR mail_to IS NOT NULL OR erased_hash IS NOT NULL);

-- As before, but for mails without an address: those of erased persons.
CREATE OR REPLACE FUNCTION keep_address_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
  SELECT account_id, sender_group_id, address_key, max(coalesce(finished_at, now()))
  FROM new_rows
  WHERE state = 'sent' AND NOT test_send_mode AND address_key IS NOT NULL
  GROUP BY 1, 2, 3
  ORDER BY 1, 3, 2
  ON CONFLICT (account_id, address_key, sender_group_id)
    DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at;
  RETURN NULL;
END $$;
