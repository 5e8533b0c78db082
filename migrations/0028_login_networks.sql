-- The networks from which an account may be used (docs/decisions/networks.md). Programs without it would let members in
-- from everywhere, so they end.
UPDATE schema_migration SET oldest_program = 28 WHERE version = 28;

-- Empty: from everywhere. Backups and moves take it: it names no person.
ALTER TABLE account_rule ADD COLUMN login_networks cidr[] NOT NULL DEFAULT '{}' CHECK (cardinality(login_networks) <= 50);
GRANT SELECT (login_networks) ON account_rule TO kaitaku_login;
