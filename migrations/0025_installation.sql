-- One row: which database this is, and whether it is in an older state than the mails that were sent from it (decision 0075).
-- id: backups and standbys carry it along. Receipts on the disks of workers are kept by it.
-- server, server_since: the server process that workers claim from, and since when. Another one may hold an older state.
-- rewound_at: receipts prove that commits are missing. No worker claims until `kaitaku receipts resume` clears it.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  server text,
  server_since timestamptz,
  rewound_at timestamptz
);
INSERT INTO installation DEFAULT VALUES;

-- It belongs to no account. Accounts may know why their mail waits.
GRANT SELECT, UPDATE ON installation TO kaitaku_service;
GRANT SELECT (rewound_at) ON installation TO kaitaku_api;
