-- Conditions of the prospect list that a member has saved: for himself, or for all members of the account.
CREATE TABLE saved_condition (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- The owner, who alone uses it; NULL: the account, all members use it.
  owner_id bigint,
  name text NOT NULL,
  -- The name as names are compared: NFKC, lower case.
  name_key text COLLATE "C" NOT NULL,
  -- As src/contract/saved-condition.ts writes it. A later version may not know all of it any more.
  where_info jsonb NOT NULL,
  -- Who saved it last. NULL: a member who is gone.
  member_id bigint,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  UNIQUE NULLS NOT DISTINCT (account_id, owner_id, name_key),
  FOREIGN KEY (account_id, owner_id) REFERENCES member (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);
CREATE INDEX saved_condition_member_idx ON saved_condition (account_id, member_id);

ALTER TABLE saved_condition ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_condition FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_condition TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON saved_condition TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON saved_condition TO kaitaku_service USING (true);
