-- When each periodic task last ran, and how it ended (docs/decisions/operations.md).
-- Programs of 1.0.0 may run beside it.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 22;

-- A row for all processes: the last run that was recorded, at most one a minute. It belongs to no account.
CREATE TABLE task_run (
  name text COLLATE "C" PRIMARY KEY,
  began_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  -- NULL: it succeeded.
  fault text,
  -- The end of the last run that succeeded. NULL: none was recorded.
  succeeded_at timestamptz
);
GRANT SELECT, INSERT, UPDATE ON task_run TO kaitaku_login, kaitaku_service;
