import pg from 'pg';

/**
 * Returns the schema as SQL text, from the catalogs, in a fixed order.
 * Functions; tables with columns, storage, keys, checks, indexes, triggers, row level security; views; the rights of
 * roles in all of them; the rows that the migrations add.
 * PostgreSQL 15 and 18 give the same text (pg_dump of one does not read the other, and the bundled server has none).
 */
export async function dumpSchema(pool: pg.Pool): Promise<string> {
  const functions = await pool.query<{ definition: string; rights: string[] }>(FUNCTIONS);
  const { rows } = await pool.query<Table>(TABLES);
  const tables = rows.map(({ name, options, columns, constraints, after }) => {
    const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
    return [`CREATE TABLE ${name} (\n${body}\n)${options};`, ...after.map((line) => `${line};`)].join('\n');
  });
  const views = await pool.query<{ definition: string }>(VIEWS);
  const names = rows.map(({ name }) => name).filter((name) => name !== 'schema_migration');
  const parts = [
    ...functions.rows.map(({ definition, rights }) =>
      [definition.trim(), ...rights].map((line) => `${line};`).join('\n'),
    ),
    ...tables,
    ...views.rows.map(({ definition }) => definition),
    (await rowsOf(pool, names)).join('\n'),
  ];
  return `-- The migrated schema, made by \`npm run generate\` and verified in CI. Change it by a migration.\n\n${parts.join('\n\n')}\n`;
}

type Table = Record<'name' | 'options', string> & Record<'columns' | 'constraints' | 'after', string[]>;

/** Returns the rows of the tables, without NULLs and without columns that have a default. */
async function rowsOf(pool: pg.Pool, tables: readonly string[]): Promise<string[]> {
  const each = tables.map(
    (name) => `
      SELECT '${name}' AS name, jsonb_strip_nulls(to_jsonb(t) - ARRAY(
        SELECT attname::text FROM pg_attribute WHERE attrelid = '${name}'::regclass AND atthasdef)) AS row
      FROM ${name} AS t`,
  );
  const { rows } = await pool.query<{ name: string; row: Record<string, unknown> }>(each.join(' UNION ALL '));
  return rows.map(({ name, row }) => {
    const columns = Object.keys(row);
    if (columns.length === 0) return `INSERT INTO ${name} DEFAULT VALUES;`;
    const values = Object.values(row).map((value) => pg.escapeLiteral(String(value)));
    return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${values.join(', ')});`;
  });
}

const TABLES = `
  SELECT t.relname AS name, coalesce(' WITH (' || array_to_string(t.reloptions, ', ') || ')', '') AS options,
    ARRAY(
      SELECT concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          CASE WHEN c.collname IS DISTINCT FROM 'default' THEN 'COLLATE ' || quote_ident(c.collname) END,
          CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' END,
          CASE a.attgenerated WHEN 's' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
            ELSE 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END,
          CASE WHEN a.attnotnull THEN 'NOT NULL' END)
      FROM pg_attribute a
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_collation c ON c.oid = a.attcollation
      WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum) AS columns,
    ARRAY(
      SELECT 'CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
      FROM pg_constraint WHERE conrelid = t.oid AND contype IN ('p', 'u', 'f', 'c')
      ORDER BY array_position('{p,u,f,c}'::"char"[], contype), conname) AS constraints,
    ARRAY(
      SELECT format('ALTER TABLE %I ALTER COLUMN %I SET STORAGE %s', t.relname, attname,
        CASE attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END)
      FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
      WHERE attrelid = t.oid AND attnum > 0 AND attstorage <> typstorage
      ORDER BY attnum)
    || ARRAY(
      SELECT pg_get_indexdef(indexrelid)
      FROM pg_index
      WHERE indrelid = t.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
      ORDER BY indexrelid::regclass::text)
    || ARRAY(
      SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = t.oid AND NOT tgisinternal ORDER BY tgname)
    || ARRAY(
      SELECT format('ALTER TABLE %I %s ROW LEVEL SECURITY', t.relname, verb)
      FROM (VALUES ('ENABLE', t.relrowsecurity), ('FORCE', t.relforcerowsecurity)) AS level (verb, holds) WHERE holds)
    || ARRAY(
      SELECT concat_ws(' ', 'CREATE POLICY', quote_ident(policyname), 'ON', quote_ident(tablename),
        CASE permissive WHEN 'RESTRICTIVE' THEN 'AS RESTRICTIVE' END, 'FOR', cmd,
        'TO', array_to_string(roles, ', '), 'USING (' || qual || ')', 'WITH CHECK (' || with_check || ')')
      FROM pg_policies WHERE tablename = t.relname AND schemaname = 'public'
      ORDER BY policyname)
    || ARRAY(
      SELECT 'GRANT ' || string_agg(privilege_type, ', ' ORDER BY privilege_type) || ' ON ' || quote_ident(t.relname)
        || ' TO ' || grantee
      FROM information_schema.table_privileges
      WHERE table_schema = 'public' AND table_name = t.relname AND grantee LIKE 'kaitaku\\_%'
      GROUP BY grantee ORDER BY grantee)
    || ARRAY(
      SELECT 'GRANT ' || privilege_type || ' (' || string_agg(attname, ', ' ORDER BY attnum) || ') ON '
        || quote_ident(t.relname) || ' TO ' || grantee::regrole
      FROM pg_attribute, aclexplode(attacl) AS granted
      WHERE attrelid = t.oid AND attacl IS NOT NULL
      GROUP BY grantee, privilege_type ORDER BY grantee::regrole::text, privilege_type) AS after
  FROM pg_class t
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
  ORDER BY t.relname`;

/** PostgreSQL 15, unlike 18, names each column's table even in a view of one table: the schema has none. */
const VIEWS = `
  SELECT format(E'CREATE VIEW %I%s AS\n%s\n%s', v.relname,
    ' WITH (' || array_to_string(v.reloptions, ', ') || ')', pg_get_viewdef(v.oid),
    (SELECT string_agg(format('GRANT %s ON %I TO %s;', privilege_type, v.relname, grantee), E'\n' ORDER BY grantee)
      FROM information_schema.table_privileges
      WHERE table_schema = 'public' AND table_name = v.relname AND grantee LIKE 'kaitaku\\_%')) AS definition
  FROM pg_class v WHERE v.relnamespace = 'public'::regnamespace AND v.relkind = 'v'
  ORDER BY v.relname`;

/** Everybody may call a function whose rights were never changed. */
const FUNCTIONS = `
  SELECT pg_get_functiondef(p.oid) AS definition,
    ARRAY(
      SELECT format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
      WHERE NOT EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) WHERE grantee = 0))
    || ARRAY(
      SELECT format('GRANT EXECUTE ON FUNCTION %s TO %s', p.oid::regprocedure, grantee::regrole)
      FROM aclexplode(p.proacl) WHERE grantee NOT IN (0, p.proowner)
      ORDER BY grantee::regrole::text) AS rights
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
  ORDER BY p.proname`;
