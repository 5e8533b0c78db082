-- The list of companies, and what a sender group knows about each of them.

CREATE TABLE mail_template (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE sender_group (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  group_name text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE sender (
  account_id bigint NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  sender_group_id bigint NOT NULL,
  template_id bigint NOT NULL,
  subject text NOT NULL,
  person_in_charge text NOT NULL,
  email text NOT NULL,
  bcc text,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id)
);

CREATE INDEX sender_group_idx ON sender (account_id, sender_group_id);

-- The distinct industry terms of an account. Filters look a word up here (some hundred rows) and meet the prospects
-- by id: 2.8 ms at a million rows where LIKE on the prospects took 540 ms. pg_trgm is no help: most Japanese filter words
-- have two characters, and a trigram index is then read whole.
CREATE TABLE industry (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id integer GENERATED ALWAYS AS IDENTITY,
  name_search text NOT NULL,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, name_search)
);

-- identity_key: the company as an import recognises it again (normalised name and address, src/domain/prospect-identity.ts).
-- *_search: the value after NFKC and lower case, so that a filter is a plain LIKE (src/domain/text-filter.ts).
-- Money in yen. COLLATE "C": the order of a list must not depend on how a database server was set up.
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
  major_industry_ids integer[] NOT NULL DEFAULT '{}',
  included_industry_ids integer[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, identity_key)
);

CREATE INDEX prospect_major_industry_idx ON prospect USING gin (major_industry_ids);
CREATE INDEX prospect_included_industry_idx ON prospect USING gin (included_industry_ids);

-- An index a column that is sorted often, so that a page is read first and joined afterwards (blanks last, as the list has them).
CREATE INDEX prospect_company_name_idx ON prospect (account_id, company_name, id);
CREATE INDEX prospect_sales_idx ON prospect (account_id, amount_of_sales, id);
CREATE INDEX prospect_profit_idx ON prospect (account_id, ordinary_profit, id);
CREATE INDEX prospect_employees_idx ON prospect (account_id, number_of_employees, id);
CREATE INDEX prospect_capital_idx ON prospect (account_id, capital, id);
CREATE INDEX prospect_year_idx ON prospect (account_id, year_of_establishment, id);

-- No row means active, without remarks.
CREATE TABLE active_prospect (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  active boolean NOT NULL DEFAULT true,
  remarks text COLLATE "C" NOT NULL DEFAULT '',
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, sender_group_id, prospect_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

-- When a group last mailed a company (real sends only). Kept in the transaction that changes a delivery or a send log,
-- so that no list ever takes max() over the logs.
CREATE TABLE contact_state (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  prospect_id bigint NOT NULL,
  last_sent_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, sender_group_id, prospect_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id),
  FOREIGN KEY (account_id, prospect_id) REFERENCES prospect (account_id, id) ON DELETE CASCADE
);

CREATE INDEX contact_state_last_sent_idx ON contact_state (account_id, sender_group_id, last_sent_at, prospect_id);

-- An address (kind address) or everything behind an @ (kind domain) that must not be mailed again; value in lower case.
CREATE TABLE suppression (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('address', 'domain')),
  value text NOT NULL CHECK (value = lower(value)),
  reason text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, kind, value)
);

CREATE TABLE import_run (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  file_name text NOT NULL,
  encoding text NOT NULL,
  rows_read integer NOT NULL,
  rows_added integer NOT NULL,
  rows_updated integer NOT NULL,
  rows_refused integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);
