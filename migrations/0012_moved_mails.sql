-- Accounts that are deleted at the home that they left (docs/decisions/account-moves.md). Programs of 1.0.0 may run
-- beside it, as the default says; they do not find what is stored here.

-- All at once, in the order of transactions: else one of a program beside it and this one could wait for each other.
LOCK TABLE account, delivery, held_arrival, address_rejection, audit_event, erased_address IN ACCESS EXCLUSIVE MODE;

-- A mail of an account that was deleted here: what its link, a bounce or an answer names, and nothing of a person.
CREATE TABLE moved_mail (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  delivery_id bigint NOT NULL,
  mail_key uuid NOT NULL,
  -- The local part of its Message-ID. NULL: it was none of ours.
  message_uuid uuid,
  is_test boolean NOT NULL,
  PRIMARY KEY (account_id, delivery_id)
);
CREATE INDEX moved_mail_key_idx ON moved_mail (mail_key);
CREATE INDEX moved_mail_message_idx ON moved_mail (message_uuid);
ALTER TABLE moved_mail ENABLE ROW LEVEL SECURITY;
ALTER TABLE moved_mail FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON moved_mail TO kaitaku_service USING (true);
CREATE POLICY own ON moved_mail TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY login ON moved_mail FOR SELECT TO kaitaku_login USING (true);
GRANT SELECT, INSERT, DELETE ON moved_mail TO kaitaku_service;
GRANT SELECT ON moved_mail TO kaitaku_api;
GRANT SELECT (account_id, delivery_id, mail_key) ON moved_mail TO kaitaku_login;

-- What is held of a mail outlives it there, and waits for the account that comes back.
ALTER TABLE held_arrival DROP CONSTRAINT held_arrival_account_id_delivery_id_fkey;

-- A home that was left says which of its moves that was, and whether an account lives at a host.
GRANT SELECT (moves, is_arriving) ON account TO kaitaku_login;

-- What nobody may delete of an account that lives here.
GRANT DELETE ON address_rejection, audit_event, erased_address TO kaitaku_service;
DO $$
DECLARE
  kept_table text;
BEGIN
  FOREACH kept_table IN ARRAY ARRAY['address_rejection', 'audit_event', 'erased_address'] LOOP
    EXECUTE format('CREATE POLICY moved ON %I AS RESTRICTIVE FOR DELETE TO kaitaku_service
      USING (EXISTS (SELECT FROM account WHERE id = account_id AND moved_to IS NOT NULL))', kept_table);
  END LOOP;
END $$;
