CREATE TABLE mail_template_folder (
  account_id bigint NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  id bigint GENERATED ALWAYS AS IDENTITY,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

ALTER TABLE mail_template_folder ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_template_folder FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_template_folder TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON mail_template_folder TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON mail_template_folder TO kaitaku_service USING (true);

ALTER TABLE mail_template
  -- Used by the senders that have none of their own.
  ADD COLUMN subject text NOT NULL DEFAULT '',
  -- The editor it was saved in.
  ADD COLUMN editor text NOT NULL DEFAULT 'html' CHECK (editor IN ('rich', 'html', 'text')),
  -- Whether that editor makes the text from the same source as the HTML.
  ADD COLUMN text_follows boolean NOT NULL DEFAULT false,
  -- NULL: in none.
  ADD COLUMN folder_id bigint,
  ADD COLUMN archived_at timestamptz,
  ADD FOREIGN KEY (account_id, folder_id) REFERENCES mail_template_folder (account_id, id);

-- NULL: the template's subject.
ALTER TABLE sender ALTER COLUMN subject DROP NOT NULL;

-- The template of a run. NULL: a run that was recorded, without mails of ours.
ALTER TABLE send_log
  ADD COLUMN template_id bigint,
  ADD FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id);

-- The contents of a template, one for each save.
CREATE TABLE mail_template_version (
  account_id bigint NOT NULL,
  template_id bigint NOT NULL,
  -- From 1; the newest is the template's present content.
  number integer NOT NULL,
  name text NOT NULL,
  subject text NOT NULL,
  text_body text NOT NULL,
  html_body text NOT NULL,
  editor text NOT NULL,
  text_follows boolean NOT NULL,
  -- NULL: nobody of the account.
  member_id bigint,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, template_id, number),
  FOREIGN KEY (account_id, template_id) REFERENCES mail_template (account_id, id) ON DELETE CASCADE,
  FOREIGN KEY (account_id, member_id) REFERENCES member (account_id, id) ON DELETE SET NULL (member_id)
);

ALTER TABLE mail_template_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_template_version FORCE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON mail_template_version TO kaitaku_api, kaitaku_service;
CREATE POLICY own ON mail_template_version TO kaitaku_api USING (account_id = current_account_id());
CREATE POLICY every ON mail_template_version TO kaitaku_service USING (true);

-- Forced row level security hides all rows from the owner too, who migrates.
ALTER TABLE mail_template NO FORCE ROW LEVEL SECURITY;
ALTER TABLE mail_template_version NO FORCE ROW LEVEL SECURITY;
ALTER TABLE sender NO FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log NO FORCE ROW LEVEL SECURITY;
UPDATE mail_template AS template SET
  editor = CASE WHEN html_body = '' THEN 'text' ELSE 'html' END,
  subject = coalesce((
    SELECT sender.subject FROM sender
    WHERE sender.account_id = template.account_id AND sender.template_id = template.id
    ORDER BY sender.active DESC, sender.id LIMIT 1), template.name);
-- The template that the sender has now: an older run does not name its own.
UPDATE send_log SET template_id = sender.template_id
FROM sender WHERE sender.account_id = send_log.account_id AND sender.id = send_log.sender_id;
INSERT INTO mail_template_version
  (account_id, template_id, number, name, subject, text_body, html_body, editor, text_follows, member_id, at)
SELECT account_id, id, 1, name, subject, text_body, html_body, editor, text_follows, member_id, updated_at
FROM mail_template;
ALTER TABLE mail_template FORCE ROW LEVEL SECURITY;
ALTER TABLE mail_template_version FORCE ROW LEVEL SECURITY;
ALTER TABLE sender FORCE ROW LEVEL SECURITY;
ALTER TABLE send_log FORCE ROW LEVEL SECURITY;

CREATE INDEX send_log_template_idx ON send_log (account_id, template_id, sent_at) WHERE template_id IS NOT NULL;

-- Keeps the 50 newest contents of a template, whoever changes it. An update locks the template's row before.
CREATE FUNCTION keep_template_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE next integer;
BEGIN
  SELECT coalesce(max(number), 0) + 1 INTO next FROM mail_template_version
  WHERE account_id = NEW.account_id AND template_id = NEW.id;
  INSERT INTO mail_template_version
    (account_id, template_id, number, name, subject, text_body, html_body, editor, text_follows, member_id)
  VALUES (NEW.account_id, NEW.id, next, NEW.name, NEW.subject, NEW.text_body, NEW.html_body, NEW.editor,
    NEW.text_follows, NEW.member_id);
  DELETE FROM mail_template_version
  WHERE account_id = NEW.account_id AND template_id = NEW.id AND number <= next - 50;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_first_version AFTER INSERT ON mail_template
  FOR EACH ROW EXECUTE FUNCTION keep_template_version();
CREATE TRIGGER keep_version AFTER UPDATE ON mail_template FOR EACH ROW
  WHEN ((OLD.name, OLD.subject, OLD.text_body, OLD.html_body, OLD.editor, OLD.text_follows)
    IS DISTINCT FROM (NEW.name, NEW.subject, NEW.text_body, NEW.html_body, NEW.editor, NEW.text_follows))
  EXECUTE FUNCTION keep_template_version();
