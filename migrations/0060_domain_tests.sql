-- The test mail of a domain that was sent last to our own inbox, and what its headers said (decision 0194).
CREATE TABLE domain_test (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- In lower case.
  domain text NOT NULL,
  -- Of the mail that was sent last. Nobody else knows it: it stands in the address to which that mail goes.
  key uuid NOT NULL,
  sent_at timestamptz NOT NULL,
  -- That mail is still expected.
  waits boolean NOT NULL,
  -- The findings of the mail that came last; NULL: none came yet.
  result jsonb,
  arrived_at timestamptz,
  PRIMARY KEY (account_id, domain),
  CHECK ((result IS NULL) = (arrived_at IS NULL))
);
CREATE INDEX domain_test_key_idx ON domain_test (key);

ALTER TABLE domain_test ENABLE ROW LEVEL SECURITY;
ALTER TABLE domain_test FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON domain_test TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON domain_test TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON domain_test TO kaitaku_service USING (true);
