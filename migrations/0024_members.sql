-- Members with roles, and the sender groups in which they act (docs/decisions/members.md).
-- Programs of before take every member for an admin, so they end: stop all processes first.
UPDATE schema_migration SET oldest_program = 24 WHERE version = 24;

ALTER TABLE member
  DROP CONSTRAINT member_role_check,
  ADD CONSTRAINT member_role_check CHECK (role IN ('admin', 'sales', 'viewer'));

-- The groups in which a member of the role `sales` acts. No row: all groups. Backups and moves take the rows with the
-- account; they name no person, so disclosure and erasure leave them.
CREATE TABLE member_group (
  account_id bigint NOT NULL,
  member_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  PRIMARY KEY (account_id, member_id, sender_group_id),
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE,
  -- Without CASCADE: the members of a deleted group would act in all groups.
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id)
);
CREATE INDEX member_group_sender_group_idx ON member_group (account_id, sender_group_id);
ALTER TABLE member_group ENABLE ROW LEVEL SECURITY;
ALTER TABLE member_group FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON member_group TO kaitaku_service USING (true);
CREATE POLICY own ON member_group TO kaitaku_api USING (account_id = current_account_id());
GRANT SELECT, INSERT, DELETE ON member_group TO kaitaku_api, kaitaku_service;

-- Only admins may export, and load exported files.
ALTER TABLE account_rule ADD COLUMN export_needs_admin boolean NOT NULL DEFAULT false;
