-- The mail that probes whether a paused mail server works again: its claim, which no other probe runs beside. NULL: no
-- probe since the last answer or pause. paused_until in the past: the pause is over, and one mail may probe.
-- It is no foreign key: the mail may move to the archive, and its account may end. See docs/decisions/0041.
ALTER TABLE transport ADD probe_account_id bigint, ADD probe_delivery_id bigint, ADD probe_claim_no integer;
