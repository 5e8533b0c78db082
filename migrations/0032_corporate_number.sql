-- The corporate number (法人番号) of a company: the identity of a row of an import that has one (docs/decisions/0125).
ALTER TABLE prospect ADD COLUMN corporate_number text COLLATE "C" CHECK (corporate_number ~ '^[1-9][0-9]{12}$');
CREATE UNIQUE INDEX prospect_corporate_number_key ON prospect (account_id, corporate_number)
  WHERE corporate_number IS NOT NULL;

-- (株) and 株式会社, and characters that CP932 respells, are now one company (src/domain/prospect-identity.ts). A stored
-- key is the name and the address, a line break between them, after NFKC, lower case and folding of white space.
CREATE FUNCTION pg_temp.new_key(old text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  key text := translate(old, '〜−‖—¥·〞', '~-∥―\・〟');
  name text := split_part(key, E'\n', 1);
  rest text := substr(key, length(name) + 1);
  form text[];
BEGIN
  FOREACH form SLICE 1 IN ARRAY '{{株,株式会社},{有,有限会社},{同,合同会社},{名,合名会社},{資,合資会社},{医,医療法人},
    {財,財団法人},{社,社団法人},{学,学校法人},{福,社会福祉法人}}'::text[] LOOP
    name := regexp_replace(name, '^(\(' || form[1] || '\)|' || form[2] || ') ?', form[2]);
    name := regexp_replace(name, ' ?(\(' || form[1] || '\)|' || form[2] || ')$', form[2]);
  END LOOP;
  RETURN name || rest;
END $$;

-- Forced row level security hides all rows from the owner too, who migrates.
ALTER TABLE prospect NO FORCE ROW LEVEL SECURITY;
ALTER TABLE prospect_search NO FORCE ROW LEVEL SECURITY;

-- Companies that are now one both stay: the first has the new key, the others keep their old one, which no row of an
-- import has any more.
WITH changed AS (
  SELECT DISTINCT ON (account_id, key) account_id, id, key
  FROM (SELECT account_id, id, identity_key, pg_temp.new_key(identity_key) AS key FROM prospect) AS known
  WHERE key <> identity_key
  ORDER BY account_id, key, id
)
UPDATE prospect SET identity_key = changed.key
FROM changed
WHERE prospect.account_id = changed.account_id AND prospect.id = changed.id AND NOT EXISTS (
  SELECT FROM prospect AS other WHERE other.account_id = changed.account_id AND other.identity_key = changed.key);

ALTER TABLE prospect FORCE ROW LEVEL SECURITY;
ALTER TABLE prospect_search FORCE ROW LEVEL SECURITY;
