-- Invented companies for a first try. Real sends leave them out, whatever address a person gives them.
CREATE TABLE sample_company (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  PRIMARY KEY (account_id, prospect_id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

ALTER TABLE sample_company ENABLE ROW LEVEL SECURITY;
ALTER TABLE sample_company FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON sample_company TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON sample_company TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON sample_company TO kaitaku_service USING (true);
