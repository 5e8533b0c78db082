-- When each address was last erased, as a hash. A mail to it that was claimed before is no longer missed by its receipt,
-- whatever became of the mail and its contacts. See docs/decisions/0252.
CREATE TABLE erased_address (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- address_hash()
  hash bytea NOT NULL,
  -- Compared with the claims of mails, by the same clock. Not now(): the transaction waits for locks after it began.
  erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, hash)
);
-- Workers look for new ones.
CREATE INDEX erased_address_at_idx ON erased_address (erased_at);

-- Erasures of which receipts may still be there. Receipts live three days, and such mails ended within these.
ALTER TABLE delivery NO FORCE ROW LEVEL SECURITY;
INSERT INTO erased_address (account_id, hash)
SELECT DISTINCT account_id, erased_hash FROM delivery
WHERE erased_hash IS NOT NULL AND finished_at > now() - interval '4 days';
ALTER TABLE delivery FORCE ROW LEVEL SECURITY;

ALTER TABLE erased_address ENABLE ROW LEVEL SECURITY;
ALTER TABLE erased_address FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE ON erased_address TO kaitaku_api;
GRANT SELECT ON erased_address TO kaitaku_service;
CREATE POLICY own ON erased_address TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON erased_address TO kaitaku_service USING (true);
