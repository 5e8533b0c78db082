-- Moves of accounts to other cells (docs/decisions/cells.md).

-- moves: how many moves it has behind it, which tells the account that came back from one that was set back.
-- is_arriving: a copy that the account's home has not given up yet; it cannot be thawed by hand.
-- late_mail_to: where mails about its mails are passed on to, with {key}; NULL: an operator forwards them.
ALTER TABLE account
  ADD COLUMN moves integer NOT NULL DEFAULT 0,
  ADD COLUMN is_arriving boolean NOT NULL DEFAULT false,
  ADD COLUMN moved_at timestamptz,
  ADD COLUMN late_mail_to text,
  ADD CONSTRAINT account_arriving_check CHECK (NOT is_arriving OR frozen_at IS NOT NULL AND moved_to IS NULL),
  ADD CONSTRAINT account_moved_at_check CHECK ((moved_to IS NULL) = (moved_at IS NULL));
CREATE INDEX account_moved_idx ON account (id) WHERE moved_to IS NOT NULL;
GRANT SELECT (moved_to) ON account TO kaitaku_login;
