-- Parses of inbox mails that have begun and not ended: what is left here after a crash may have caused it.
CREATE TABLE inbox_parse (
  -- As `inbox.name`; of a mail from a pipe the name of its command.
  mailbox text NOT NULL,
  -- `uid_validity:uid`; of a mail from a pipe its hash.
  mail text NOT NULL,
  -- Tries that did not end, and the one that is under way.
  tries smallint NOT NULL,
  -- Who is at it. Its own earlier try did not end its process. NULL: nobody.
  worker_id uuid,
  begun_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (mailbox, mail)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON inbox_parse TO kaitaku_service;
