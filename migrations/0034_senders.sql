-- An address that real mails may be sent from: its owner has confirmed it, or it was in use before confirmations.
CREATE TABLE confirmed_address (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- In the form of addressKey (src/domain/address-key.ts).
  address_key text COLLATE "C" NOT NULL,
  confirmed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, address_key)
);

-- The last confirmation mail of a sender. The row is deleted when its secret is used, or when the address changes.
CREATE TABLE sender_confirmation (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  -- The address that the mail was sent to.
  email text NOT NULL,
  -- SHA-256 of the secret in the mailed link.
  secret_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id) ON DELETE CASCADE
);
-- The link names no account.
CREATE INDEX sender_confirmation_secret_idx ON sender_confirmation (secret_hash);

ALTER TABLE confirmed_address ENABLE ROW LEVEL SECURITY;
ALTER TABLE confirmed_address FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON confirmed_address TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON confirmed_address TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON confirmed_address TO kaitaku_service USING (true);

ALTER TABLE sender_confirmation ENABLE ROW LEVEL SECURITY;
ALTER TABLE sender_confirmation FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON sender_confirmation TO kaitaku_api, kaitaku_service;
GRANT SELECT (account_id, secret_hash) ON sender_confirmation TO kaitaku_login;
CREATE POLICY own ON sender_confirmation TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY login ON sender_confirmation TO kaitaku_login USING (true);
CREATE POLICY every ON sender_confirmation TO kaitaku_service USING (true);

ALTER TABLE sender
  ADD COLUMN reply_to text,
  ADD COLUMN signature text NOT NULL DEFAULT '',
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  -- Who changed it last. NULL: nobody of the account.
  ADD COLUMN member_id bigint,
  ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id);

-- The account's own limit. The operator's, mails_per_minute, holds besides it.
ALTER TABLE sender_throttle
  ADD COLUMN chosen_per_minute integer CHECK (chosen_per_minute BETWEEN 1 AND 60000);

-- Forced row level security hides all rows from the owner too, who migrates.
ALTER TABLE sender NO FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log NO FORCE ROW LEVEL SECURITY;
ALTER TABLE confirmed_address NO FORCE ROW LEVEL SECURITY;
-- Addresses of senders, and of accepted runs whose sender has another one since.
INSERT INTO confirmed_address (account_id, address_key)
SELECT account_id, lower(email COLLATE "C") FROM sender
UNION
SELECT account_id, lower((mail->'sender'->>'email') COLLATE "C") FROM send_log
WHERE NOT test_send_mode AND mail->'sender'->>'email' IS NOT NULL;
ALTER TABLE sender FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log FORCE ROW LEVEL SECURITY;
ALTER TABLE confirmed_address FORCE ROW LEVEL SECURITY;
