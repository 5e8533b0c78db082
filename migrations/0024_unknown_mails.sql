-- Counts the mails nobody has decided about yet, for the metrics, without a scan of all mails.
CREATE INDEX delivery_unknown_idx ON delivery (finished_at) WHERE state = 'unknown';
