import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { MAX_TARGETS } from '#domain/limits.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { Problem } from '#server/platform/problem.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addFields, addLabels } from '#test/own-data.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';
import { openScene } from './sending-scene.ts';

/**
 * Measures how long accepting a run of 1,000 targets takes, and its CPU here and in PostgreSQL.
 * `npm run bench -- acceptance [--rounds 20] [--fields]`. Each round has its own tenant. PostgreSQL has fsync on and
 * shares the machine; its CPU is that of the processes that still run at the end. `--fields`: in turn, also with a
 * template that names five own fields, of which each company has a value.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, fields: { type: 'boolean', default: false } },
});

const scene = await openScene();
const { rows: backends } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(scene.db);
const postmaster = postmasterOf(backends[0]?.pid ?? 0);
/** Returns the milliseconds of CPU of this process and of PostgreSQL. */
const spent = (): readonly [number, number] => {
  const { user, system } = process.cpuUsage();
  const postgres = [...cpuByProcess(postmaster).values()].reduce((sum, seconds) => sum + seconds, 0);
  return [(user + system) / 1000, postgres * 1000];
};

/** Gives each company five values, and the template their names. */
async function nameFields(accountId: number): Promise<void> {
  const types = ['text', 'number', 'date', 'choice', 'flag'] as const;
  const fields = await addFields(
    scene.db,
    accountId,
    types.map((type) => ({ key: type, label: type, type })),
  );
  const labels = await addLabels(scene.db, accountId, ['A', 'B', 'C'], fields.get('choice'));
  const sets = await scene.db
    .insertInto('label_set')
    .values(labels.map((label) => ({ account_id: accountId, members: `,${label},` })))
    .returning('id')
    .execute();
  await sql`
    INSERT INTO prospect_own (account_id, prospect_id, label_set_id, vals)
    SELECT account_id, id, (${sets.map(({ id }) => id)}::integer[])[1 + id % 3], jsonb_build_object(
      ${fields.get('text')}::text, '第' || id || '回 東京産業展', ${fields.get('number')}::text, id,
      ${fields.get('date')}::text, '2026-10-15', ${fields.get('flag')}::text, id % 2 = 0)
    FROM prospect WHERE account_id = ${accountId}`.execute(scene.db);
  const named = types.map((type) => `{{ custom.${type} }}`).join('、');
  const parts = { text_body: `本文${named}`, html_body: `<p>本文${named}</p>` };
  await scene.db.updateTable('mail_template').set(parts).where('account_id', '=', accountId).execute();
}

async function accept(fields: boolean) {
  const { accountId, memberId, senderId } = await addTenant(scene.db);
  await addManyProspects(scene.db, accountId, MAX_TARGETS);
  if (fields) await nameFields(accountId);
  const { rows: attack_list } = await sql<{ prospect_id: number }>`
    SELECT id AS prospect_id FROM prospect WHERE account_id = ${accountId} ORDER BY id`.execute(scene.db);
  const body = { test_send_mode: 0 as const, attack_list, days_from_lastday: 7 };
  const request = { senderId, body, idempotencyKey: null, ...TEST_MAILING };
  const before = spent();
  const begun = performance.now();
  const answer = await acceptSend(scene.account(accountId, memberId), request, Date.now());
  const wall = performance.now() - begun;
  if (answer instanceof Problem || answer.accepted !== MAX_TARGETS) throw new Error(JSON.stringify(answer));
  const after = spent();
  return { wall, node: after[0] - before[0], postgres: after[1] - before[1] };
}

const kinds = values.fields ? [false, true] : [false];
const rounds = new Map(kinds.map((fields) => [fields, [] as Awaited<ReturnType<typeof accept>>[]]));
// The first round compiles the program and fills the caches.
for (let round = 0; round <= Number(values.rounds); round += 1) {
  for (const [fields, figures] of rounds) {
    const figure = await accept(fields);
    if (round > 0) figures.push(figure);
  }
}
print('| targets | ms, median | CPU of Node, ms, mean | CPU of PostgreSQL, ms, mean |', '| --- | --- | --- | --- |');
for (const [fields, figures] of rounds) {
  // The clock of processes has steps of 10 ms.
  const mean = (key: 'node' | 'postgres') => ms(figures.reduce((sum, one) => sum + one[key], 0) / figures.length);
  const name = `${MAX_TARGETS}${fields ? ', five own fields' : ''}`;
  print(`| ${name} | ${ms(median(figures.map(({ wall }) => wall)))} | ${mean('node')} | ${mean('postgres')} |`);
}
await scene.close();
