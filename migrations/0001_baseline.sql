-- The schema of the first version, by the rooms of the server (ARCHITECTURE.md). The last section has the rights.
--
-- An account is the tenant: every table that belongs to one carries account_id in its keys, so that a row cannot even
-- point into another account. Money is in yen. COLLATE "C": the order of a list must not depend on how a database
-- server was set up.

----------------------------------------------------------------------------------------------------
-- Roles
----------------------------------------------------------------------------------------------------

-- The second belt: whatever a query forgets, the database shows and changes only what belongs to the account that asks.
-- The owner of the tables runs the migrations, nothing else. Processes log in as three roles that own nothing.
--   kaitaku_api      a request of one account: rows of current_account_id() alone, none while that is not set
--   kaitaku_login    finds out who asks: members by address, sessions by token, mails by the key in their links
--   kaitaku_service  workers and the operator's commands: all accounts

-- Roles belong to a whole server, not to a database: they may be there already.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY '{kaitaku_api,kaitaku_login,kaitaku_service}'::text[] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this server was just migrated
      END;
    END IF;
    BEGIN
      EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
    EXCEPTION WHEN insufficient_privilege THEN
      NULL; -- whoever made the role has granted it, or opening a connection will tell
    END;
  END LOOP;
END $$;

-- NULL while nobody is set: no row is equal to it. Inlined by the planner, so that an index on account_id answers it.
CREATE FUNCTION current_account_id() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.account_id', true), '')::bigint;

----------------------------------------------------------------------------------------------------
-- The installation
----------------------------------------------------------------------------------------------------

-- One row: which database this is, and whether it is in an older state than the mails that were sent from it
-- (decision 0075). It belongs to no account. Accounts may know why their mail waits.
-- id: backups and standbys carry it along. Receipts on the disks of workers are kept by it.
-- server, server_since: the server process that workers claim from, and since when. Another one may hold an older
-- state.
-- rewound_at: receipts prove that commits are missing. No worker claims until `kaitaku receipts resume` clears it.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  server text,
  server_since timestamptz,
  rewound_at timestamptz,
  -- The link that makes the first account: SHA-256 of its key. Every new account clears it.
  setup_key_hash bytea,
  setup_expires_at timestamptz,
  -- One process at a time checks the domains of senders each day (decision 0193). No round begins before this.
  domain_round_at timestamptz NOT NULL DEFAULT 'epoch'
);
INSERT INTO installation DEFAULT VALUES;

