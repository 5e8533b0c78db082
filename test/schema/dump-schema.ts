import type pg from 'pg';

/**
 * The schema as SQL text, from the catalogs: tables with columns, keys, checks and indexes, in one fixed order. The same text
 * comes out of PostgreSQL 15 and 18 (pg_dump of one does not read the other, and the bundled server ships none).
 */
export async function dumpSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; columns: string[]; constraints: string[]; indexes: string[] }>(
    TABLES,
  );
  const tables = rows.map(({ name, columns, constraints, indexes }) => {
    const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
    return [`CREATE TABLE ${name} (\n${body}\n);`, ...indexes.map((index) => `${index};`)].join('\n');
  });
  return `-- The migrated schema, made by \`npm run generate\` and verified in CI. Change it by a migration.\n\n${tables.join('\n\n')}\n`;
}

const TABLES = `
  SELECT t.relname AS name,
    ARRAY(
      SELECT concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
          CASE WHEN c.collname IS DISTINCT FROM 'default' THEN 'COLLATE ' || quote_ident(c.collname) END,
          CASE a.attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' END,
          'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
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
      ORDER BY indexrelid::regclass::text) AS indexes
  FROM pg_class t
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
  ORDER BY t.relname`;
