-- The circuit breaker of a way to send, shared by all workers. Faults of the way itself (no connection, TLS, login) say nothing about a
-- mail, so they are counted here: too many in a row pause the way, and one mail after the pause probes whether it is back.
-- faults: in a row while it is open. pauses: in a row since a server last answered; each is longer than the one before.
-- paused_until: NULL: open. Past: one worker may probe, and moves it on for as long as the probe may take.
CREATE TABLE transport (
  name text PRIMARY KEY,
  faults integer NOT NULL DEFAULT 0,
  pauses integer NOT NULL DEFAULT 0,
  paused_until timestamptz,
  last_fault text
);
INSERT INTO transport (name) VALUES ('smtp');

-- It belongs to no account. Accounts may know that mail waits, not what the operator's server said.
GRANT SELECT, UPDATE ON transport TO kaitaku_service;
GRANT SELECT (name, paused_until) ON transport TO kaitaku_api;
