-- Rules over all groups of an account (docs/decisions/sending-rules.md).

-- per_domain: so many mails of one run go to the companies of one domain; 0: any number.
-- across_groups: a mail of any group counts for the interval of the others.
ALTER TABLE account_rule
  ADD COLUMN per_domain smallint NOT NULL DEFAULT 0 CHECK (per_domain BETWEEN 0 AND 1000),
  ADD COLUMN across_groups boolean NOT NULL DEFAULT false;

-- When other groups mailed a company: the primary key has the group before it. With the group, as the planner reads it
-- for one group too.
CREATE INDEX contact_state_prospect_idx ON contact_state (account_id, prospect_id, sender_group_id);
