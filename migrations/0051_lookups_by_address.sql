-- Anybody with the link of a mail may open its page, as often as they like. It asks whether another company has an address
-- in the domain, which read all addresses of the account. A column, because row level security keeps the planner from
-- using an index of split_part(). The condition keeps queries for all companies of an account away from the index.
ALTER TABLE prospect
  ADD COLUMN email_domain text GENERATED ALWAYS AS (split_part(email_search, '@', -1)) STORED;
CREATE INDEX prospect_domain_idx ON prospect (account_id, email_domain COLLATE "C") WHERE email_domain IS NOT NULL;

-- What is stored about an address is shown and erased on request (features/personal-data). Here are its archived
-- companies, and its mails beside those of delivery_open_address_key: literally what that index leaves out.
CREATE INDEX prospect_archived_email_idx ON prospect (account_id, email_search COLLATE "C") WHERE archived_at IS NOT NULL;
CREATE INDEX delivery_address_idx ON delivery (account_id, address_key)
  WHERE NOT (state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode AND NOT shares_address);
