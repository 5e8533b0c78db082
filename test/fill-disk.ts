import { onTestFinished } from 'vitest';
import type { TestDatabase } from './db.ts';

/**
 * Makes each commit after a write to the table fail as if the disk were full, until the end of the test.
 * @returns a function that ends this earlier
 */
export async function fillDisk(
  { pool }: Pick<TestDatabase, 'pool'>,
  table: 'send_log' | 'delivery' | 'prospect' | 'stored_file_piece',
): Promise<() => Promise<unknown>> {
  await pool.query(`
    CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE CONSTRAINT TRIGGER no_room AFTER INSERT OR UPDATE ON ${table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION no_room()`);
  const makeRoom = () => pool.query('DROP FUNCTION IF EXISTS no_room CASCADE');
  onTestFinished(async () => void (await makeRoom()));
  return makeRoom;
}
