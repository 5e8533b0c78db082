-- Companies that a member keeps back until a day.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 99;

CREATE TABLE kept_back (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (account_id, prospect_id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);
ALTER TABLE kept_back ENABLE ROW LEVEL SECURITY;
ALTER TABLE kept_back FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON kept_back TO kaitaku_service USING (true);
CREATE POLICY own ON kept_back TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON kept_back TO kaitaku_api, kaitaku_service;
