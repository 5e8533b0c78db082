-- A request is refused by the role of its member before its body is read: the role that finds out who asks reads it.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 21;

GRANT SELECT (role) ON member TO kaitaku_login;
