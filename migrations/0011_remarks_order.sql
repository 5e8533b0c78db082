-- A list sorted by remarks begins without all remarks being sorted. By their beginnings: a whole one may be longer than an index takes.
CREATE INDEX active_prospect_remarks_idx ON active_prospect (account_id, sender_group_id, left(remarks, 100), prospect_id)
  WHERE remarks <> '';
