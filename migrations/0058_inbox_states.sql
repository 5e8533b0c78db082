-- A mail whose forward came back counts as failed, and its reader may answer all the same.
DROP INDEX delivery_message_idx;
CREATE INDEX delivery_message_idx ON delivery (substring(message_id, 2, 36)) WHERE state IN ('sent', 'unknown', 'failed');

-- The screen shows how many mails of the mailbox were read, and how many of them could not be used.
GRANT SELECT (mails, unmatched, skipped) ON inbox TO kaitaku_api;
