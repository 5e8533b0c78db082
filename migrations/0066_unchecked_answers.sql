-- Anybody may write a From. What an answer says of its writer, and how many more came than are stored.
-- See docs/decisions/0248.
ALTER TABLE reply
  ADD COLUMN from_trust text NOT NULL DEFAULT 'none'
    CONSTRAINT reply_from_trust_check CHECK (from_trust IN ('none', 'single', 'authenticated')),
  -- The first 16 bytes of the hash of each answer whose text this one has replaced, or that it stands for.
  ADD COLUMN folded_hashes bytea[] NOT NULL DEFAULT '{}'
    CONSTRAINT reply_folded_hashes_check CHECK (cardinality(folded_hashes) <= 1000);
