-- Sending through SendGrid: which of its dynamic templates stands for one of ours, and what its events tell of a mail afterwards.
ALTER TABLE mail_template
  ADD COLUMN sendgrid_template_id text CHECK (sendgrid_template_id ~ '^d-[0-9a-f]{32}$');

-- When the company's own mail server took the mail, where somebody tells us: `sent` says that the server we hand mails to has it.
ALTER TABLE delivery ADD COLUMN delivered_at timestamptz;
