-- A reservation that was sent now comes back at its time when its run is taken back whole (docs/decisions/
-- reservations.md). Programs of 1.0.0 may run beside it: what they send now, or take back, comes back to nothing.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 19;

ALTER TABLE send_log
  -- The reserved time that a member did not wait for. NULL: no reservation was sent now.
  ADD COLUMN was_reserved_for timestamptz,
  -- What the cancellation answered of the reservation; a repeated one answers the same. NULL: nothing.
  ADD COLUMN given_back jsonb,
  ADD CHECK (given_back IS NULL OR was_reserved_for IS NOT NULL);
