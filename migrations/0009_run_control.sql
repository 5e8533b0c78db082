-- Runs that people steer: pause, resume, cancel, try failures again, decide about unknown mails.
-- A paused run's mails wait with not_before = infinity: a claim passes them over as it does any mail whose time has not come, and what
-- is paused is a matter of the same rows that workers lock. The run itself says who paused it, for mails that come back to the queue.
ALTER TABLE send_log
  ADD COLUMN paused_by text CHECK (paused_by IN ('user', 'sender_refused')),
  ADD COLUMN cancelled boolean NOT NULL DEFAULT false;

-- An earlier try ended unknown and its owner had it sent again: whatever becomes of it, it can never again count as not sent.
ALTER TABLE delivery ADD COLUMN maybe_sent boolean NOT NULL DEFAULT false;
