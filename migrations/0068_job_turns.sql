-- The jobs of accounts take turns. See docs/decisions/0141.

-- When the account's last job began. NULL: it has had none. It stays when its jobs are deleted.
ALTER TABLE account ADD COLUMN last_job_at timestamptz;

-- By it a claim finds the accounts with a job that waits, and the first one of each, however many wait.
DROP INDEX job_open_idx;
CREATE INDEX job_open_idx ON job (state, account_id, id) WHERE state IN ('queued', 'running');
