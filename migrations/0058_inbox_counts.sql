-- The screen shows how many mails of the mailbox were read, and how many of them could not be used.
GRANT SELECT (mails, unmatched, skipped) ON inbox TO kaitaku_api;
