-- An answer stops further mails to its company, until somebody has handled it (src/domain/eligibility.ts).
ALTER TABLE reply
  -- It asks for no more mails, in its own words.
  ADD COLUMN is_refusal boolean NOT NULL DEFAULT false,
  -- Who noted it by hand.
  ADD COLUMN member_id bigint,
  ADD COLUMN handled_by bigint,
  -- Its company's unsent mails are still to be cancelled, as in `suppression`.
  ADD COLUMN cancels_mails boolean NOT NULL DEFAULT false,
  ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id),
  ADD FOREIGN KEY (account_id, handled_by) REFERENCES member (account_id, id) ON DELETE SET NULL (handled_by);
CREATE INDEX reply_open_idx ON reply (account_id, prospect_id) WHERE kind <> 'auto_reply' AND handled_at IS NULL;
CREATE INDEX reply_cancels_idx ON reply (account_id, id) WHERE cancels_mails;

-- A follow-up names the mail that it follows: it goes into that mail's thread.
ALTER TABLE delivery
  ADD COLUMN follows_id bigint,
  ADD FOREIGN KEY (account_id, follows_id) REFERENCES delivery (account_id, id) ON DELETE SET NULL (follows_id);
CREATE INDEX delivery_follows_idx ON delivery (account_id, follows_id) WHERE follows_id IS NOT NULL;

-- The run whose mail is followed up.
ALTER TABLE reservation_target
  ADD COLUMN follow_up_of bigint,
  ADD FOREIGN KEY (account_id, follow_up_of) REFERENCES send_log (account_id, id);
CREATE INDEX reservation_target_follow_up_idx ON reservation_target (account_id, follow_up_of)
  WHERE follow_up_of IS NOT NULL;
