-- All dashes of an address are one in the key by which lists find a company (src/domain/prospect-identity.ts,
-- docs/decisions/0125). A stored key is the folded name and address, a line break between them.
ALTER TABLE prospect NO FORCE ROW LEVEL SECURITY;
ALTER TABLE prospect_search NO FORCE ROW LEVEL SECURITY;

-- Companies that are now one both stay: the first has the new key, the others keep their old one, which no row of an
-- import has any more.
WITH changed AS (
  SELECT DISTINCT ON (account_id, key) account_id, id, key
  FROM (
    SELECT account_id, id, identity_key, split_part(identity_key, E'\n', 1) || regexp_replace(
      substr(identity_key, length(split_part(identity_key, E'\n', 1)) + 1),
      '[‐–—―─]|(?<=[0-9a-z一二三四五六七八九十]) ?ー ?(?=[0-9a-z一二三四五六七八九十])', '-', 'g') AS key
    FROM prospect) AS known
  WHERE key <> identity_key
  ORDER BY account_id, key, id
)
UPDATE prospect SET identity_key = changed.key
FROM changed
WHERE prospect.account_id = changed.account_id AND prospect.id = changed.id AND NOT EXISTS (
  SELECT FROM prospect AS other WHERE other.account_id = changed.account_id AND other.identity_key = changed.key);

ALTER TABLE prospect FORCE ROW LEVEL SECURITY;
ALTER TABLE prospect_search FORCE ROW LEVEL SECURITY;
