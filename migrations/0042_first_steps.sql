-- When the member has put away the card of the first steps. NULL: it is shown. Members of before know the product.
ALTER TABLE member ADD COLUMN first_steps_dismissed_at timestamptz DEFAULT now();
ALTER TABLE member ALTER COLUMN first_steps_dismissed_at DROP DEFAULT;
GRANT UPDATE (first_steps_dismissed_at) ON member TO kaitaku_api;

-- Whether anybody has sent himself a test of a template, however long the account's history is.
CREATE INDEX audit_event_template_test_idx ON audit_event (account_id) WHERE kind = 'template_test_sent';
