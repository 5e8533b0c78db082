-- Reports about an earlier try of a mail, and the age of a mailbox that was never read. See docs/decisions/0176, 0178.

-- When a member last queued the mail again. NULL: never, or before this migration.
ALTER TABLE delivery ADD COLUMN requeued_at timestamptz;

-- When workers first tried to read the mailbox.
ALTER TABLE inbox ADD COLUMN since timestamptz NOT NULL DEFAULT now();
