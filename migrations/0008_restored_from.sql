-- A database that was restored from a backup (docs/decisions/backup.md).

-- restored_from: when the backup was made. No due reservation starts. NULL: it was not restored, or sending was resumed.
-- receipts_until: when the receipts of the backup were read. Only a later one shows that mails left since.
ALTER TABLE installation
  ADD COLUMN restored_from timestamptz,
  ADD COLUMN receipts_until timestamptz;

-- A backup keeps the numbers that were given: none is given again.
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO kaitaku_service;
