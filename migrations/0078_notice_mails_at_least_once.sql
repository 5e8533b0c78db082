-- A notice mail whose answer was lost behind the final dot is sent once more.
ALTER TABLE notice_member
  DROP COLUMN mail_marked,
  -- A try of that mail ended so: nobody knows whether it arrived.
  ADD COLUMN mail_lost boolean NOT NULL DEFAULT false;
