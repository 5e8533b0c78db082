import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { foldEvents } from '#server/features/notices/fold-events.queries.ts';
import { ms, print } from './figures.ts';
import { openScene, queueMails } from './sending-scene.ts';

/**
 * Measures how long it takes to fold events into the notices of a large team.
 * `npm run bench -- notices [--members 200] [--events 5000] [--kinds reply|reply,refusal] [--rounds 3]`. The events are
 * all of one account, each of its own subject. The second fold of a round adds to the notices of the first.
 */
const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '200' },
    events: { type: 'string', default: '5000' },
    kinds: { type: 'string', default: 'reply,refusal,run_ended,import_ended' },
    rounds: { type: 'string', default: '3' },
  },
});
const kinds = values.kinds.split(',');

const scene = await openScene();
const { db } = scene;

/** Folds all events. @returns the ms of the longest transaction, and of all */
async function fold(accountId: number): Promise<readonly [longest: number, all: number]> {
  await sql`
    INSERT INTO notice_event (account_id, kind, subject_id)
    SELECT ${accountId}, (${kinds}::text[])[1 + n % ${kinds.length}], n
    FROM generate_series(1, ${Number(values.events)}::integer) AS n`.execute(db);
  const times: number[] = [];
  for (let isMore = true; isMore; ) {
    const begun = performance.now();
    isMore = await foldEvents(db);
    times.push(performance.now() - begun);
  }
  return [Math.max(...times), times.reduce((sum, one) => sum + one, 0)];
}

print(
  '| members | events | kinds | new notices: longest transaction, ms | all | open notices: longest, ms | all |',
  '| --- | --- | --- | --- | --- | --- | --- |',
);
for (let round = 0; round < Number(values.rounds); round += 1) {
  const { accountId } = await queueMails(scene, 1);
  await sql`
    INSERT INTO member (account_id, email, name, password_hash, role)
    SELECT ${accountId}, 'm' || n || '@account' || ${accountId}::bigint || '.example', '利用者', 'none', 'sales'
    FROM generate_series(2, ${Number(values.members)}::integer) AS n`.execute(db);
  await sql`DELETE FROM notice_event`.execute(db);
  const [first, second] = [await fold(accountId), await fold(accountId)];
  const { rows } = await sql<{ notices: number; events: number }>`
    SELECT count(*)::integer AS notices, sum(count)::integer AS events FROM notice
    WHERE account_id = ${accountId}`.execute(db);
  const expected = {
    notices: kinds.length * Number(values.members),
    events: 2 * Number(values.events) * Number(values.members),
  };
  if (JSON.stringify(rows[0]) !== JSON.stringify(expected)) throw new Error(`${JSON.stringify(rows[0])} notices`);
  print(`| ${[values.members, values.events, kinds.length, ...[...first, ...second].map(ms)].join(' | ')} |`);
}
await scene.close();
