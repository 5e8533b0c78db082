-- An answer that may ask for no more mails: its company and the address of the mail wait until a member has decided.
-- See docs/decisions/0257.
ALTER TABLE reply
  -- The address that the mail went to, in the form of addressKey. NULL: what the answer says is clear.
  ADD COLUMN doubted_address text COLLATE "C";
CREATE INDEX reply_doubt_idx ON reply (account_id, doubted_address)
  WHERE doubted_address IS NOT NULL AND kind <> 'auto_reply' AND handled_at IS NULL;
-- The mails that wait for such a decision.
CREATE INDEX delivery_held_idx ON delivery (account_id) WHERE state = 'queued' AND reason = 'maybe_refused';

-- Members are told of it by a notice of its own.
ALTER TABLE notice_event DROP CONSTRAINT notice_event_kind_check;
ALTER TABLE notice_event ADD CONSTRAINT notice_event_kind_check CHECK (kind IN ('run_ended', 'failures', 'stopped',
  'reservation_missed', 'reply', 'doubtful_reply', 'refusal', 'import_ended', 'domain_bad', 'failed_mails'));
DROP TRIGGER notice_of_reply ON reply;
CREATE TRIGGER notice_of_reply AFTER INSERT ON reply FOR EACH ROW
  WHEN (NEW.kind = 'reply' AND NEW.doubted_address IS NULL)
  EXECUTE FUNCTION note_event('reply');
CREATE TRIGGER notice_of_doubt AFTER INSERT ON reply FOR EACH ROW
  WHEN (NEW.kind = 'reply' AND NEW.doubted_address IS NOT NULL)
  EXECUTE FUNCTION note_event('doubtful_reply');
