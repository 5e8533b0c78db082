-- A sender's mails per minute are counted by those whose try has ended within the last one.
CREATE INDEX delivery_finished_idx ON delivery (account_id, sender_id, finished_at)
  WHERE finished_at IS NOT NULL AND state <> 'cancelled';
