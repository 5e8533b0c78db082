-- Real mails that a server refused for good while they were sent, for a reason that lies with the recipient or with our
-- name: the group leaves the address alone for the re-send interval (eligibility.queries.ts). See docs/decisions/0260.
-- Sending a mail again deletes its row. An archived mail keeps it, so nothing refers to `delivery`.
CREATE TABLE address_rejection (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  delivery_id bigint NOT NULL,
  rejected_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, address_key, sender_group_id, delivery_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
);
-- For lists. As in address_contact, the condition keeps it from the look-up of one address.
CREATE INDEX address_rejection_at_idx ON address_rejection (account_id, sender_group_id, rejected_at, address_key)
  WHERE rejected_at > '-infinity';

-- Mails that were refused before. The program reads replies by tables of words, which are not repeated here: what may be
-- about a quota of ours, the size, the protocol or the login is left out, and so is every address that is suppressed, or
-- that counts as mailed since: then the mail bounced.
ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_delivery NO FORCE ROW LEVEL SECURITY;
ALTER TABLE address_contact NO FORCE ROW LEVEL SECURITY;
ALTER TABLE suppression NO FORCE ROW LEVEL SECURITY;
ALTER TABLE lifted_suppression NO FORCE ROW LEVEL SECURITY;
INSERT INTO address_rejection (account_id, sender_group_id, address_key, delivery_id, rejected_at)
SELECT account_id, sender_group_id, address_key, id, finished_at
FROM every_delivery AS mail
WHERE state = 'failed' AND NOT test_send_mode AND reason IS NULL AND address_key IS NOT NULL AND finished_at IS NOT NULL
  AND smtp_reply ~ '^5\d\d[ -]'
  AND smtp_reply !~* '^5(?:0[0-4]|3[0458])|^552(?![ -]5\.2\.2)|5\.(?:3\.4|2\.3|6\.\d)|size|too (?:large|big)|limit|quota'
  AND NOT EXISTS (
    SELECT FROM address_contact AS contact
    WHERE contact.account_id = mail.account_id AND contact.address_key = mail.address_key
      AND contact.sender_group_id = mail.sender_group_id AND contact.last_sent_at >= mail.finished_at)
  AND NOT EXISTS (
    SELECT FROM suppression AS entry
    WHERE entry.account_id = mail.account_id AND entry.kind = 'address' AND entry.value = mail.address_key)
  AND NOT EXISTS (
    SELECT FROM lifted_suppression AS entry
    WHERE entry.account_id = mail.account_id AND entry.kind = 'address' AND entry.value = mail.address_key);
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_delivery FORCE ROW LEVEL SECURITY;
ALTER TABLE address_contact FORCE ROW LEVEL SECURITY;
ALTER TABLE suppression FORCE ROW LEVEL SECURITY;
ALTER TABLE lifted_suppression FORCE ROW LEVEL SECURITY;

ALTER TABLE address_rejection ENABLE ROW LEVEL SECURITY;
ALTER TABLE address_rejection FORCE ROW LEVEL SECURITY;
GRANT SELECT, DELETE ON address_rejection TO kaitaku_api;
GRANT SELECT, INSERT ON address_rejection TO kaitaku_service;
CREATE POLICY own ON address_rejection TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON address_rejection TO kaitaku_service USING (true);
