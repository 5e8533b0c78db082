-- A mail server names limits of ours: how much a sender may send (decision 0255), how many connections it admits (0256).

ALTER TABLE sender_throttle
  -- Since when the mail server has refused this sender's mails for our quota, rate or plan. NULL: it does not.
  ADD limited_since timestamptz,
  -- When it takes them again at the latest, as members are told.
  ADD limited_until timestamptz,
  -- When one mail may try it. Set as long as limited_since is.
  ADD probe_at timestamptz;

-- Since when a mail has met such a limit. NULL: it never did.
ALTER TABLE delivery ADD limited_since timestamptz;
CREATE INDEX delivery_limited_idx ON delivery (account_id, sender_id)
  WHERE state = 'queued' AND limited_since IS NOT NULL;

ALTER TABLE transport
  -- One sender has met a limit: the next mail of another one goes alone, to show whether the limit is everybody's.
  ADD limit_suspected boolean NOT NULL DEFAULT false,
  -- The limit is everybody's: when the server takes mails again at the latest. NULL: paused_until, if any, is a fault's.
  ADD limited_until timestamptz,
  -- How many connections of a worker the server admits, and when that was learned. NULL: it named no limit.
  ADD connections_max integer CHECK (connections_max >= 1),
  ADD connections_at timestamptz;
GRANT SELECT (limited_until) ON transport TO kaitaku_api;

-- When members were told that a mail of the run has met a limit for a day.
ALTER TABLE send_log ADD limit_told_at timestamptz;
CREATE TRIGGER notice_of_limit AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (OLD.limit_told_at IS NULL AND NEW.limit_told_at IS NOT NULL)
  EXECUTE FUNCTION note_event('stopped');
