-- A notice for accounts of which mails left while no receipt of them could be written (docs/decisions/receipts.md).
ALTER TABLE notice_event DROP CONSTRAINT notice_event_kind_check;
ALTER TABLE notice_event ADD CONSTRAINT notice_event_kind_check CHECK (kind IN ('run_ended', 'failures', 'stopped',
  'reservation_missed', 'reply', 'doubtful_reply', 'refusal', 'import_ended', 'domain_bad', 'restored',
  'receipts_unwritable', 'failed_mails'));

-- The last version of a release: programs of 1.0.0 may run beside it.
UPDATE schema_migration SET oldest_program = 11 WHERE version = 14;
