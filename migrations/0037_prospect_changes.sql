-- What happened to a company besides its mails: who changed which values, and when.
CREATE TABLE prospect_change (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  prospect_id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  -- NULL: the operator.
  member_id bigint,
  -- The import that changed it; NULL: a person.
  import_run_id bigint,
  -- The group whose flag or remarks were changed; NULL: the company itself.
  sender_group_id bigint,
  kind text NOT NULL,
  -- {field: [old, new]}
  changes jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, import_run_id) REFERENCES import_run (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
);
CREATE INDEX prospect_change_prospect_idx ON prospect_change (account_id, prospect_id, id);
CREATE INDEX prospect_change_import_idx ON prospect_change (account_id, import_run_id) WHERE import_run_id IS NOT NULL;

ALTER TABLE prospect_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE prospect_change FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON prospect_change TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON prospect_change TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON prospect_change TO kaitaku_service USING (true);

-- The import that added the company; NULL: a person, or an import before this column. No foreign key: it would check
-- each row of an import.
ALTER TABLE prospect ADD COLUMN import_run_id bigint;
