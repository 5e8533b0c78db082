-- What the DNS last said about the domain of a sender's address (decision 0179). A cache: a row may be deleted.
CREATE TABLE domain_check (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- In lower case.
  domain text NOT NULL,
  -- The findings, each with the time at which the DNS answered it.
  result jsonb NOT NULL,
  -- The last time the DNS was asked.
  checked_at timestamptz NOT NULL,
  -- The last time, where the DNS did not answer all questions: their findings are older. NULL: it answered.
  failed_at timestamptz,
  PRIMARY KEY (account_id, domain)
);

ALTER TABLE domain_check ENABLE ROW LEVEL SECURITY;
ALTER TABLE domain_check FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON domain_check TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON domain_check TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON domain_check TO kaitaku_service USING (true);
