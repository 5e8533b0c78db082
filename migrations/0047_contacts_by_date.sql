-- The indexes by date serve reads by date alone; one contact is read by its primary key.
-- The condition holds for every row. A query that does not name it or a date cannot use the index: without statistics the planner found
-- both indexes equal for one contact, and read all contacts of the group.
DROP INDEX contact_state_last_sent_idx, address_contact_last_sent_idx;
CREATE INDEX contact_state_last_sent_idx ON contact_state (account_id, sender_group_id, last_sent_at, prospect_id)
  WHERE last_sent_at > '-infinity';
CREATE INDEX address_contact_last_sent_idx ON address_contact (account_id, sender_group_id, last_sent_at, address_key)
  WHERE last_sent_at > '-infinity';
