import type { TestDatabase } from './db.ts';

/** Tables that sending, bounces, erasures and retention write. */
const TABLES = [
  'prospect',
  'prospect_search',
  'prospect_change',
  'send_log',
  'delivery',
  'contact_state',
  'address_contact',
  'address_rejection',
  'shared_address',
  'bounce',
  'suppression',
  'suppression_hash',
  'erased_address',
];

/**
 * Saves the state of a database, as a backup or a standby does. Its sequences continue.
 * @returns a function that restores that state
 */
export async function saveState({ pool }: TestDatabase): Promise<() => Promise<void>> {
  const saved = TABLES.map(
    (table) => `SELECT '${table}' AS name, coalesce(jsonb_agg(r), '[]') AS rows FROM ${table} r`,
  );
  const { rows } = await pool.query<{ name: string; columns: string; rows: string }>(`
    SELECT name, rows::text, (
      SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
      WHERE attrelid = name::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns
    FROM (${saved.join(' UNION ALL ')}) AS saved`);
  return async () => {
    const client = await pool.connect();
    try {
      // Without triggers, because their results are saved too.
      await client.query('BEGIN; SET LOCAL session_replication_role = replica');
      for (const table of rows) {
        await client.query(`DELETE FROM ${table.name}`);
        const values = `SELECT ${table.columns} FROM jsonb_populate_recordset(NULL::${table.name}, $1::text::jsonb)`;
        await client.query(`INSERT INTO ${table.name} (${table.columns}) OVERRIDING SYSTEM VALUE ${values}`, [
          table.rows,
        ]);
      }
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  };
}
