-- What was open in a backup stands still until a member decides (docs/decisions/backup.md). Programs of 1.0.0 may run
-- beside it: they answer 500 for a run that is held, and start nothing that is.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 13;

-- All at once: else a transaction of a program beside it and this one could wait for each other.
LOCK TABLE reservation, installation, send_log, notice_event IN ACCESS EXCLUSIVE MODE;

-- 'restored': it was open in a backup that was restored. It may have ended or been taken back since.
ALTER TABLE send_log DROP CONSTRAINT send_log_paused_by_check;
ALTER TABLE send_log ADD CONSTRAINT send_log_paused_by_check
  CHECK (paused_by IN ('user', 'sender_refused', 'policy_bounces', 'dates_over', 'restored'));

-- The same of a reservation, while it is missed. It is no more once a member plans, sends or deletes it.
ALTER TABLE reservation ADD COLUMN held_by_restore boolean NOT NULL DEFAULT false;

-- When what was open was held, or a resume asked about it, in the state that the present server process has. NULL: it
-- was not, or another server process answered since.
ALTER TABLE installation ADD COLUMN held_at timestamptz;

ALTER TABLE notice_event DROP CONSTRAINT notice_event_kind_check;
ALTER TABLE notice_event ADD CONSTRAINT notice_event_kind_check
  CHECK (kind IN ('run_ended', 'failures', 'stopped', 'reservation_missed', 'reply', 'doubtful_reply', 'refusal',
    'import_ended', 'domain_bad', 'failed_mails', 'restored'));

-- What is held is told once an account, by the event 'restored'.
DROP TRIGGER notice_of_stop ON send_log;
CREATE TRIGGER notice_of_stop AFTER UPDATE ON send_log FOR EACH ROW
  WHEN (NEW.paused_by NOT IN ('user', 'restored') AND NEW.paused_by IS DISTINCT FROM OLD.paused_by)
  EXECUTE FUNCTION note_event('stopped');
DROP TRIGGER notice_of_miss ON reservation;
CREATE TRIGGER notice_of_miss AFTER UPDATE ON reservation FOR EACH ROW
  WHEN (OLD.missed_at IS NULL AND NEW.missed_at IS NOT NULL AND NOT NEW.held_by_restore)
  EXECUTE FUNCTION note_event('reservation_missed');
