import type pg from 'pg';

/**
 * Returns the schema as SQL text, from the catalogs, in one fixed order.
 * Functions, tables with columns, keys, checks, indexes, triggers, row level security and the rights of roles; views.
 * PostgreSQL 15 and 18 give the same text (pg_dump of one does not read the other, and the bundled server has none).
 */
export async function dumpSchema(pool: pg.Pool): Promise<string> {
  const functions = await pool.query<{ definition: string }>(FUNCTIONS);
  const { rows } = await pool.query<Record<'columns' | 'constraints' | 'after', string[]> & { name: string }>(TABLES);
  const tables = rows.map(({ name, columns, constraints, after }) => {
    const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
    return [`CREATE TABLE ${name} (\n${body}\n);`, ...after.map((line) => `${line};`)].join('\n');
  });
  const views = await pool.query<{ definition: string }>(VIEWS);
  const parts = [
    ...functions.rows.map(({ definition }) => `${definition.trim()};`),
    ...tables,
    ...views.rows.map(({ definition }) => definition),
  ];
  return `-- The migrated schema, made by \`npm run generate\` and verified in CI. Change it by a migration.\n\n${parts.join('\n\n')}\n`;
}

const TABLES = `
  SELECT t.relname AS name,
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
      SELECT pg_get_indexdef(indexrelid)
      FROM pg_index
      WHERE indrelid = t.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
      ORDER BY indexrelid::regclass::text)
    || ARRAY(
      SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = t.oid AND NOT tgisinternal ORDER BY tgname)
    || ARRAY(
      SELECT 'ALTER TABLE ' || quote_ident(t.relname) || ' FORCE ROW LEVEL SECURITY'
      WHERE t.relrowsecurity AND t.relforcerowsecurity)
    || ARRAY(
      SELECT concat_ws(' ', 'CREATE POLICY', quote_ident(policyname), 'ON', quote_ident(tablename), 'FOR', cmd,
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

/** Columns alone: PostgreSQL 15 and 18 print the query of a view differently. */
const VIEWS = `
  SELECT format(E'-- VIEW %I%s (%s)\n%s', v.relname, coalesce(' WITH (' || array_to_string(v.reloptions, ', ') || ')', ''),
    (SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = v.oid AND attnum > 0),
    (SELECT string_agg(format('GRANT %s ON %I TO %s;', privilege_type, v.relname, grantee), E'\n' ORDER BY grantee)
      FROM information_schema.table_privileges
      WHERE table_schema = 'public' AND table_name = v.relname AND grantee LIKE 'kaitaku\\_%')) AS definition
  FROM pg_class v WHERE v.relnamespace = 'public'::regnamespace AND v.relkind = 'v'
  ORDER BY v.relname`;

const FUNCTIONS = `
  SELECT pg_get_functiondef(p.oid) AS definition
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
  ORDER BY p.proname`;
