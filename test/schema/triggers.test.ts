import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';

const FEATURES = join(import.meta.dirname, '../../src/server/features');

/** The features whose tables triggers watch or write. */
const ROOM_OF: Readonly<Record<string, string>> = {
  account: 'account',
  active_prospect: 'companies',
  address_contact: 'delivery',
  delivery: 'delivery',
  domain_check: 'domain-health',
  installation: 'delivery',
  job: 'jobs',
  lifted_suppression: 'suppressions',
  mailbox: 'mailboxes',
  mail_template: 'mail-templates',
  mail_template_version: 'mail-templates',
  member: 'account',
  notice_event: 'notices',
  notice_member: 'notices',
  person: 'people',
  prospect: 'companies',
  prospect_search: 'prospects',
  prospect_total: 'prospects',
  recorded_contact: 'send-logs',
  reply: 'replies',
  report_change: 'reports',
  reservation: 'reservations',
  send_log: 'runs',
  sender_due: 'delivery',
  shared_address: 'attack-list',
  suppression: 'suppressions',
  suppression_hash: 'suppressions',
  transport: 'delivery',
};

/** Returns what triggers do, in the form of the file heads: `watched: trigger → written`. */
async function readTriggers(): Promise<{ readonly text: string; readonly tables: readonly string[] }[]> {
  const { pool } = await emptyDatabase();
  const { rows: functions } = await pool.query<{ name: string; body: string }>(
    `SELECT proname AS name, coalesce(prosrc, '') AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  );
  const { rows } = await pool.query<{ watched: string; name: string; calls: string }>(`
    SELECT tgrelid::regclass::text AS watched, tgname AS name, proname AS calls
    FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid WHERE NOT tgisinternal AND tgparentid = 0`);

  /** Returns the tables that a function writes, directly or through a function that it calls. */
  const writtenBy = (name: string): string[] => {
    const body = functions.find((one) => one.name === name)?.body ?? '';
    const own = [...body.matchAll(/(?:INSERT INTO|UPDATE|DELETE FROM|TRUNCATE) ([a-z_]+(?:, [a-z_]+)*)/g)];
    const called = functions.filter((one) => one.name !== name && body.includes(`${one.name}(`));
    return [...own.flatMap(([, tables = '']) => tables.split(', ')), ...called.flatMap((one) => writtenBy(one.name))];
  };
  return rows.map(({ watched, name, calls }) => {
    const written = [...new Set(writtenBy(calls))].toSorted();
    const result = written.join(', ') || (calls === 'announce_work' ? 'NOTIFY' : 'its own row');
    return { text: `${watched}: ${name} → ${result}`, tables: [watched, ...written] };
  });
}

/** Returns a feature's head about triggers: the lines below `Triggers` in the first comment of a file. */
const headOf = (room: string): string[] =>
  globSync(`${room}/**/*.ts`, { cwd: FEATURES }).flatMap((path) => {
    const [, head = ''] = /^[^*]*?\/\*\n([\s\S]*?)\*\//.exec(readFileSync(join(FEATURES, path), 'utf8')) ?? [];
    const [, lines = ''] = head.split(/^ \* Triggers.*\n/m);
    return [...lines.matchAll(/^ \* {3}(\w+): (.*) → (.*)$/gm)].flatMap(([, watched, names = '', written]) =>
      names.split(', ').map((name) => `${watched}: ${name} → ${written}`),
    );
  });

test('each trigger is named at the heads of the features whose rows it watches and writes', async () => {
  const triggers = await readTriggers();
  expect(new Set(triggers.flatMap(({ tables }) => tables))).toStrictEqual(new Set(Object.keys(ROOM_OF)));
  const rooms = [...new Set(Object.values(ROOM_OF))];
  const named = (room: string) =>
    triggers.filter(({ tables }) => tables.some((table) => ROOM_OF[table] === room)).map(({ text }) => text);
  expect(Object.fromEntries(rooms.map((room) => [room, headOf(room).toSorted()]))).toStrictEqual(
    Object.fromEntries(rooms.map((room) => [room, named(room).toSorted()])),
  );
});
