-- Only the page of the first account uses it, as the role of log-ins (0039).
REVOKE ALL ON FUNCTION next_account_id() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION next_account_id() TO kaitaku_login;

-- An industry has many companies, so each index stores each industry once, with its rows: 8 MB for a million companies.
-- Without the id of the company: with it, every entry would be stored. Equal industries are sorted by id when read.
CREATE INDEX prospect_major_industry_idx ON prospect (account_id, major_industry_type);
CREATE INDEX prospect_included_industry_idx ON prospect (account_id, included_industry_type);
