-- Who saved something last that two members may edit, for the words that the second one reads
-- (docs/decisions/0258). NULL: nobody yet, the operator, or a member who is gone.
ALTER TABLE legal_profile ADD COLUMN member_id bigint,
  ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id);
ALTER TABLE mail_retention ADD COLUMN member_id bigint,
  ADD FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id);

-- No foreign key: it would check each row of an import.
ALTER TABLE active_prospect ADD COLUMN remarks_by bigint, ADD COLUMN remarks_at timestamptz;

-- Whoever writes remarks without saying who, such as an import, must not leave the name of the one before.
CREATE FUNCTION forget_remarks_by() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.remarks_by := NULL;
  NEW.remarks_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER remarks_by_nobody BEFORE UPDATE ON active_prospect FOR EACH ROW
  WHEN (NEW.remarks <> OLD.remarks AND NEW.remarks_at IS NOT DISTINCT FROM OLD.remarks_at)
  EXECUTE FUNCTION forget_remarks_by();

-- The largest mail in bytes that the mail server said it accepts (SIZE, RFC 1870; docs/decisions/0259).
-- 0: it names no limit. NULL: it has not said anything yet. max_mail_bytes_of: the server that said so.
ALTER TABLE transport ADD COLUMN max_mail_bytes bigint, ADD COLUMN max_mail_bytes_of text;
-- Whoever talks to the server first records it: the mails that confirm addresses come before those to companies.
GRANT SELECT (max_mail_bytes, max_mail_bytes_of), UPDATE (max_mail_bytes, max_mail_bytes_of) ON transport
  TO kaitaku_api;
