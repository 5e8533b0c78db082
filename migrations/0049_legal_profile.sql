-- What the mails of a sender group must show of their sender (特定電子メール法, article 4). No row: nothing is filled in.
-- Texts are '' where they are not given; src/domain/legal-profile.ts has the rules.
CREATE TABLE legal_profile (
  account_id bigint NOT NULL,
  sender_group_id bigint NOT NULL,
  official_name text NOT NULL DEFAULT '',
  department text NOT NULL DEFAULT '',
  postal_code text NOT NULL DEFAULT '',
  postal_address text NOT NULL DEFAULT '',
  contact_phone text NOT NULL DEFAULT '',
  contact_email text NOT NULL DEFAULT '',
  contact_url text NOT NULL DEFAULT '',
  -- Takes refusals where recipients cannot reach the program.
  refusal_email text NOT NULL DEFAULT '',
  privacy_url text NOT NULL DEFAULT '',
  -- Why its recipients may be mailed (article 3).
  basis text NOT NULL DEFAULT 'published' CHECK (basis IN ('published', 'consent', 'notified', 'relation')),
  -- When a person confirmed the present content. NULL: nobody has, or it has changed since.
  confirmed_at timestamptz,
  -- NULL: nobody, or a member who is gone.
  confirmed_by bigint,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, sender_group_id),
  FOREIGN KEY (account_id, sender_group_id) REFERENCES sender_group (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, confirmed_by) REFERENCES member (account_id, id) ON DELETE SET NULL (confirmed_by)
);

ALTER TABLE legal_profile ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_profile FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON legal_profile TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON legal_profile TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON legal_profile TO kaitaku_service USING (true);

-- When a person confirmed that a template of SendGrid, which cannot be read here, shows the footer. NULL: nobody has.
ALTER TABLE mail_template ADD COLUMN sendgrid_footer_confirmed_at timestamptz;
