-- People of a company (docs/decisions/people.md). Programs without it would send a person's mail to the company's
-- address, so they end. Reads prospect once.
UPDATE schema_migration SET oldest_program = 32 WHERE version = 32;

-- Backups and moves take it. A disclosure shows it. An erasure of its address, or of its company, deletes it.
CREATE TABLE person (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  prospect_id bigint NOT NULL,
  name text NOT NULL DEFAULT '',
  -- NFKC, lower case, no spaces.
  name_key text COLLATE "C" NOT NULL DEFAULT '',
  department text COLLATE "C" NOT NULL DEFAULT '',
  title text NOT NULL DEFAULT '',
  phone text,
  -- The day on which business cards were exchanged.
  met_on date,
  email text COLLATE "C",
  -- In the form of delivery.address_key.
  email_search text COLLATE "C",
  email_domain text GENERATED ALWAYS AS (split_part(email_search, '@', -1)) STORED,
  archived_at timestamptz,
  import_run_id bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  UNIQUE NULLS NOT DISTINCT (account_id, prospect_id, name_key, department, email_search),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE,
  CHECK (name <> '' OR department <> '' OR title <> '' OR email IS NOT NULL OR phone IS NOT NULL)
);
CREATE INDEX person_email_idx ON person (account_id, email_search) WHERE email_search IS NOT NULL;
CREATE INDEX person_domain_idx ON person (account_id, email_domain COLLATE "C") WHERE email_domain IS NOT NULL;
CREATE INDEX person_name_idx ON person (account_id, name_key, id) WHERE name_key <> '';

-- The company's 主担当, copied from person by its one writer (features/people); NULL without one, so no rewrite. No
-- foreign key: it would be a circle.
ALTER TABLE prospect
  ADD COLUMN person_id bigint,
  ADD COLUMN person_email text COLLATE "C",
  ADD COLUMN person_email_search text COLLATE "C",
  ADD CHECK (person_email IS NULL OR person_id IS NOT NULL);
CREATE INDEX prospect_person_email_idx ON prospect (account_id, person_email_search, id)
  WHERE archived_at IS NULL AND person_email_search IS NOT NULL;
ALTER TABLE prospect_search ADD COLUMN person_email_search text COLLATE "C";

-- The person whom the mail greets and reaches; no foreign key. NULL: the company's address.
ALTER TABLE delivery ADD COLUMN person_id bigint;
-- company: its own address. primary_or_company: its 主担当's, or its own without one.
ALTER TABLE send_log
  ADD COLUMN send_to text NOT NULL DEFAULT 'company' CHECK (send_to IN ('company', 'primary_or_company'));
ALTER TABLE reservation
  ADD COLUMN send_to text NOT NULL DEFAULT 'company' CHECK (send_to IN ('company', 'primary_or_company'));
DROP INDEX reservation_pending_key;
CREATE UNIQUE INDEX reservation_pending_key ON reservation (account_id, sender_id, send_at, test_send_mode, send_to)
  WHERE active AND NOT is_sent;

ALTER TABLE person ENABLE ROW LEVEL SECURITY;
ALTER TABLE person FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON person TO kaitaku_service USING (true);
CREATE POLICY own ON person TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, UPDATE, DELETE ON person TO kaitaku_service, kaitaku_api;
-- A backup reads the last id.
GRANT SELECT ON SEQUENCE person_id_seq TO kaitaku_service;
