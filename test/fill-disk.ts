import type { TestDatabase } from './db.ts';

/** Makes each commit that wrote to the table fail as if the disk were full. @returns a function that ends it */
export async function fillDisk(
  { pool }: Pick<TestDatabase, 'pool'>,
  table: 'send_log' | 'delivery' | 'prospect' | 'stored_file_piece',
): Promise<() => Promise<unknown>> {
  await pool.query(`
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE CONSTRAINT TRIGGER no_room AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION no_room()`);
  return () => pool.query('DROP FUNCTION no_room CASCADE');
}
