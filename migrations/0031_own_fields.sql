-- Own fields and tags of companies (docs/decisions/own-fields.md). Programs without it would render the mails of a
-- template that names an own field without its value, so they end.
UPDATE schema_migration SET oldest_program = 31 WHERE version = 31;

-- Backups and moves take it. Names no person. Archived, never deleted.
CREATE TABLE custom_field (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY,
  -- Its name in templates: {{ custom.KEY }}.
  key text COLLATE "C" NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]{0,29}$'),
  label text NOT NULL,
  -- Folded as a heading of an imported file is.
  label_key text COLLATE "C" NOT NULL,
  type text NOT NULL CHECK (type IN ('text', 'number', 'date', 'choice', 'flag', 'url')),
  position smallint NOT NULL,
  archived_at timestamptz,
  -- The import that made it: its undo archives it where nobody uses it.
  import_run_id bigint,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, key),
  UNIQUE (account_id, label_key)
);

-- Tags, and the options of fields of the type 'choice'. Backups and moves take it. A merged tag is deleted.
CREATE TABLE label (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY,
  -- NULL: a tag.
  field_id integer,
  label text NOT NULL,
  -- NFKC, lower case, trimmed.
  label_key text COLLATE "C" NOT NULL,
  colour smallint NOT NULL DEFAULT 0 CHECK (colour BETWEEN 0 AND 7),
  position smallint NOT NULL DEFAULT 0,
  archived_at timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE NULLS NOT DISTINCT (account_id, field_id, label_key),
  FOREIGN KEY (account_id, field_id) REFERENCES custom_field (account_id, id)
);

-- One row for each set of labels in use. Behind row level security no index serves an array's &&. Backups and moves
-- take it. A periodic task deletes sets that no company has.
CREATE TABLE label_set (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY,
  -- ',3,7,12,': ids of labels, ascending.
  members text COLLATE "C" NOT NULL CHECK (members ~ '^,([0-9]+,)+$'),
  PRIMARY KEY (account_id, id)
);
-- Not unique: two rows with the same members do no harm.
CREATE INDEX label_set_members_idx ON label_set (account_id, members);

-- What an account knows of a company in its own fields; no row where there is nothing. Not on prospect, whose each
-- change rewrites its row of prospect_search. Backups and moves take it, a disclosure shows it, an erasure of the
-- company deletes it.
CREATE TABLE prospect_own (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  -- The member who is in charge of the company: imported, not shown yet.
  owner_id bigint,
  label_set_id integer,
  -- By the field's id: text, number, 'YYYY-MM-DD', true or false. Options of a choice and tags are in the set alone.
  vals jsonb NOT NULL DEFAULT '{}',
  -- Values of the type 'text' alone: NFKC, lower case.
  text_search jsonb NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, prospect_id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, owner_id) REFERENCES member (account_id, id) ON DELETE SET NULL (owner_id),
  FOREIGN KEY (account_id, label_set_id) REFERENCES label_set (account_id, id)
);
CREATE INDEX prospect_own_labels_idx ON prospect_own (account_id, label_set_id, prospect_id)
  WHERE label_set_id IS NOT NULL;
CREATE INDEX prospect_own_owner_idx ON prospect_own (account_id, owner_id, prospect_id) WHERE owner_id IS NOT NULL;

-- Statistics know an account only after ANALYZE, which a new account's rows do not cause beside those of others. Until
-- then the planner would expect one row of it by any index, and read all rows of the account for each company.
ALTER TABLE label ALTER COLUMN account_id SET STATISTICS 0;
ALTER TABLE label_set ALTER COLUMN account_id SET STATISTICS 0;
ALTER TABLE prospect_own ALTER COLUMN account_id SET STATISTICS 0;

-- The values of merge fields at the acceptance: {"custom": {KEY: text}, "person": {…}}; NULL: the template names none.
-- Blanking and erasure set it NULL.
ALTER TABLE delivery ADD COLUMN merge_values jsonb;

-- The id of the company in the account's other system, 1 to 100 characters as typed. Set once.
ALTER TABLE prospect ADD COLUMN external_id text COLLATE "C";
CREATE UNIQUE INDEX prospect_external_id_key ON prospect (account_id, external_id) WHERE external_id IS NOT NULL;

DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['custom_field', 'label', 'label_set', 'prospect_own'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (account_id = current_account_id())', tenant_table);
    -- DELETE: of an account that has moved.
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_service', tenant_table);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %I TO kaitaku_api', tenant_table);
  END LOOP;
END $$;
GRANT DELETE ON label, prospect_own TO kaitaku_api;
-- A backup reads the last ids.
GRANT SELECT ON SEQUENCE custom_field_id_seq, label_id_seq, label_set_id_seq TO kaitaku_service;