-- Counters of attempts over time (login guesses, mails asked for), shared by all processes; the shape is
-- rate-limiter-flexible's. Keys are hashes: no address stands here.
CREATE TABLE rate_limit (
  key text PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

----------------------------------------------------------------------------------------------------
-- Accounts and members
----------------------------------------------------------------------------------------------------

CREATE TABLE account (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  company text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The address of an erased person is kept as a hash alone. Each account has its own salt.
  hash_salt bytea NOT NULL
    DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  -- When the account's last job began. NULL: it has had none. It stays when its jobs are deleted.
  last_job_at timestamptz
);

-- `web` has no role that sees all accounts. It makes the first one as its own account, whose id it takes before.
CREATE FUNCTION next_account_id() RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
  AS $$ SELECT nextval('public.account_id_seq') $$;

-- The hash of an address in the form of address_key. SHA-256 of the account's salt and the address.
CREATE FUNCTION address_hash(of_account bigint, address text) RETURNS bytea LANGUAGE sql STABLE AS
  $$ SELECT sha256(hash_salt || convert_to(address, 'UTF8')) FROM account WHERE id = of_account $$;

-- A person and the tenant are two things. An account keeps the company and all data. A member of it logs in, with an
-- address and a password of its own. Each account has one member so far, its admin.
CREATE TABLE member (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  email_before_confirmation text,
  name text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL CHECK (role IN ('admin')),
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When the member has put away the card of the first steps. NULL: it is shown.
  first_steps_dismissed_at timestamptz,
  PRIMARY KEY (account_id, id)
);
-- An address is one login in the whole installation: who logs in names no account.
CREATE UNIQUE INDEX member_email_key ON member (lower(email));

-- Only the SHA-256 of a bearer token is kept. The key is the hash alone: a token is looked up before its account is
-- known.
CREATE TABLE session (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  member_id bigint NOT NULL,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);
CREATE INDEX session_member_idx ON session (account_id, member_id);

-- A change of the address a member logs in with, from the request to the proof that its mailbox was read.
-- The row goes with email_before_confirmation: a new pending address starts a new one. Secrets as SHA-256.
CREATE TABLE email_change (
  account_id bigint NOT NULL,
  email text NOT NULL,
  ticket_hash bytea,
  ticket_expires_at timestamptz,
  secret_hash bytea,
  secret_expires_at timestamptz,
  confirmed_at timestamptz,
  member_id bigint NOT NULL,
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);

-- A mailed link that sets a new password. A newer mail, a new password or a new address deletes it.
CREATE TABLE password_reset (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  -- SHA-256 of the secret in the mailed link.
  secret_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);
-- The link names no account.
CREATE INDEX password_reset_secret_idx ON password_reset (secret_hash);

-- What was written down stays as it was written: no role may change it.
CREATE TABLE audit_event (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  at timestamptz NOT NULL DEFAULT now(),
  -- Who caused it, here and in the other tables with this column. NULL: nobody of the account (a worker, the operator),
  -- or a member who is gone.
  member_id bigint,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
-- Whether anybody has sent himself a test of a template, however long the account's history is.
CREATE INDEX audit_event_template_test_idx ON audit_event (account_id) WHERE kind = 'template_test_sent';

-- The answers of creating requests that came with an Idempotency-Key: a repeated request gets the first answer again.
-- A send keeps its key in send_log, for as long as its run. These rows are deleted after a day.
CREATE TABLE create_key (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  key text NOT NULL,
  -- SHA-256 of the call and its input.
  request_hash bytea NOT NULL,
  -- NULL only within the transaction that creates.
  answer jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX create_key_created_idx ON create_key (account_id, created_at);

----------------------------------------------------------------------------------------------------
-- Jobs and stored files
----------------------------------------------------------------------------------------------------

-- Workers that listen look at once. What is due later is found by their slow poll, which comes several times in ten
-- seconds.
CREATE FUNCTION announce_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('kaitaku_work', '');
  RETURN NULL;
END $$;

-- Work that takes longer than a request: a worker claims it, so that closing the browser stops nothing.
CREATE TABLE job (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  input jsonb NOT NULL,
  -- Rows or bytes, for the progress on screen.
  done bigint NOT NULL DEFAULT 0,
  total bigint,
  -- Done: what the work made. Failed: code and message.
  result jsonb,
  member_id bigint,
  -- The fence: a worker whose lease is over changes nothing.
  claim_no integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE INDEX job_finished_idx ON job (finished_at);
-- By it a claim finds the accounts with a job that waits, and the first one of each, however many wait: the jobs of
-- accounts take turns (docs/decisions/0141).
CREATE INDEX job_open_idx ON job (state, account_id, id) WHERE state IN ('queued', 'running');
CREATE TRIGGER announce_job AFTER INSERT ON job FOR EACH STATEMENT EXECUTE FUNCTION announce_work();

-- Files of an account: uploads, and what exports make. They lie here in pieces, so that every process reaches them and
-- none holds one in memory. Deleted once they have expired. What an account makes us hold is limited
-- (docs/decisions/0249).
CREATE TABLE stored_file (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  media_type text NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The size of an upload as it was declared; 0: an export, or the content was deleted.
  declared_bytes bigint NOT NULL DEFAULT 0,
  -- What the check of an import has found, import_line as text.
  review_bytes bigint NOT NULL DEFAULT 0,
  -- When the last piece came. An upload that stands still gives way to the next one.
  written_at timestamptz NOT NULL DEFAULT now(),
  -- The export that writes the file. What a killed one has left is found by it.
  job_id bigint,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, job_id) REFERENCES job (account_id, id) ON DELETE CASCADE
);
CREATE INDEX stored_file_expiry_idx ON stored_file (expires_at);
CREATE INDEX stored_file_job_idx ON stored_file (account_id, job_id) WHERE job_id IS NOT NULL;

CREATE TABLE stored_file_piece (
  account_id bigint NOT NULL,
  file_id bigint NOT NULL,
  -- Where the piece begins in the file.
  start bigint NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (account_id, file_id, start),
  FOREIGN KEY (account_id, file_id) REFERENCES stored_file (account_id, id) ON DELETE CASCADE
);
-- Compressing each piece would cost more CPU than reading it.
ALTER TABLE stored_file_piece ALTER COLUMN content SET STORAGE EXTERNAL;

----------------------------------------------------------------------------------------------------
-- Mail templates
----------------------------------------------------------------------------------------------------

CREATE TABLE mail_template_folder (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE mail_template (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Which of SendGrid's dynamic templates stands for this one.
  sendgrid_template_id text CHECK (sendgrid_template_id ~ '^d-[0-9a-f]{32}$'),
  member_id bigint,
  -- Used by the senders that have none of their own.
  subject text NOT NULL DEFAULT '',
  -- The editor it was saved in.
  editor text NOT NULL DEFAULT 'html' CHECK (editor IN ('rich', 'html', 'text')),
  -- Whether that editor makes the text from the same source as the HTML.
  text_follows boolean NOT NULL DEFAULT false,
  -- NULL: in none.
  folder_id bigint,
  archived_at timestamptz,
  -- When a person confirmed that a template of SendGrid, which cannot be read here, shows the footer. NULL: nobody has.
  sendgrid_footer_confirmed_at timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, folder_id) REFERENCES mail_template_folder (account_id, id)
);

-- The contents of a template, one for each save.
CREATE TABLE mail_template_version (
  account_id bigint NOT NULL,
  template_id bigint NOT NULL,
  -- From 1; the newest is the template's present content.
  number integer NOT NULL,
  name text NOT NULL,
  subject text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  editor text NOT NULL,
  text_follows boolean NOT NULL,
  -- NULL: nobody of the account.
  member_id bigint,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, template_id, number),
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);

-- Keeps the 50 newest contents of a template, whoever changes it. An update locks the template's row before.
CREATE FUNCTION keep_template_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE next integer;
BEGIN
  SELECT coalesce(max(number), 0) + 1 INTO next FROM mail_template_version
  WHERE account_id = NEW.account_id AND template_id = NEW.id;
  INSERT INTO mail_template_version
    (account_id, template_id, number, name, subject, text_body, html_body, editor, text_follows, member_id)
  VALUES (NEW.account_id, NEW.id, next, NEW.name, NEW.subject, NEW.text_body, NEW.html_body, NEW.editor,
    NEW.text_follows, NEW.member_id);
  DELETE FROM mail_template_version
  WHERE account_id = NEW.account_id AND template_id = NEW.id AND number <= next - 50;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_first_version AFTER INSERT ON mail_template
  FOR EACH ROW EXECUTE FUNCTION keep_template_version();
CREATE TRIGGER keep_version AFTER UPDATE ON mail_template FOR EACH ROW
  WHEN ((OLD.name, OLD.subject, OLD.text_body, OLD.html_body, OLD.editor, OLD.text_follows)
    IS DISTINCT FROM (NEW.name, NEW.subject, NEW.text_body, NEW.html_body, NEW.editor, NEW.text_follows))
  EXECUTE FUNCTION keep_template_version();

----------------------------------------------------------------------------------------------------
-- Sender groups, senders, and their domains
----------------------------------------------------------------------------------------------------

CREATE TABLE sender_group (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  group_name text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

-- What the mails of a sender group must show of their sender (特定電子メール法, article 4). No row: nothing is given.
-- Texts are '' where they are not given; src/domain/legal-profile.ts has the rules.
CREATE TABLE legal_profile (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  official_name text NOT NULL DEFAULT '',
  department text NOT NULL DEFAULT '',
  postal_code text NOT NULL DEFAULT '',
  postal_address text NOT NULL DEFAULT '',
  contact_phone text NOT NULL DEFAULT '',
  contact_email text NOT NULL DEFAULT '',
  contact_url text NOT NULL DEFAULT '',
  -- Takes refusals where recipients cannot reach the program.
  refusal_email text NOT NULL DEFAULT '',
  privacy_url text NOT NULL DEFAULT '',
  -- Why its recipients may be mailed (article 3).
  basis text NOT NULL DEFAULT 'published' CHECK (basis IN ('published', 'consent', 'notified', 'relation')),
  -- When a person confirmed the present content. NULL: nobody has, or it has changed since.
  confirmed_at timestamptz,
  -- NULL: nobody, or a member who is gone.
  confirmed_by bigint,
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Who saved it last, for the words that a second member reads who edits it too (docs/decisions/0258).
  member_id bigint,
  PRIMARY KEY (account_id, sender_group_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, confirmed_by) REFERENCES member (account_id, id) ON DELETE SET NULL (confirmed_by),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);

CREATE TABLE sender (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_group_id bigint NOT NULL,
  template_id bigint NOT NULL,
  -- NULL: the template's subject.
  subject text,
  person_in_charge text NOT NULL,
  email text NOT NULL,
  bcc text,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  reply_to text,
  signature text NOT NULL DEFAULT '',
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Who changed it last.
  member_id bigint,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE INDEX sender_group_idx ON sender (account_id, sender_group_id);

-- An address that real mails may be sent from: its owner has confirmed it.
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

----------------------------------------------------------------------------------------------------
-- Companies, and their list
----------------------------------------------------------------------------------------------------

-- Each industry value of the companies of an account once: its terms normalised, joined with 、. Filters look a word
-- up here (some hundred rows) and meet the companies by its number: a scan asks for one of a few hashed numbers, 2.8
-- ms at a million rows where LIKE on the companies took 540 ms (docs/decisions/0064). pg_trgm is no help: most
-- Japanese filter words have two characters, and a trigram index is then read whole.
CREATE TABLE industry (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY,
  name_search text NOT NULL,
  -- As a company has written it first: `name_search` is for comparisons. NULL: no company has it any more.
  name text,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, name_search)
);

-- A company on the list.
-- identity_key: as an import recognises it again (normalised name and address, src/domain/prospect-identity.ts).
-- *_search: the value after NFKC and lower case, so that a filter is a plain LIKE (src/domain/text-filter.ts). An
-- import lets in ASCII alone as addresses, so email_search serves for the suppression list as well.
-- *_industry_id: the number in `industry`. No foreign key: nothing deletes what it names but the end of the account.
CREATE TABLE prospect (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  identity_key text NOT NULL,
  company_name text COLLATE "C" NOT NULL,
  company_email text COLLATE "C",
  ceo text COLLATE "C",
  year_of_establishment integer,
  address text COLLATE "C",
  amount_of_sales bigint,
  capital bigint,
  number_of_employees bigint,
  ordinary_profit bigint,
  company_url text COLLATE "C",
  contact_url text COLLATE "C",
  major_industry_type text COLLATE "C",
  included_industry_type text COLLATE "C",
  address_search text,
  email_search text,
  major_industry_id integer,
  included_industry_id integer,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  has_company_url boolean NOT NULL GENERATED ALWAYS AS (coalesce(company_url, '') <> '') STORED,
  has_contact_url boolean NOT NULL GENERATED ALWAYS AS (coalesce(contact_url, '') <> '') STORED,
  -- 法人番号: the identity of a row of an import that has one (docs/decisions/0125).
  corporate_number text COLLATE "C" CHECK (corporate_number ~ '^[1-9][0-9]{12}$'),
  -- An archived company is in no list, but keeps its history. prospect_search, prospect_total and the sort indexes hold
  -- the others only, so that lists need not look at archived_at.
  archived_at timestamptz,
  -- The import that added the company; NULL: a person. No foreign key: it would check each row of an import.
  import_run_id bigint,
  -- Where a company publishes its address, the day on which somebody read it there, and whether the company declines
  -- sales mails beside it (特定電子メール法, article 3(1)(iv)). NULL: nobody has noted it.
  published_at_url text COLLATE "C",
  published_seen_on date,
  publication_notice text COLLATE "C" CHECK (publication_notice IN ('none', 'refused')),
  -- Anybody with the link of a mail may open its page, as often as they like. It asks whether another company has an
  -- address in the domain, and must not read all addresses of the account. A column, because row level security keeps
  -- the planner from using an index of split_part().
  email_domain text GENERATED ALWAYS AS (split_part(email_search, '@', -1)) STORED,
  -- As its list has it. No key: several companies may share one.
  phone text COLLATE "C",
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, identity_key)
);
CREATE UNIQUE INDEX prospect_corporate_number_key ON prospect (account_id, corporate_number)
  WHERE corporate_number IS NOT NULL;
-- Columns that are sorted often, so that a page is read first and joined afterwards. Those by which hardly anybody
-- sorts have none: their indexes took a third of an import's time (docs/decisions/0128). An import holds the values
-- under the 2,704 bytes that an index takes.
CREATE INDEX prospect_address_idx ON prospect (account_id, address, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_capital_idx ON prospect (account_id, capital, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_company_name_idx ON prospect (account_id, company_name, id) WHERE archived_at IS NULL;
-- The same index finds who has an address of the suppression list: asking each company of a list for it took a quarter
-- of a preview.
CREATE INDEX prospect_email_idx ON prospect (account_id, email_search COLLATE "C", id) WHERE archived_at IS NULL;
CREATE INDEX prospect_employees_idx ON prospect (account_id, number_of_employees, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_sales_idx ON prospect (account_id, amount_of_sales, id) WHERE archived_at IS NULL;
CREATE INDEX prospect_archived_idx ON prospect (account_id, id) WHERE archived_at IS NOT NULL;
-- An industry has many companies, so each index stores each industry once, with its rows: 8 MB for a million companies.
-- Without the id of the company: with it, every entry would be stored. Equal industries are sorted by id when read.
CREATE INDEX prospect_major_industry_idx ON prospect (account_id, major_industry_type);
CREATE INDEX prospect_included_industry_idx ON prospect (account_id, included_industry_type);
-- Attack lists leave these companies out. They are few: the index costs an import nothing for the others.
CREATE INDEX prospect_notice_idx ON prospect (account_id, id) WHERE publication_notice = 'refused';
-- The condition keeps queries for all companies of an account away from it.
CREATE INDEX prospect_domain_idx ON prospect (account_id, email_domain COLLATE "C") WHERE email_domain IS NOT NULL;
-- What is stored about an address is shown and erased on request (features/personal-data). Here are its archived
-- companies.
CREATE INDEX prospect_archived_email_idx ON prospect (account_id, email_search COLLATE "C")
  WHERE archived_at IS NOT NULL;

-- What the filters look at, in a narrow table beside prospect: a filter without an index reads 0.2 kB a company, not
-- 0.5 kB. It holds some columns of prospect under their own names, so that one condition can be asked of either
-- table. The statement triggers keep it: whoever writes a company cannot forget it, and the copy is made once a
-- statement. No foreign key: the triggers hold the two together, and a check row by row would cost more than the row
-- itself. The columns that are the most expensive to compare come first: PostgreSQL walks over all columns before the
-- one that it looks at, and one in which values are missing keeps it from knowing where the next begins.
CREATE TABLE prospect_search (
  account_id bigint NOT NULL,
  id bigint NOT NULL,
  has_company_url boolean NOT NULL,
  has_contact_url boolean NOT NULL,
  address_search text,
  email_search text,
  major_industry_id integer,
  included_industry_id integer,
  year_of_establishment integer,
  amount_of_sales bigint,
  ordinary_profit bigint,
  number_of_employees bigint,
  -- The name of the company, for the search: the first line of identity_key (src/domain/prospect-identity.ts).
  name_search text,
  PRIMARY KEY (account_id, id)
);

-- How long each list is: counting it anew for every page costs more than all else of the page.
CREATE TABLE prospect_total (
  account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  total bigint NOT NULL
);

-- PL/pgSQL keeps the plan of a statement for the life of its session. A plan that was made for a list of three
-- companies scans the whole list for each company of a bulk act. EXECUTE, here and in the triggers below, plans anew,
-- by the present size (docs/decisions/0152).
CREATE FUNCTION keep_prospect_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    TRUNCATE prospect_search, prospect_total;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    EXECUTE $query$
      DELETE FROM prospect_search AS search USING old_rows AS gone
      WHERE search.account_id = gone.account_id AND search.id = gone.id $query$;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO prospect_search (account_id, id, has_company_url, has_contact_url, address_search, email_search,
      major_industry_id, included_industry_id, year_of_establishment, amount_of_sales, ordinary_profit,
      number_of_employees, name_search)
    SELECT account_id, id, has_company_url, has_contact_url, address_search, email_search,
      major_industry_id, included_industry_id, year_of_establishment, amount_of_sales, ordinary_profit,
      number_of_employees, split_part(identity_key, E'\n', 1)
    FROM new_rows WHERE archived_at IS NULL;
  END IF;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO prospect_total AS known
    SELECT account_id, count(*) FROM new_rows WHERE archived_at IS NULL GROUP BY account_id
    ON CONFLICT (account_id) DO UPDATE SET total = known.total + excluded.total;
  ELSIF TG_OP = 'UPDATE' THEN
    -- Only where companies were archived or brought back: other updates need not wait for each other here.
    UPDATE prospect_total AS known SET total = known.total + changed.difference
    FROM (
      SELECT account_id, sum(live) AS difference FROM (
        SELECT account_id, 1 AS live FROM new_rows WHERE archived_at IS NULL
        UNION ALL SELECT account_id, -1 FROM old_rows WHERE archived_at IS NULL) AS counted
      GROUP BY account_id HAVING sum(live) <> 0) AS changed
    WHERE known.account_id = changed.account_id;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE prospect_total AS known SET total = known.total - gone.count
    FROM (SELECT account_id, count(*) FROM old_rows WHERE archived_at IS NULL GROUP BY account_id) AS gone
    WHERE known.account_id = gone.account_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_search_inserted AFTER INSERT ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER keep_search_updated AFTER UPDATE ON prospect REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER keep_search_deleted AFTER DELETE ON prospect REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();
CREATE TRIGGER keep_search_truncated AFTER TRUNCATE ON prospect
  FOR EACH STATEMENT EXECUTE FUNCTION keep_prospect_search();

-- Foreign keys are checked by kept plans too, which nothing but ANALYZE renews. Only the owner may ANALYZE. An import
-- calls this within its transaction. It must not wait for autovacuum or for another import, so a table that is locked
-- is skipped and left to autovacuum (docs/decisions/0152).
CREATE FUNCTION analyze_companies() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  ANALYZE (SKIP_LOCKED) public.prospect, public.prospect_search;
END $$;

-- What a sender group notes about a company. No row means active, without remarks.
CREATE TABLE active_prospect (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  active boolean NOT NULL DEFAULT true,
  remarks text COLLATE "C" NOT NULL DEFAULT '',
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Who wrote the remarks last, as legal_profile.member_id. No foreign key: it would check each row of an import.
  remarks_by bigint,
  remarks_at timestamptz,
  PRIMARY KEY (account_id, sender_group_id, prospect_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);
-- A list sorted by remarks begins without all remarks being sorted. By their beginnings: a whole one may be longer than
-- an index takes.
CREATE INDEX active_prospect_remarks_idx
  ON active_prospect (account_id, sender_group_id, left(remarks, 100), prospect_id) WHERE remarks <> '';

-- Whoever writes remarks without saying who, such as an import, must not leave the name of the one before.
CREATE FUNCTION forget_remarks_by() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.remarks_by := NULL;
  NEW.remarks_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER remarks_by_nobody BEFORE UPDATE ON active_prospect FOR EACH ROW
  WHEN (NEW.remarks <> OLD.remarks AND NEW.remarks_at IS NOT DISTINCT FROM OLD.remarks_at)
  EXECUTE FUNCTION forget_remarks_by();

-- Invented companies for a first try. Real sends leave them out, whatever address a person gives them.
CREATE TABLE sample_company (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  PRIMARY KEY (account_id, prospect_id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

-- Conditions of the prospect list that a member has saved: for himself, or for all members of the account.
CREATE TABLE saved_condition (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- The owner, who alone uses it; NULL: the account, all members use it.
  owner_id bigint,
  name text NOT NULL,
  -- The name as names are compared: NFKC, lower case.
  name_key text COLLATE "C" NOT NULL,
  -- As src/contract/saved-condition.ts writes it. A later version may not know all of it any more.
  where_info jsonb NOT NULL,
  -- Who saved it last. NULL: a member who is gone.
  member_id bigint,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  UNIQUE NULLS NOT DISTINCT (account_id, owner_id, name_key),
  FOREIGN KEY (account_id, owner_id) REFERENCES member (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE INDEX saved_condition_member_idx ON saved_condition (account_id, member_id);

----------------------------------------------------------------------------------------------------
-- Imports
----------------------------------------------------------------------------------------------------

-- An import in the browser begins with its upload; the command line adds a row when it has imported.
CREATE TABLE import_run (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  file_name text NOT NULL,
  encoding text,
  rows_read integer NOT NULL,
  rows_added integer NOT NULL,
  rows_updated integer NOT NULL,
  rows_refused integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  member_id bigint,
  state text NOT NULL DEFAULT 'imported'
    CHECK (state IN ('uploading', 'uploaded', 'checked', 'imported', 'undone')),
  -- The upload; NULL: it has expired, or the file came by the command line.
  file_id bigint,
  file_bytes bigint,
  -- SHA-256 of the first 64 KiB, in hexadecimal: a resumed upload must be the same file.
  head_sha256 text,
  -- How the file is read: encoding, separator, heading row, fields of its columns.
  settings jsonb,
  -- What the check has found.
  review jsonb,
  -- The last job: a check, a run or an undo. Jobs are deleted after a month.
  job_id bigint,
  rows_unchanged integer NOT NULL DEFAULT 0,
  imported_at timestamptz,
  -- What was undone.
  undone jsonb,
  -- The group that gets the remarks of the file; NULL: remarks are not imported.
  sender_group_id bigint,
  -- Rows of a company that an earlier row has, and rows of closed companies, totals and notes.
  rows_repeated integer NOT NULL DEFAULT 0,
  rows_closed integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, file_id) REFERENCES stored_file (account_id, id) ON DELETE SET NULL (file_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
);
CREATE INDEX import_run_file_idx ON import_run (account_id, file_id) WHERE file_id IS NOT NULL;

-- What the check of a file shows row by row. It is deleted with the file.
CREATE TABLE import_line (
  account_id bigint NOT NULL,
  file_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- changed, or a kind of fault
  kind text NOT NULL,
  file_row integer NOT NULL,
  -- The earlier row of the same company.
  first_row integer,
  prospect_id bigint,
  company_name text,
  column_label text NOT NULL DEFAULT '',
  value text NOT NULL DEFAULT '',
  reason text NOT NULL DEFAULT '',
  -- changed: {field: [old, new]}
  changes jsonb,
  -- refused: the cells of the row, to give it back.
  cells text[],
  PRIMARY KEY (account_id, file_id, id),
  FOREIGN KEY (account_id, file_id) REFERENCES stored_file (account_id, id) ON DELETE CASCADE
);
CREATE INDEX import_line_kind_idx ON import_line (account_id, file_id, kind, file_row, id);

-- The fields that a person chose for the columns of a heading row, for the next file with this row.
CREATE TABLE import_mapping (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- SHA-256 of the headings.
  heading_hash bytea NOT NULL,
  columns jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, heading_hash)
);

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

----------------------------------------------------------------------------------------------------
-- Reservations and runs
----------------------------------------------------------------------------------------------------

CREATE TABLE reservation (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  send_at timestamptz NOT NULL,
  is_sent boolean NOT NULL DEFAULT false,
  test_send_mode boolean NOT NULL,
  candidate_dates jsonb,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- What its targets were chosen with.
  days_from_lastday integer NOT NULL DEFAULT 1,
  -- Why a reservation whose time has come could not be sent when that was last tried, in words for its owner.
  refused_reason text,
  member_id bigint,
  -- When it was found too late to start.
  missed_at timestamptz,
  -- As in send_log.
  list_conditions jsonb,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE UNIQUE INDEX reservation_pending_key ON reservation (account_id, sender_id, send_at, test_send_mode)
  WHERE active AND NOT is_sent;
CREATE INDEX reservation_due_idx ON reservation (send_at) WHERE active AND NOT is_sent;
CREATE TRIGGER announce_reservation AFTER INSERT OR UPDATE ON reservation FOR EACH ROW
  WHEN (NEW.active AND NOT NEW.is_sent AND NEW.send_at <= now() + interval '10 seconds')
  EXECUTE FUNCTION announce_work();

-- One send of an attack list. `mail` is the snapshot every mail of the run is rendered from (subject and bodies as
-- templates, sender, account, candidate dates), so that a later edit of a template cannot change a mail already asked
-- for.
-- targets: how many deliveries the run has, for the books: targets = sent + failed + unknown + cancelled + open,
-- always.
-- request_hash, answer: what an idempotency key was first used with, and what that was answered.
CREATE TABLE send_log (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_group_id bigint NOT NULL,
  sender_id bigint,
  reservation_id bigint,
  test_send_mode boolean NOT NULL,
  sent_at timestamptz NOT NULL DEFAULT now(),
  days_from_lastday integer NOT NULL,
  mail jsonb NOT NULL,
  targets integer NOT NULL DEFAULT 0,
  idempotency_key text,
  request_hash bytea,
  answer jsonb,
  -- A paused run's mails wait with not_before = infinity: a claim passes them over as it does any mail whose time has
  -- not come, and what is paused is a matter of the same rows that workers lock. The run itself says who paused it,
  -- for mails that come back to the queue.
  paused_by text CHECK (paused_by IN ('user', 'sender_refused', 'policy_bounces')),
  cancelled boolean NOT NULL DEFAULT false,
  member_id bigint,
  -- The template of a run. NULL: a run that was recorded, without mails of ours.
  template_id bigint,
  -- When none of its mails waited or was being sent any more. NULL: it is open, or was recorded by hand.
  ended_at timestamptz,
  -- The highest percentage of failed mails so far, rounded up.
  failure_percent smallint NOT NULL DEFAULT 0,
  -- From which list a run or a reservation was made: filter and order of the companies, as its client has told them.
  -- NULL: it has not, or the reservation was joined from several lists.
  list_conditions jsonb,
  -- When retention was through with the run: its old mails are blanked. NULL: not yet.
  blanked_at timestamptz,
  -- When members were told that a mail of the run has met a limit for a day.
  limit_told_at timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, reservation_id) REFERENCES reservation (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id)
);
CREATE UNIQUE INDEX send_log_idempotency_key ON send_log (account_id, idempotency_key);
CREATE INDEX send_log_group_idx ON send_log (account_id, sender_group_id, sent_at);
CREATE INDEX send_log_template_idx ON send_log (account_id, template_id, sent_at) WHERE template_id IS NOT NULL;
CREATE INDEX send_log_open_idx ON send_log (account_id, id) WHERE ended_at IS NULL AND sender_id IS NOT NULL;
CREATE INDEX send_log_retention_idx ON send_log (account_id, ended_at, id)
  WHERE ended_at IS NOT NULL AND blanked_at IS NULL;

-- pending follows its reservation (active and not yet sent): kept here so that the database itself can forbid a second
-- one.
CREATE TABLE reservation_target (
  account_id bigint NOT NULL,
  reservation_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  test_send_mode boolean NOT NULL,
  pending boolean NOT NULL DEFAULT true,
  row_index integer NOT NULL DEFAULT 0,
  -- Of tests: the address that the client named.
  mail_to text,
  -- The run whose mail is followed up.
  follow_up_of bigint,
  PRIMARY KEY (account_id, reservation_id, prospect_id),
  FOREIGN KEY (account_id, reservation_id) REFERENCES reservation (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE,
  CHECK ((mail_to IS NOT NULL) = test_send_mode),
  FOREIGN KEY (account_id, follow_up_of) REFERENCES send_log (account_id, id)
);
CREATE UNIQUE INDEX reservation_target_pending_key ON reservation_target (account_id, sender_group_id, prospect_id)
  WHERE pending AND NOT test_send_mode;
CREATE INDEX reservation_target_follow_up_idx ON reservation_target (account_id, follow_up_of)
  WHERE follow_up_of IS NOT NULL;

-- Companies mailed outside of this tool, by the send log that says so (its sender_id is NULL, it has no deliveries).
CREATE TABLE recorded_contact (
  account_id bigint NOT NULL,
  send_log_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  PRIMARY KEY (account_id, send_log_id, prospect_id),
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

----------------------------------------------------------------------------------------------------
-- Delivery: the queue, and what workers share
----------------------------------------------------------------------------------------------------

-- The circuit breaker of a way to send, shared by all workers. Faults of the way itself (no connection, TLS, login) say
-- nothing about a mail, so they are counted here: too many in a row pause the way, and one mail after the pause probes
-- whether it is back. It belongs to no account. Accounts may know that mail waits, not what the operator's server said.
-- faults: in a row while it is open. pauses: in a row since a server last answered; each is longer than the one before.
-- paused_until: NULL: open. Past: the pause is over, and one mail may probe.
CREATE TABLE transport (
  name text PRIMARY KEY,
  faults integer NOT NULL DEFAULT 0,
  pauses integer NOT NULL DEFAULT 0,
  paused_until timestamptz,
  last_fault text,
  -- The mail that probes whether a paused mail server works again: its claim, which no other probe runs beside. NULL:
  -- no probe since the last answer or pause. It is no foreign key: its account may end (docs/decisions/0041).
  probe_account_id bigint,
  probe_delivery_id bigint,
  probe_claim_no integer,
  -- One sender has met a limit: the next mail of another one goes alone, to show whether the limit is everybody's.
  limit_suspected boolean NOT NULL DEFAULT false,
  -- The limit is everybody's: when the server takes mails again at the latest (docs/decisions/0255). NULL:
  -- paused_until, if any, is a fault's.
  limited_until timestamptz,
  -- How many connections of a worker the server admits (docs/decisions/0256), and when that was learned. NULL: it named
  -- no limit.
  connections_max integer CHECK (connections_max >= 1),
  connections_at timestamptz,
  -- The largest mail in bytes that the mail server said it accepts (SIZE, RFC 1870; docs/decisions/0259).
  -- 0: it names no limit. NULL: it has not said anything yet. max_mail_bytes_of: the server that said so.
  max_mail_bytes bigint,
  max_mail_bytes_of text
);
INSERT INTO transport (name) VALUES ('smtp');
CREATE TRIGGER announce_transport AFTER UPDATE ON transport FOR EACH ROW
  WHEN (NEW.paused_until IS DISTINCT FROM OLD.paused_until) EXECUTE FUNCTION announce_work();

-- The pace of a sender, over all worker processes: the row is locked at each claim.
-- next_at: before this moment no mail of the sender is claimed (mails_per_minute NULL: no limit).
CREATE TABLE sender_throttle (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  mails_per_minute integer CHECK (mails_per_minute BETWEEN 1 AND 60000),
  max_connections integer NOT NULL DEFAULT 20 CHECK (max_connections BETWEEN 1 AND 200),
  next_at timestamptz NOT NULL DEFAULT now(),
  -- The account's own limit. The operator's, mails_per_minute, holds besides it.
  chosen_per_minute integer CHECK (chosen_per_minute BETWEEN 1 AND 60000),
  -- Since when the mail server has refused this sender's mails for our quota, rate or plan. NULL: it does not.
  limited_since timestamptz,
  -- When it takes them again at the latest, as members are told.
  limited_until timestamptz,
  -- When one mail may try it. Set as long as limited_since is.
  probe_at timestamptz,
  PRIMARY KEY (account_id, sender_id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id) ON DELETE CASCADE
);

-- How many connections of a sender each worker holds; a row past its lease belongs to a dead worker and counts no more.
CREATE TABLE sender_connection (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  worker_id uuid NOT NULL,
  connections integer NOT NULL CHECK (connections > 0),
  lease_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_id, worker_id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender_throttle (account_id, sender_id) ON DELETE CASCADE
);

-- When a sender may have a mail to claim: what idle workers look at, instead of at every sender. A note is made with
-- each mail that is queued, and removed by the claim that finds nothing left to claim at that time
-- (claim.queries.ts). Notes are only inserted and deleted, never updated: whoever queues a mail waits for nobody, and
-- a claim removes no note of a transaction that it does not see. Always: each queued mail that is not held
-- ('infinity') has a note of its sender with due_at <= not_before.
CREATE TABLE sender_due (
  account_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  due_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id) ON DELETE CASCADE
);
CREATE INDEX sender_due_idx ON sender_due (due_at);
CREATE TRIGGER announce_mail AFTER INSERT ON sender_due FOR EACH ROW
  WHEN (NEW.due_at <= now() + interval '10 seconds') EXECUTE FUNCTION announce_work();

-- One mail of one run to one prospect: the work queue and the log at once, so that there is one truth.
-- claim_no is the fence: every change names (id, claim_no, state), and a worker that woke up late changes nothing.
-- Message-ID and Date are fixed here, before the first try: every copy of a mail is recognisable.
-- Reads of mails and contacts cost a quarter more where a fifth of the rows is dead, which is when autovacuum begins by
-- default (docs/decisions/0207).
CREATE TABLE delivery (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  send_log_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  sender_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  test_send_mode boolean NOT NULL,
  row_index integer NOT NULL,
  mail_to text,
  company_name text NOT NULL,
  person_in_charge text NOT NULL,
  message_id text NOT NULL,
  mail_date timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'queued'
    CHECK (state IN ('queued', 'claimed', 'sending', 'sent', 'failed', 'unknown', 'cancelled')),
  reason text,
  attempts integer NOT NULL DEFAULT 0,
  not_before timestamptz NOT NULL DEFAULT now(),
  worker_id uuid,
  claim_no integer NOT NULL DEFAULT 0,
  lease_until timestamptz,
  smtp_reply text,
  created_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  -- An earlier try ended unknown and its owner had it sent again: whatever becomes of it, it can never again count as
  -- not sent.
  maybe_sent boolean NOT NULL DEFAULT false,
  -- When the company's own mail server took the mail, where somebody tells us: `sent` says that the server we hand
  -- mails to has it.
  delivered_at timestamptz,
  -- The address as src/domain/address-key.ts compares it. A column and no index expression: behind row level security
  -- the planner uses no index on lower(), which is not leakproof.
  address_key text COLLATE "C" GENERATED ALWAYS AS (lower(mail_to COLLATE "C")) STORED,
  shares_address boolean NOT NULL DEFAULT false,
  -- The key with which its reader refuses further mails (/u/KEY). It names nobody and never expires. Whoever shows it
  -- may be of any account, so kaitaku_login looks it up.
  mail_key uuid NOT NULL DEFAULT gen_random_uuid(),
  -- A mail of an erased person keeps its state and times, and of its address the hash: its key still refuses. So does a
  -- blanked one.
  erased_hash bytea,
  -- When retention took name and address out. NULL: it did not; then `erased_hash` is of an erased person.
  blanked_at timestamptz,
  -- A follow-up names the mail that it follows: it goes into that mail's thread. No foreign key: a mail is deleted only by
  -- the transaction that has inserted it.
  follows_id bigint,
  -- The major industry of the company at the acceptance of the mail. NULL: it had none.
  industry_id integer,
  -- Written by triggers alone. `replied`: by a person. `refused`: its reader refused further mails, and has not undone
  -- it. `dead`: it showed that its address cannot be reached.
  replied boolean NOT NULL DEFAULT false,
  refused boolean NOT NULL DEFAULT false,
  complained boolean NOT NULL DEFAULT false,
  dead boolean NOT NULL DEFAULT false,
  -- When a member last queued the mail again. Reports may be about an earlier try. NULL: never.
  requeued_at timestamptz,
  -- Since when the mail has met a limit of its sender (sender_throttle). NULL: it never did.
  limited_since timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, send_log_id, prospect_id),
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, sender_id) REFERENCES sender (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id),
  CONSTRAINT delivery_check CHECK (state IN ('queued', 'cancelled') OR mail_to IS NOT NULL OR erased_hash IS NOT NULL),
  CONSTRAINT delivery_check1 CHECK ((state IN ('claimed', 'sending')) = (lease_until IS NOT NULL)),
  -- A blanked mail is not sent again: whoever gives it an address says first that it is whole.
  CONSTRAINT delivery_check2 CHECK (blanked_at IS NULL OR mail_to IS NULL)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02);
COMMENT ON COLUMN delivery.shares_address IS
  'The mail does not hold its address: it is outside of delivery_open_address_key until its claim. Its company has
another address now (decision 0115).';
-- unknown is open: nobody knows whether the company got the mail, so no second one may start.
CREATE UNIQUE INDEX delivery_open_key ON delivery (account_id, sender_group_id, prospect_id)
  WHERE state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode;
CREATE INDEX delivery_queue_idx ON delivery (account_id, sender_id, not_before, id) WHERE state = 'queued';
CREATE INDEX delivery_lease_idx ON delivery (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX delivery_prospect_idx ON delivery (account_id, prospect_id);
-- A sender's mails per minute are counted by those whose try has ended within the last one.
CREATE INDEX delivery_finished_idx ON delivery (account_id, sender_id, finished_at)
  WHERE finished_at IS NOT NULL AND state <> 'cancelled';
-- The last judge of two runs at the same moment: one open mail a group and address, as delivery_open_key is for
-- companies.
CREATE UNIQUE INDEX delivery_open_address_key ON delivery (account_id, address_key, sender_group_id)
  WHERE state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode AND NOT shares_address;
-- Counts the mails nobody has decided about yet, for the metrics, without a scan of all mails.
CREATE INDEX delivery_unknown_idx ON delivery (finished_at) WHERE state = 'unknown';
-- Not unique: 122 random bits suffice, and the key comes without an account.
CREATE INDEX delivery_mail_key_idx ON delivery (mail_key);
-- All mails to an address, for what is shown and erased on request: literally what delivery_open_address_key leaves
-- out, without blanked mails.
CREATE INDEX delivery_address_idx ON delivery (account_id, address_key)
  WHERE NOT (state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode AND NOT shares_address)
    AND address_key IS NOT NULL;
CREATE INDEX delivery_failed_idx ON delivery (account_id, send_log_id) WHERE state = 'failed' AND NOT test_send_mode;
-- Answers name the Message-ID, `<uuid@domain>`, of the mail that they answer. A mail whose forward came back counts as
-- failed, and its reader may answer all the same.
CREATE INDEX delivery_message_idx ON delivery (substring(message_id, 2, 36))
  WHERE state IN ('sent', 'unknown', 'failed');
-- Whether an address was erased is asked by its hash. Few mails have one.
CREATE INDEX delivery_erased_idx ON delivery (account_id, erased_hash)
  WHERE erased_hash IS NOT NULL AND blanked_at IS NULL;
-- The blanked mails: their number, and those to an address, by its hash. Mails that are sent never come near it.
CREATE INDEX delivery_blanked_idx ON delivery (account_id, erased_hash) WHERE blanked_at IS NOT NULL;
CREATE INDEX delivery_limited_idx ON delivery (account_id, sender_id)
  WHERE state = 'queued' AND limited_since IS NOT NULL;
-- The mails that wait until a member has decided about an answer (reply.doubted_address).
CREATE INDEX delivery_held_idx ON delivery (account_id) WHERE state = 'queued' AND reason = 'maybe_refused';

CREATE FUNCTION note_queued_mails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sender_due (account_id, sender_id, due_at)
  SELECT account_id, sender_id, min(not_before) FROM new_rows
  WHERE state = 'queued' AND not_before < 'infinity'
  GROUP BY account_id, sender_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_inserted AFTER INSERT ON delivery REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_queued_mails();

-- By row: the statements that finish mails change not_before too, and tables of all that they change would slow each of
-- them down. One note of a transaction is enough: nobody else sees it before the mails beside it.
CREATE FUNCTION note_requeued_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sender_due (account_id, sender_id, due_at)
  SELECT NEW.account_id, NEW.sender_id, NEW.not_before
  WHERE NOT EXISTS (
    SELECT FROM sender_due
    WHERE account_id = NEW.account_id AND sender_id = NEW.sender_id AND due_at <= NEW.not_before
      AND xmin = pg_current_xact_id()::xid);
  RETURN NULL;
END $$;
CREATE TRIGGER note_requeued AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'queued' AND NEW.not_before < 'infinity'
    AND (OLD.state <> 'queued' OR NEW.not_before < OLD.not_before))
  EXECUTE FUNCTION note_requeued_mail();

----------------------------------------------------------------------------------------------------
-- Contacts: who was mailed when, which the re-send interval looks at
----------------------------------------------------------------------------------------------------

-- When a group last mailed a company (real sends only). Kept in the transaction that changes a delivery or a send log,
-- so that no list ever takes max() over the logs. Its statistics decide the plan of previews (docs/decisions/0207).
CREATE TABLE contact_state (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  last_sent_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_group_id, prospect_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
-- The indexes by date serve reads by date alone; one contact is read by its primary key. The condition holds for every
-- row. A query that does not name it or a date cannot use the index: without statistics the planner found both indexes
-- equal for one contact, and read all contacts of the group.
CREATE INDEX contact_state_last_sent_idx ON contact_state (account_id, sender_group_id, last_sent_at, prospect_id)
  WHERE last_sent_at > '-infinity';

-- When a group last mailed an address (real sends only), whichever company had it. eligibility.queries.ts holds back
-- every company with an address mailed within the interval, also one that was imported again under another name or
-- place. A trigger writes it, so that no writer of a delivery can forget it; an unknown mail holds its address by
-- delivery_open_address_key.
CREATE TABLE address_contact (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  last_sent_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, address_key, sender_group_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX address_contact_last_sent_idx ON address_contact (account_id, sender_group_id, last_sent_at, address_key)
  WHERE last_sent_at > '-infinity';

-- Without the old rows: joined with each other, transition tables take quadratic time. Mails of erased persons have no
-- address.
CREATE FUNCTION keep_address_contact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
  SELECT account_id, sender_group_id, address_key, max(coalesce(finished_at, now()))
  FROM new_rows
  WHERE state = 'sent' AND NOT test_send_mode AND address_key IS NOT NULL
  GROUP BY 1, 2, 3
  ORDER BY 1, 3, 2
  ON CONFLICT (account_id, address_key, sender_group_id)
    DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_address_contact AFTER UPDATE ON delivery REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_address_contact();

-- Mails that went out by another tool, to the address that their company has when they are recorded.
CREATE FUNCTION keep_recorded_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE $query$
    INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
    SELECT log.account_id, log.sender_group_id, prospect.email_search, max(log.sent_at)
    FROM new_rows AS recorded
    JOIN send_log AS log ON log.account_id = recorded.account_id AND log.id = recorded.send_log_id
    JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
    WHERE prospect.email_search <> ''
    GROUP BY 1, 2, 3
    ORDER BY 1, 3, 2
    ON CONFLICT (account_id, address_key, sender_group_id)
      DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at $query$;
  EXECUTE $query$
    SELECT share_addresses(array_agg(prospect.account_id), array_agg(prospect.id), array_agg(prospect.email_search))
    FROM new_rows AS recorded
    JOIN prospect ON prospect.account_id = recorded.account_id AND prospect.id = recorded.prospect_id
    WHERE prospect.email_search <> '' $query$;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_recorded_address AFTER INSERT ON recorded_contact REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION keep_recorded_address();

-- Companies whose address was mailed, or is being mailed, as that of another one: for all others contact_state tells
-- the same. The preview of a list compares the addresses of these alone; comparing those of all took a third of its
-- time.
CREATE TABLE shared_address (
  account_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  address_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, prospect_id, address_key),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

-- For mails to these companies at these addresses: the other companies that have one of them. It looks addresses up in
-- the sort index, which has no archived companies. One that is brought back is an updated row of share_new_address().
CREATE FUNCTION share_addresses(accounts bigint[], prospects bigint[], addresses text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT DISTINCT other.account_id, other.id, mailed.address_key
    FROM unnest($1, $2, $3) AS mailed (account_id, prospect_id, address_key)
    JOIN prospect AS other ON other.account_id = mailed.account_id AND other.archived_at IS NULL
      AND other.email_search COLLATE "C" = mailed.address_key COLLATE "C" AND other.id <> mailed.prospect_id
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$ USING accounts, prospects, addresses;
END $$;

CREATE FUNCTION share_mailed_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM share_addresses(array_agg(account_id), array_agg(prospect_id), array_agg(address_key))
  FROM new_rows WHERE NOT test_send_mode AND state IN ('queued', 'claimed', 'sending', 'unknown');
  RETURN NULL;
END $$;
CREATE TRIGGER share_mailed_address AFTER INSERT ON delivery REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION share_mailed_address();

-- Companies that get an address at which another one was mailed, or is being mailed.
CREATE FUNCTION share_new_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    EXECUTE $query$
      DELETE FROM shared_address AS shared USING new_rows AS added
      WHERE shared.account_id = added.account_id AND shared.prospect_id = added.id
        AND shared.address_key IS DISTINCT FROM added.email_search COLLATE "C" $query$;
  END IF;
  EXECUTE $query$
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT account_id, id, email_search
    FROM new_rows AS added
    WHERE email_search <> '' AND (
      EXISTS (
        SELECT FROM address_contact AS mailed
        WHERE mailed.account_id = added.account_id AND mailed.address_key = added.email_search COLLATE "C" AND NOT EXISTS (
          SELECT FROM contact_state AS own
          WHERE own.account_id = added.account_id AND own.sender_group_id = mailed.sender_group_id
            AND own.prospect_id = added.id AND own.last_sent_at >= mailed.last_sent_at))
      OR EXISTS (
        SELECT FROM delivery AS other
        WHERE other.account_id = added.account_id AND other.address_key = added.email_search COLLATE "C"
          AND other.prospect_id <> added.id AND other.state IN ('queued', 'claimed', 'sending', 'unknown')
          AND NOT other.test_send_mode AND NOT other.shares_address))
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING $query$;
  RETURN NULL;
END $$;
CREATE TRIGGER share_new_address_inserted AFTER INSERT ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION share_new_address();
CREATE TRIGGER share_new_address_updated AFTER UPDATE ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION share_new_address();

-- Real mails that a server refused for good while they were sent, for a reason that lies with the recipient or with our
-- name: the group leaves the address alone for the re-send interval (eligibility.queries.ts). See docs/decisions/0260.
-- Sending a mail again deletes its row. It outlives the address of its mail, which retention takes out.
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

----------------------------------------------------------------------------------------------------
-- Suppressions and erasures
----------------------------------------------------------------------------------------------------

-- An address (kind address) or everything behind an @ (kind domain) that must not be mailed again; value in lower case.
-- One value may be suppressed for several reasons: each has its row.
--   refused        its owner does not want our mails
--   undeliverable  its mail server says that it does not exist
--   blocked        a member of the account does not want to mail it
CREATE TABLE suppression (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('address', 'domain')),
  value text NOT NULL CHECK (value = lower(value)),
  -- The words of a mail server; empty where a person suppressed.
  reason text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  member_id bigint,
  -- For the wire: a URL must not contain an address.
  id bigint GENERATED ALWAYS AS IDENTITY,
  class text NOT NULL DEFAULT 'undeliverable' CHECK (class IN ('refused', 'undeliverable', 'blocked')),
  source text NOT NULL DEFAULT 'smtp' CHECK (source IN ('link', 'one_click', 'mailto', 'reply', 'manual', 'csv',
    'smtp', 'dsn', 'complaint', 'sendgrid', 'erased')),
  -- The mail that was refused, or that could not be delivered. NULL: none, or not known.
  delivery_id bigint,
  -- Why its reader refuses, by a choice on the page.
  opt_out_reason text CHECK (opt_out_reason IN ('irrelevant', 'too_many', 'unknown_sender', 'other')),
  -- Of the member who added it.
  note text NOT NULL DEFAULT '',
  -- Until then the reader of that mail may undo the refusal. NULL: not by the page.
  undo_until timestamptz,
  -- Open mails to it are still to be cancelled. The process that added it does so at once; the workers' sweep if it
  -- died.
  cancels_mails boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, kind, value, class),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  CONSTRAINT suppression_id_key UNIQUE (account_id, id),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (delivery_id)
);
CREATE INDEX suppression_delivery_idx ON suppression (account_id, delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX suppression_cancels_idx ON suppression (account_id, id) WHERE cancels_mails;

-- What was lifted, and why: evidence that the account may mail an address again.
CREATE TABLE lifted_suppression (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- As in suppression.
  id bigint NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  class text NOT NULL,
  source text NOT NULL,
  reason text NOT NULL,
  delivery_id bigint,
  opt_out_reason text,
  note text NOT NULL,
  member_id bigint,
  created_at timestamptz NOT NULL,
  lifted_at timestamptz NOT NULL DEFAULT now(),
  -- NULL: the reader of the mail undid the refusal.
  lifted_by bigint,
  -- Asked for where the owner of the address had refused. 'undone': by the reader of the mail.
  lift_reason text CHECK (lift_reason IN ('asked_again', 'mistake', 'undone')),
  -- The day on which the owner of the address consented again.
  consented_on date,
  lift_note text NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (delivery_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, lifted_by) REFERENCES member (account_id, id) ON DELETE SET NULL (lifted_by)
);
CREATE INDEX lifted_suppression_delivery_idx ON lifted_suppression (account_id, delivery_id)
  WHERE delivery_id IS NOT NULL;

-- The suppressions of erased addresses. When such an address comes in again, its rows go back to `suppression`.
CREATE TABLE suppression_hash (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- address_hash()
  hash bytea NOT NULL,
  -- As in suppression.
  class text NOT NULL CHECK (class IN ('refused', 'undeliverable', 'blocked')),
  source text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, hash, class)
);

-- Whichever way an address comes in (import, form, undo): what was suppressed stays suppressed.
CREATE FUNCTION recall_suppressions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM suppression_hash) THEN
    RETURN NULL;
  END IF;
  EXECUTE $query$
    WITH known AS (
      DELETE FROM suppression_hash AS kept
      USING (
        SELECT DISTINCT added.account_id, added.email_search,
          sha256(account.hash_salt || convert_to(added.email_search, 'UTF8')) AS hash
        FROM new_rows AS added JOIN account ON account.id = added.account_id
        WHERE added.email_search <> '') AS address
      WHERE kept.account_id = address.account_id AND kept.hash = address.hash
      RETURNING kept.account_id, address.email_search, kept.class, kept.source, kept.created_at
    )
    INSERT INTO suppression (account_id, kind, value, class, source, created_at)
    SELECT account_id, 'address', email_search, class, source, created_at FROM known
    ORDER BY account_id, email_search COLLATE "C", class
    ON CONFLICT DO NOTHING $query$;
  RETURN NULL;
END $$;
CREATE TRIGGER recall_suppressions_inserted AFTER INSERT ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();
CREATE TRIGGER recall_suppressions_updated AFTER UPDATE ON prospect REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION recall_suppressions();

-- When each address was last erased, as a hash. A mail to it that was claimed before is no longer missed by its
-- receipt, whatever became of the mail and its contacts. See docs/decisions/0252.
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

----------------------------------------------------------------------------------------------------
-- Inbox: what comes back
----------------------------------------------------------------------------------------------------

-- The mailbox that bounces and answers come back to (INBOX_URL). One worker reads it, as long as its lease lasts. It is
-- of all accounts: they may read no name of a machine or of a mailbox.
CREATE TABLE inbox (
  -- The mailbox without its password: another one has a row of its own.
  name text NOT NULL PRIMARY KEY,
  -- RFC 3501: the uids of mails hold as long as this stays the same. NULL: never read.
  uid_validity bigint,
  last_uid bigint NOT NULL DEFAULT 0,
  worker_id uuid,
  lease_until timestamptz,
  tried_at timestamptz NOT NULL DEFAULT now(),
  read_at timestamptz,
  -- Why the last try failed; NULL: it did not.
  fault text CHECK (fault IN ('connection', 'login', 'mailbox', 'other')),
  -- Mails that were read, those about no mail of ours, and those that could not be read.
  mails bigint NOT NULL DEFAULT 0,
  unmatched bigint NOT NULL DEFAULT 0,
  skipped bigint NOT NULL DEFAULT 0,
  -- When workers first tried to read the mailbox.
  since timestamptz NOT NULL DEFAULT now()
);

-- Parses of inbox mails that have begun and not ended: what is left here after a crash may have caused it.
CREATE TABLE inbox_parse (
  -- As `inbox.name`; of a mail from a pipe the name of its command.
  mailbox text NOT NULL,
  -- `uid_validity:uid`; of a mail from a pipe its hash.
  mail text NOT NULL,
  -- Tries that did not end, and the one that is under way.
  tries smallint NOT NULL,
  -- Who is at it. Its own earlier try did not end its process. NULL: nobody.
  worker_id uuid,
  begun_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (mailbox, mail)
);

-- What servers report about mails that were accepted first. The class is that of domain/bounce-class.ts.
CREATE TABLE bounce (
  account_id bigint NOT NULL,
  delivery_id bigint NOT NULL,
  class text NOT NULL CHECK (class IN ('hard', 'filtered', 'soft', 'policy', 'mail')),
  send_log_id bigint NOT NULL,
  -- The enhanced status code (RFC 3463).
  status text,
  -- The server's words.
  reply text NOT NULL,
  -- It names another address: the mail was forwarded, so it says nothing about the address that we know.
  is_forwarded boolean NOT NULL,
  -- Of the mails that reported it. The same mail again changes nothing; another one is about a later try.
  message_hashes bytea[] NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, delivery_id, class),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, send_log_id) REFERENCES send_log (account_id, id) ON DELETE CASCADE
);
CREATE INDEX bounce_run_idx ON bounce (account_id, send_log_id, class);

-- Answers to mails. 'manual': a member noted it. An answer stops further mails to its company, until somebody has
-- handled it (src/domain/eligibility.ts).
CREATE TABLE reply (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- NULL: noted by hand.
  delivery_id bigint,
  prospect_id bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('reply', 'auto_reply', 'manual')),
  from_address text NOT NULL DEFAULT '',
  subject text NOT NULL DEFAULT '',
  -- The text above the quotation.
  excerpt text NOT NULL DEFAULT '' CHECK (char_length(excerpt) <= 500),
  -- The same for the same mail, so that reading it twice adds nothing. NULL: noted by hand.
  message_hash bytea,
  at timestamptz NOT NULL DEFAULT now(),
  handled_at timestamptz,
  -- It asks for no more mails, in its own words.
  is_refusal boolean NOT NULL DEFAULT false,
  -- Who noted it by hand.
  member_id bigint,
  handled_by bigint,
  -- Its company's unsent mails are still to be cancelled, as in `suppression`.
  cancels_mails boolean NOT NULL DEFAULT false,
  -- Anybody may write a From. What the answer says of its writer (docs/decisions/0248).
  from_trust text NOT NULL DEFAULT 'none' CHECK (from_trust IN ('none', 'single', 'authenticated')),
  -- The first 16 bytes of the hash of each answer whose text this one has replaced, or that it stands for.
  folded_hashes bytea[] NOT NULL DEFAULT '{}'
    CHECK (cardinality(folded_hashes) <= 1000),
  -- The answer may ask for no more mails: its company and this address, which the mail went to, wait until a member has
  -- decided (docs/decisions/0257). In the form of addressKey. NULL: what the answer says is clear.
  doubted_address text COLLATE "C",
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, message_hash),
  FOREIGN KEY (account_id, delivery_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (delivery_id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  FOREIGN KEY (account_id, handled_by) REFERENCES member (account_id, id) ON DELETE SET NULL (handled_by)
);
CREATE INDEX reply_prospect_idx ON reply (account_id, prospect_id);
CREATE INDEX reply_delivery_idx ON reply (account_id, delivery_id) WHERE delivery_id IS NOT NULL;
CREATE INDEX reply_open_idx ON reply (account_id, prospect_id) WHERE kind <> 'auto_reply' AND handled_at IS NULL;
CREATE INDEX reply_cancels_idx ON reply (account_id, id) WHERE cancels_mails;
CREATE INDEX reply_doubt_idx ON reply (account_id, doubted_address)
  WHERE doubted_address IS NOT NULL AND kind <> 'auto_reply' AND handled_at IS NULL;

----------------------------------------------------------------------------------------------------
-- Retention: names and addresses are taken out of old mails
----------------------------------------------------------------------------------------------------

-- See docs/decisions/retention.md.

-- How long an account keeps names and addresses in its mails. Without a row it keeps all.
CREATE TABLE mail_retention (
  account_id bigint PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  -- Bounces are counted over 180 days (SOFT_BOUNCE_DAYS): no mail may be blanked before.
  months smallint NOT NULL CHECK (months BETWEEN 6 AND 120),
  -- How far it is: mails of this run up to this company have been looked at. NULL: at the start of a run.
  send_log_id bigint,
  after_prospect_id bigint NOT NULL DEFAULT 0,
  -- When a worker looks again.
  next_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  member_id bigint,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE INDEX mail_retention_next_idx ON mail_retention (next_at);

----------------------------------------------------------------------------------------------------
-- Reports: sums of real mails by when they ended
----------------------------------------------------------------------------------------------------

-- A report reads the sums together with `report_change`.

-- Hours of the clock in Tokyo since 1970-01-01 00:00 there: / 24 is the day. Tokyo has no clock changes.
CREATE FUNCTION tokyo_hour(at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor((extract(epoch FROM at) + 32400) / 3600)::integer;

-- Folds update the sums of the present hour and day in place (HOT): room is left in their pages, and the figures stand
-- in no index. They are integers: sum(bigint) would be a numeric.
CREATE TABLE report_hour (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  hour integer NOT NULL,
  sender_group_id bigint NOT NULL,
  template_id bigint,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  complained integer NOT NULL,
  dead integer NOT NULL,
  UNIQUE NULLS NOT DISTINCT (account_id, hour, sender_group_id, template_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE report_industry (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  -- Days in Tokyo since 1970-01-01.
  day integer NOT NULL,
  sender_group_id bigint NOT NULL,
  template_id bigint,
  industry_id integer,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  UNIQUE NULLS NOT DISTINCT (account_id, day, sender_group_id, template_id, industry_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, industry_id) REFERENCES industry (account_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- What the sums do not contain yet. Writers only append, so that workers never wait for each other. Workers fold it
-- into the sums. No index and no foreign key: a fold reads and deletes all of it, every few seconds.
CREATE TABLE report_change (
  account_id bigint NOT NULL,
  send_log_id bigint NOT NULL,
  hour integer NOT NULL,
  industry_id integer,
  sent integer NOT NULL,
  failed integer NOT NULL,
  unknown integer NOT NULL,
  replied integer NOT NULL,
  refused integer NOT NULL,
  complained integer NOT NULL,
  dead integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Deliveries are never inserted as ended. The rows are not joined: joined transition tables take quadratic time.
CREATE FUNCTION count_results() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO report_change
  SELECT account_id, send_log_id, hour, industry_id, sum(sent), sum(failed), sum(unknown), sum(replied), sum(refused),
    sum(complained), sum(dead)
  FROM (
    SELECT account_id, send_log_id, tokyo_hour(finished_at) AS hour, industry_id, (state = 'sent')::integer AS sent,
      (state = 'failed')::integer AS failed, (state = 'unknown')::integer AS unknown, replied::integer AS replied,
      refused::integer AS refused, complained::integer AS complained, dead::integer AS dead
    FROM new_rows
    WHERE finished_at IS NOT NULL AND NOT test_send_mode AND state IN ('sent', 'failed', 'unknown')
    UNION ALL
    SELECT account_id, send_log_id, tokyo_hour(finished_at), industry_id, -(state = 'sent')::integer,
      -(state = 'failed')::integer, -(state = 'unknown')::integer, -replied::integer, -refused::integer,
      -complained::integer, -dead::integer
    FROM old_rows
    WHERE finished_at IS NOT NULL AND NOT test_send_mode AND state IN ('sent', 'failed', 'unknown')
  ) AS change
  GROUP BY 1, 2, 3, 4
  HAVING sum(sent) <> 0 OR sum(failed) <> 0 OR sum(unknown) <> 0 OR sum(replied) <> 0 OR sum(refused) <> 0
    OR sum(complained) <> 0 OR sum(dead) <> 0;
  RETURN NULL;
END $$;
CREATE TRIGGER count_results AFTER UPDATE ON delivery REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_results();

CREATE FUNCTION note_reply() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE delivery AS d SET replied = NOT replied
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id AND d.replied <> EXISTS (
    SELECT FROM reply
    WHERE reply.account_id = d.account_id AND reply.delivery_id = d.id AND reply.kind <> 'auto_reply');
  RETURN NULL;
END $$;
CREATE TRIGGER note_reply AFTER INSERT OR UPDATE OF kind, delivery_id ON reply
  FOR EACH ROW WHEN (NEW.delivery_id IS NOT NULL) EXECUTE FUNCTION note_reply();

-- Of suppressions, what their mail has caused. It stays when the suppression is lifted or its address erased.
CREATE FUNCTION note_suppression() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE delivery AS d SET
    refused = d.refused OR NEW.class = 'refused' AND NEW.source <> 'complaint',
    complained = d.complained OR NEW.source = 'complaint',
    dead = d.dead OR NEW.class = 'undeliverable'
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_suppression AFTER INSERT ON suppression
  FOR EACH ROW WHEN (NEW.delivery_id IS NOT NULL AND NEW.class <> 'blocked') EXECUTE FUNCTION note_suppression();

-- Its reader has undone a refusal.
CREATE FUNCTION note_undone_refusal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE delivery AS d SET refused = false
  WHERE d.account_id = NEW.account_id AND d.id = NEW.delivery_id AND d.refused AND NOT EXISTS (
    SELECT FROM suppression AS other
    WHERE other.account_id = d.account_id AND other.delivery_id = d.id AND other.class = 'refused'
      AND other.source <> 'complaint');
  RETURN NULL;
END $$;
CREATE TRIGGER note_undone_refusal AFTER INSERT ON lifted_suppression
  FOR EACH ROW WHEN (NEW.lift_reason = 'undone') EXECUTE FUNCTION note_undone_refusal();

----------------------------------------------------------------------------------------------------
-- Notices: what happens in an account and its members should hear of
----------------------------------------------------------------------------------------------------

-- See decisions 0191 and 0192.

-- An event is written by the transaction of what it tells, by the triggers below. A worker folds events into notices.
CREATE TABLE notice_event (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- 'failed_mails': more mails of the run `subject_id` have failed. No notice: its percentage is to be computed.
  kind text NOT NULL CHECK (kind IN ('run_ended', 'failures', 'stopped', 'reservation_missed', 'reply',
    'doubtful_reply', 'refusal', 'import_ended', 'domain_bad', 'failed_mails')),
  -- The run, the reservation, the company, the import or a sender of the domain. NULL: all of the account.
  subject_id bigint,
  -- Of failures: the percentages before and after.
  from_percent smallint,
  percent smallint,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

-- How one member is told, and the one mail that is on its way to them.
CREATE TABLE notice_member (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  -- Kinds that are not shown, and kinds that are not mailed.
  screen_off text[] NOT NULL DEFAULT '{}',
  mail_off text[] NOT NULL DEFAULT '{run_ended,import_ended}',
  -- Failures are told above this percentage of a run.
  failure_percent smallint NOT NULL DEFAULT 10 CHECK (failure_percent BETWEEN 1 AND 99),
  morning_summary boolean NOT NULL DEFAULT true,
  -- The last day in Tokyo whose summary is done with.
  summary_on date NOT NULL DEFAULT (now() AT TIME ZONE 'Asia/Tokyo')::date,
  mail_claim_no integer NOT NULL DEFAULT 0,
  -- A worker sends a mail until then. NULL: none is on its way.
  mail_lease_until timestamptz,
  -- The day of the summary in that mail. NULL: it has none.
  mailing_summary date,
  mail_attempts smallint NOT NULL DEFAULT 0,
  mail_not_before timestamptz NOT NULL DEFAULT now(),
  -- A try of that mail ended so: nobody knows whether it arrived. It is sent once more.
  mail_lost boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, member_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE
);

-- What one member is told. Several events of a kind within an hour are one row that counts them.
CREATE TABLE notice (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  member_id bigint NOT NULL,
  kind text NOT NULL,
  count integer NOT NULL,
  -- The newest few, the newest first. Names are read when they are shown: a notice holds none.
  subjects bigint[] NOT NULL,
  -- Of failures: the percentage that they are above.
  percent smallint,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  read_at timestamptz,
  on_screen boolean NOT NULL,
  -- Of `count`: how many mails have told, and how many with the mail on its way. NULL: it is in none.
  mailed integer NOT NULL DEFAULT 0,
  mailing integer,
  -- NULL: nothing is to be mailed.
  mail_due_at timestamptz,
  -- When a mail last took it.
  mailed_at timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, member_id) REFERENCES notice_member (account_id, member_id) ON DELETE CASCADE
);
CREATE INDEX notice_member_idx ON notice (account_id, member_id, last_at, id) WHERE on_screen;
CREATE INDEX notice_unread_idx ON notice (account_id, member_id, kind) WHERE read_at IS NULL;
CREATE INDEX notice_mail_idx ON notice (mail_due_at) WHERE mail_due_at IS NOT NULL;
CREATE INDEX notice_mailed_idx ON notice (account_id, member_id, kind, mailed_at) WHERE mailed_at IS NOT NULL;
CREATE INDEX notice_age_idx ON notice (last_at);

CREATE FUNCTION add_notice_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_member (account_id, member_id) VALUES (NEW.account_id, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER add_notice_member AFTER INSERT ON member FOR EACH ROW EXECUTE FUNCTION add_notice_member();

-- TG_ARGV: the kind.
CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject bigint;
BEGIN
  IF TG_TABLE_NAME IN ('send_log', 'reservation') THEN
    subject := NEW.id;
  ELSIF TG_TABLE_NAME = 'reply' THEN
    subject := NEW.prospect_id;
  ELSIF TG_TABLE_NAME = 'suppression' THEN
    subject := (SELECT prospect_id FROM delivery WHERE account_id = NEW.account_id AND id = NEW.delivery_id);
  ELSIF TG_TABLE_NAME = 'job' THEN
    subject := NEW.input ->> 'import_run_id';
  ELSIF TG_TABLE_NAME = 'domain_check' THEN
    subject := (SELECT min(id) FROM sender
      WHERE account_id = NEW.account_id AND active
        AND lower(substring(email FROM '[^@]*$') COLLATE "C") = NEW.domain);
  END IF;
  INSERT INTO notice_event (account_id, kind, subject_id) VALUES (NEW.account_id, TG_ARGV[0], subject);
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_end AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NOT NEW.test_send_mode AND NOT NEW.cancelled)
  EXECUTE FUNCTION note_event('run_ended');
-- A pause by a member is no news.
CREATE TRIGGER notice_of_stop AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (NEW.paused_by <> 'user' AND NEW.paused_by IS DISTINCT FROM OLD.paused_by)
  EXECUTE FUNCTION note_event('stopped');
CREATE TRIGGER notice_of_limit AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (OLD.limit_told_at IS NULL AND NEW.limit_told_at IS NOT NULL)
  EXECUTE FUNCTION note_event('stopped');
CREATE TRIGGER notice_of_miss AFTER UPDATE ON reservation FOR EACH ROW
  WHEN (OLD.missed_at IS NULL AND NEW.missed_at IS NOT NULL)
  EXECUTE FUNCTION note_event('reservation_missed');
CREATE TRIGGER notice_of_reply AFTER INSERT ON reply FOR EACH ROW
  WHEN (NEW.kind = 'reply' AND NEW.doubted_address IS NULL)
  EXECUTE FUNCTION note_event('reply');
CREATE TRIGGER notice_of_doubt AFTER INSERT ON reply FOR EACH ROW
  WHEN (NEW.kind = 'reply' AND NEW.doubted_address IS NOT NULL)
  EXECUTE FUNCTION note_event('doubtful_reply');
-- By the reader of a mail. One who refuses a whole domain refuses its address too.
CREATE TRIGGER notice_of_refusal AFTER INSERT ON suppression FOR EACH ROW
  WHEN (NEW.class = 'refused' AND NEW.kind = 'address' AND NEW.delivery_id IS NOT NULL AND NEW.member_id IS NULL)
  EXECUTE FUNCTION note_event('refusal');
CREATE TRIGGER notice_of_import AFTER UPDATE ON job FOR EACH ROW
  WHEN (NEW.kind = 'import_run' AND NEW.state IN ('done', 'failed') AND OLD.state = 'running')
  EXECUTE FUNCTION note_event('import_ended');
CREATE TRIGGER notice_of_domain AFTER UPDATE ON domain_check FOR EACH ROW
  WHEN (NEW.result @> '[{"level": "bad"}]' AND NOT OLD.result @> '[{"level": "bad"}]')
  EXECUTE FUNCTION note_event('domain_bad');

CREATE FUNCTION note_failures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind, subject_id, from_percent, percent)
  VALUES (NEW.account_id, 'failures', NEW.id, OLD.failure_percent, NEW.failure_percent);
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_failures AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (NEW.failure_percent > OLD.failure_percent)
  EXECUTE FUNCTION note_failures();

-- One event of a transaction is enough. One of another may be folded before this commits.
CREATE FUNCTION note_failed_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind, subject_id)
  SELECT NEW.account_id, 'failed_mails', NEW.send_log_id
  WHERE NOT EXISTS (
    SELECT FROM notice_event
    WHERE account_id = NEW.account_id AND kind = 'failed_mails' AND subject_id = NEW.send_log_id
      AND xmin = pg_current_xact_id()::xid);
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_failed_mail AFTER UPDATE ON delivery FOR EACH ROW
  WHEN (NEW.state = 'failed' AND OLD.state <> 'failed' AND NOT NEW.test_send_mode)
  EXECUTE FUNCTION note_failed_mail();

-- Stops of the whole installation: accounts whose mails wait are told. The pauses of a transport grow from 30 seconds:
-- the third one begins after more than a minute of faults.
CREATE FUNCTION note_stop_of_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notice_event (account_id, kind)
  SELECT DISTINCT account_id, 'stopped' FROM sender_due WHERE due_at <= now();
  RETURN NULL;
END $$;
CREATE TRIGGER notice_of_transport AFTER UPDATE ON transport FOR EACH ROW
  WHEN (OLD.pauses = 2 AND NEW.pauses = 3)
  EXECUTE FUNCTION note_stop_of_all();
CREATE TRIGGER notice_of_rewind AFTER UPDATE ON installation FOR EACH ROW
  WHEN (OLD.rewound_at IS NULL AND NEW.rewound_at IS NOT NULL)
  EXECUTE FUNCTION note_stop_of_all();

----------------------------------------------------------------------------------------------------
-- Rights
----------------------------------------------------------------------------------------------------

-- Every table with an account_id belongs to accounts. Row level security is forced: it holds for the owner too.
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOR tenant_table IN
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND (relname = 'account' OR EXISTS (
      SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'account_id'))
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY every ON %I TO kaitaku_service USING (true)', tenant_table);
    EXECUTE format('CREATE POLICY own ON %I TO kaitaku_api USING (%I = current_account_id())', tenant_table,
      CASE tenant_table WHEN 'account' THEN 'id' ELSE 'account_id' END);
    IF tenant_table NOT IN ('account', 'address_rejection', 'audit_event', 'erased_address', 'member', 'sender_due',
        'session') THEN
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO kaitaku_api, kaitaku_service', tenant_table);
    END IF;
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE (company, updated_at) ON account TO kaitaku_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON account TO kaitaku_service;
-- A request changes what a person may change, and no role. A login finds out who asks, and renews an outdated hash.
GRANT SELECT, INSERT,
  UPDATE (email, email_before_confirmation, name, password_hash, updated_at, first_steps_dismissed_at)
  ON member TO kaitaku_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON member TO kaitaku_service;
GRANT SELECT, DELETE ON session TO kaitaku_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON session TO kaitaku_service;
GRANT SELECT, INSERT ON audit_event TO kaitaku_api, kaitaku_service;
GRANT SELECT, INSERT ON sender_due TO kaitaku_api;
GRANT SELECT, INSERT, DELETE ON sender_due TO kaitaku_service;
GRANT SELECT, DELETE ON address_rejection TO kaitaku_api;
GRANT SELECT, INSERT ON address_rejection TO kaitaku_service;
GRANT SELECT, INSERT, UPDATE ON erased_address TO kaitaku_api;
GRANT SELECT ON erased_address TO kaitaku_service;

-- Of all accounts: what log-ins, mailed and printed links look up, and what uploads add up before they begin.
CREATE POLICY login ON member TO kaitaku_login USING (true);
CREATE POLICY login ON session TO kaitaku_login USING (true);
CREATE POLICY login ON password_reset TO kaitaku_login USING (true);
CREATE POLICY login ON sender_confirmation TO kaitaku_login USING (true);
CREATE POLICY login ON delivery FOR SELECT TO kaitaku_login USING (true);
CREATE POLICY login ON stored_file FOR SELECT TO kaitaku_login USING (true);
GRANT SELECT (account_id, id, email, password_hash, active), UPDATE (password_hash) ON member TO kaitaku_login;
GRANT SELECT, INSERT, UPDATE, DELETE ON session TO kaitaku_login;
GRANT SELECT (account_id, member_id, secret_hash, expires_at) ON password_reset TO kaitaku_login;
GRANT SELECT (account_id, secret_hash) ON sender_confirmation TO kaitaku_login;
GRANT SELECT (account_id, id, mail_key) ON delivery TO kaitaku_login;
GRANT SELECT (account_id, id, bytes, declared_bytes, expires_at) ON stored_file TO kaitaku_login;

-- Tables of no account.
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limit TO kaitaku_api, kaitaku_login, kaitaku_service;
GRANT SELECT, UPDATE ON installation TO kaitaku_service;
GRANT SELECT (rewound_at) ON installation TO kaitaku_api;
GRANT SELECT (only_row, setup_key_hash, setup_expires_at), UPDATE (setup_key_hash, setup_expires_at)
  ON installation TO kaitaku_api, kaitaku_login;
GRANT SELECT, UPDATE ON transport TO kaitaku_service;
-- Whoever talks to the server first records its limit: mails that confirm addresses come before those to companies.
GRANT SELECT (name, paused_until, limited_until, max_mail_bytes, max_mail_bytes_of),
  UPDATE (max_mail_bytes, max_mail_bytes_of) ON transport TO kaitaku_api;
GRANT SELECT, INSERT, UPDATE ON inbox TO kaitaku_service;
GRANT SELECT (tried_at, read_at, fault, mails, unmatched, skipped) ON inbox TO kaitaku_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON inbox_parse TO kaitaku_service;
-- A process that does not know the owner's password waits for the schema.
GRANT SELECT ON schema_migration TO kaitaku_login, kaitaku_service;

-- Functions that run as the owner. next_account_id(): only the page of the first account uses it, as the role of
-- log-ins. analyze_companies(): only imports, which run in the workers and in the operator's commands.
REVOKE ALL ON FUNCTION next_account_id(), analyze_companies() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_account_id() TO kaitaku_login;
GRANT EXECUTE ON FUNCTION analyze_companies() TO kaitaku_service;
