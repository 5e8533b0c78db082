-- The audit is shown page by page, and kept for five years (docs/decisions/audit.md). Programs with migration 26 may
-- run beside it. It rewrites audit_event: a million events take a few seconds.

-- What an event is about, as type and id: filters and links read it. Keys rank, so that of a run and its reservation it
-- is the run. Generated, so that old events have it too; backups and moves compute it anew.
ALTER TABLE audit_event ADD COLUMN subject text COLLATE "C" GENERATED ALWAYS AS (coalesce(
  'run:' || (detail ->> 'send_log_id'),
  'reservation:' || (detail ->> 'reservation_id'),
  'company:' || (detail ->> 'prospect_id'),
  'mail:' || (detail ->> 'delivery_id'),
  'reply:' || (detail ->> 'reply_id'),
  'template:' || (detail ->> 'template_id'),
  'sender:' || (detail ->> 'sender_id'),
  'person:' || (detail ->> 'sender_profile_id'),
  'person:' || (detail ->> 'profile_id'),
  'group:' || (detail ->> 'sender_group_id'),
  'member:' || (detail ->> 'member_id'),
  'invitation:' || (detail ->> 'invitation_id'),
  'import:' || (detail ->> 'import_run_id'),
  'folder:' || (detail ->> 'folder_id'),
  'condition:' || (detail ->> 'saved_condition_id'),
  'closing_day:' || (detail ->> 'closing_day_id'),
  'suppression:' || (detail ->> 'suppression_id')
)) STORED;

-- Pages of a period, newest first: of all events, of some kinds, of a member (and some kinds), about one thing.
CREATE INDEX audit_page_idx ON audit_event (account_id, at DESC, id DESC);
-- The index of kinds also finds whether anybody has sent himself a test.
DROP INDEX audit_event_template_test_idx;
CREATE INDEX audit_kind_idx ON audit_event (account_id, kind, at DESC, id DESC);
CREATE INDEX audit_member_idx ON audit_event (account_id, member_id, at DESC, id DESC) INCLUDE (kind);
CREATE INDEX audit_subject_idx ON audit_event (account_id, subject, at DESC, id DESC) WHERE subject IS NOT NULL;

-- Its delete, by kaitaku_service alone: a week after a move as before, and what is older than five years.
ALTER POLICY moved ON audit_event RENAME TO moved_or_old;
ALTER POLICY moved_or_old ON audit_event
  USING (at < now() - interval '5 years'
    OR EXISTS (SELECT FROM account WHERE id = account_id AND moved_at < now() - interval '7 days'));
