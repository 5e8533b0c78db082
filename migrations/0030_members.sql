-- A person and the tenant are two things. An account is the tenant: it keeps the company and all data. A member of it logs in, with an
-- address and a password of its own. Each account has one member so far, its admin.
CREATE TABLE member (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  email text NOT NULL,
  email_before_confirmation text,
  name text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL CHECK (role IN ('admin')),
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

-- An address is one login in the whole installation: who logs in names no account.
CREATE UNIQUE INDEX member_email_key ON member (lower(email));

-- Forced row level security hides all rows from the owner too, who migrates.
ALTER TABLE account NO FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_event NO FORCE ROW LEVEL SECURITY;
ALTER TABLE email_change NO FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation NO FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log NO FORCE ROW LEVEL SECURITY;
ALTER TABLE session NO FORCE ROW LEVEL SECURITY;

INSERT INTO member (account_id, email, email_before_confirmation, name, password_hash, role, created_at, updated_at)
SELECT id, email, email_before_confirmation, name, password_hash, 'admin', created_at, updated_at FROM account ORDER BY id;

-- Sessions and a pending change of the address belong to the member: who is logged in stays so, and a mailed link stays valid.
ALTER TABLE session ADD COLUMN member_id bigint;
UPDATE session SET member_id = member.id FROM member WHERE member.account_id = session.account_id;
DROP INDEX session_account_idx;
ALTER TABLE session
  ALTER COLUMN member_id SET NOT NULL,
  DROP CONSTRAINT session_account_id_fkey,
  ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE;
CREATE INDEX session_member_idx ON session (account_id, member_id);

ALTER TABLE email_change ADD COLUMN member_id bigint;
UPDATE email_change SET member_id = member.id FROM member WHERE member.account_id = email_change.account_id;
ALTER TABLE email_change
  DROP CONSTRAINT email_change_account_id_fkey,
  DROP CONSTRAINT email_change_pkey,
  ADD PRIMARY KEY (account_id, member_id),
  ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE CASCADE;

-- Who caused a row. NULL: nobody of the account (a worker, the operator), or a member that was deleted.
ALTER TABLE reservation ADD COLUMN member_id bigint;
ALTER TABLE send_log ADD COLUMN member_id bigint;
ALTER TABLE import_run ADD COLUMN member_id bigint;
ALTER TABLE suppression ADD COLUMN member_id bigint;
ALTER TABLE mail_template ADD COLUMN member_id bigint;
ALTER TABLE audit_event ADD COLUMN member_id bigint;
ALTER TABLE audit_event RENAME COLUMN created_at TO at;

-- Only the person of an account could ask for these.
UPDATE reservation SET member_id = member.id FROM member WHERE member.account_id = reservation.account_id;
UPDATE send_log SET member_id = member.id FROM member WHERE member.account_id = send_log.account_id;
UPDATE audit_event SET member_id = member.id FROM member
WHERE member.account_id = audit_event.account_id AND kind IN ('password_changed', 'email_changed', 'email_change_notice_failed');

DO $$
DECLARE
  caused text;
BEGIN
  FOREACH caused IN ARRAY '{audit_event,import_run,mail_template,reservation,send_log,suppression}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id)
      ON DELETE SET NULL (member_id)', caused);
  END LOOP;
END $$;

DROP POLICY login ON account;
REVOKE SELECT (id) ON account FROM kaitaku_login;
ALTER TABLE account
  DROP COLUMN email,
  DROP COLUMN email_before_confirmation,
  DROP COLUMN name,
  DROP COLUMN password_hash;

ALTER TABLE account FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_event FORCE ROW LEVEL SECURITY;
ALTER TABLE email_change FORCE ROW LEVEL SECURITY;
ALTER TABLE reservation FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log FORCE ROW LEVEL SECURITY;
ALTER TABLE session FORCE ROW LEVEL SECURITY;

-- A request changes what a person may change, and no role. A login finds out who asks, and renews an outdated hash.
ALTER TABLE member ENABLE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
GRANT SELECT, UPDATE (email, email_before_confirmation, name, password_hash, updated_at) ON member TO kaitaku_api;
GRANT SELECT (account_id, id, email, password_hash, active), UPDATE (password_hash) ON member TO kaitaku_login;
GRANT SELECT, INSERT, UPDATE, DELETE ON member TO kaitaku_service;
CREATE POLICY own ON member TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY login ON member TO kaitaku_login USING (true);
CREATE POLICY every ON member TO kaitaku_service USING (true);
REVOKE UPDATE ON account FROM kaitaku_api;
GRANT UPDATE (company, updated_at) ON account TO kaitaku_api;

-- What was written down stays as it was written.
REVOKE UPDATE, DELETE ON audit_event FROM kaitaku_api, kaitaku_service;
