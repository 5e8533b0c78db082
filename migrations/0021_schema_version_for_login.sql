-- A `web` that does not know the owner's password reads which schema the database has.
GRANT SELECT ON schema_migration TO kaitaku_login;
