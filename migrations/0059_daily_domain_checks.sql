-- One process at a time checks the domains of senders each day (decision 0193). No round begins before this.
ALTER TABLE installation ADD COLUMN domain_round_at timestamptz NOT NULL DEFAULT 'epoch';
