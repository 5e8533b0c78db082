import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { MAX_SUPPRESSION_ROWS } from '#contract/answers/suppressions.ts';
import { MAX_SENDERS } from '#domain/limits.ts';
import { CLOSING_DAYS_MAX, MAX_CLOSING_DAYS } from '#domain/sending/rules/closing-days.ts';
import { addDays, isWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { claimDeliveries } from '#server/features/delivery/claim/claim.queries.ts';
import { openSessionOf } from '#test/accounts.ts';
import { serve } from '#test/client.ts';
import { openAs } from '#test/open-as.ts';
import type { Tenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';
import type { Asked } from './full-account-client.ts';
import { fillAccount, halfFilledAccount } from './full-account-data.ts';
import { longestTurn } from './longest-turn.ts';
import { openScene } from './sending-scene.ts';

/**
 * Measures the longest block of the event loop by calls of an account whose rules are full. Counts the CPU of one turn
 * (bar: 50 ms), because other programs do not lengthen it.
 * `npm run bench -- full-account [--rounds 5] [--only closing]`
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string', default: '' } },
});
const rounds = Number(values.rounds);

const scene = await openScene();
const login = openAs('login', scene.url);
const api = openAs('api', scene.url);
const service = openAs('service', scene.url);
const full = await fillAccount(scene.db);
const half = await halfFilledAccount(scene.db);
await sql`VACUUM ANALYZE`.execute(scene.db);
const address = await serve({ api: api.db, login: login.db });

type Answer = { readonly status: number; readonly text: string };
type Ask = (method: string, path: string, body?: object | string) => Promise<Answer>;

async function clientOf({ accountId }: Tenant): Promise<{ readonly ask: Ask; readonly end: () => Promise<unknown> }> {
  const authorization = `Bearer ${await openSessionOf(login.db, accountId, Date.now())}`;
  const worker = new Worker(new URL('full-account-client.ts', import.meta.url), {
    workerData: { address, authorization },
  });
  const ask: Ask = async (method, path, body) => {
    worker.postMessage({ method, path, body } satisfies Asked);
    const [answer] = (await once(worker, 'message')) as [Answer];
    return answer;
  };
  return { ask, end: () => worker.terminate() };
}

const ofFull = await clientOf(full);
const ofHalf = await clientOf(half);

const ids = async (table: 'sender_profile' | 'sender_group' | 'reservation' | 'closing_day', { accountId }: Tenant) =>
  (await scene.db.selectFrom(table).select('id').where('account_id', '=', accountId).orderBy('id').execute()).map(
    ({ id }) => id,
  );
const profiles = await ids('sender_profile', half);
const [reservation] = await ids('reservation', full);
const [closingDay] = await ids('closing_day', full);
const prospects = await scene.db
  .selectFrom('prospect')
  .select('id')
  .where('account_id', '=', full.accountId)
  .limit(200)
  .execute();
const template = await scene.db
  .selectFrom('sender')
  .select(['template_id', 'profile_id'])
  .where('id', '=', full.senderId)
  .executeTakeFirstOrThrow();

const { senderGroupId: group, senderId: sender } = full;
const today = dayOf(Date.now());
let sendDay = addDays(today, 30);
while (isWeekend(sendDay)) sendDay = addDays(sendDay, 1);
const sendAt = `${sendDay.replaceAll('-', '/')} 10:00:00`;
const reserve = {
  sender_id: sender,
  send_at: sendAt,
  test_send_mode: 0,
  datetime_list: null,
  attack_list: prospects.map(({ id }) => ({ prospect_id: id })),
  active: 1,
};

/** A call that uses a full rule. */
interface Case {
  readonly name: string;
  readonly work: (round: number) => Promise<unknown>;
  /** Undoes the call; not measured. */
  readonly undo?: () => Promise<unknown>;
}

interface Expected {
  readonly body?: (round: number) => object;
  readonly status?: number;
  /** The raw bytes in place of a JSON body. */
  readonly raw?: string;
  readonly by?: Ask;
  readonly undo?: () => Promise<unknown>;
}

function call(
  rule: string,
  asked: `${'GET' | 'POST' | 'PUT'} ${string}`,
  { body, raw, status: expected = 200, by = ofFull.ask, undo }: Expected = {},
): Case {
  const [method = '', path = ''] = asked.split(' ');
  const work = async (round: number) => {
    const { status, text } = await by(method, path, raw ?? body?.(round));
    if (status !== expected) throw new Error(`${asked}: ${status} ${text.slice(0, 500)}`);
  };
  return { name: `${rule}: ${asked.split('?')[0]}`, work, ...(undo && { undo }) };
}

const closingRows = Array.from({ length: MAX_CLOSING_DAYS }, (_, n) => ({
  day: addDays('2027-01-01', 2 * n),
  name: '休業',
}));
const endClosingDays = () => scene.db.deleteFrom('closing_day').where('account_id', '=', half.accountId).execute();
const endNewSenders = () =>
  sql`DELETE FROM sender WHERE account_id = ${half.accountId} AND subject IS NULL`.execute(scene.db);
const requeue = () =>
  sql`UPDATE delivery SET state = 'queued', not_before = now() - interval '1 minute', put_off = NULL
    WHERE account_id = ${full.accountId} AND send_log_id = (SELECT min(send_log_id) FROM delivery)`.execute(scene.db);
const suppressionFile = Array.from({ length: MAX_SUPPRESSION_ROWS }, (_, n) => `s${n}@a.example`).join('\n');
const endSuppressions = () =>
  sql`DELETE FROM suppression WHERE account_id = ${full.accountId} AND source = 'csv'`.execute(scene.db);
const changedHours = (round: number) => ({
  update_info: {
    periods: [0, 1, 2, 3, 4, 5, 6].flatMap((weekday) => [
      { weekday, opens: 0, closes: 15 + 15 * (round % 2) },
      { weekday, opens: 1425, closes: 1440 },
    ]),
  },
});
const newDay = {
  add_info: { first_day: today, last_day: addDays(today, CLOSING_DAYS_MAX - 1), name: '休業', yearly: 1 },
};
const reserveBody = {
  add_info: reserve,
  duplicate_key_update_info: { datetime_list: null, attack_list: reserve.attack_list, active: 1 },
};
const preview = `sender_group_id=${group}&sender_id=${sender}&limit_count=1000&send_at=${encodeURIComponent(sendAt)}`;
const byHalf = { by: ofHalf.ask };

const CASES: readonly Case[] = [
  call('closing days', `GET /sending_rules/${group}`),
  call('closing days', 'GET /closing_day/list'),
  call('closing days', `PUT /sending_rules/${group}`, { body: changedHours }),
  call('closing days', `PUT /closing_day/${closingDay}`, {
    body: (round) => ({ update_info: { working: ((round + 1) % 2) as 0 | 1 } }),
  }),
  call('closing days', 'POST /closing_day/import', {
    ...byHalf,
    body: () => ({ rows: closingRows }),
    undo: endClosingDays,
  }),
  call('closing days', 'POST /closing_day', { ...byHalf, body: () => newDay, undo: endClosingDays }),
  call('closing days', 'POST /closing_day/preset', {
    ...byHalf,
    body: () => ({ preset: 'new_year', year: Number(today.slice(0, 4)) }),
    undo: endClosingDays,
  }),
  call('closing days', `GET /reservation/calendar?from=${today}&to=${addDays(today, 61)}&sender_group_id=${group}`),
  call('closing days', `GET /reservation/${reservation}`),
  call('closing days', 'GET /reservation/view?pagenate_count=200'),
  call('closing days', 'GET /send_log/view?pagenate_count=200'),
  call('closing days', 'POST /reservation', { body: () => reserveBody, status: 400 }),
  call('closing days', `PUT /reservation/${reservation}`, {
    body: () => ({ version: 1, update_info: { send_at: sendAt } }),
    status: 400,
  }),
  call('closing days, limits', `GET /attack_list/preview?${preview}`),
  {
    name: 'closing days: a claim',
    work: () => claimDeliveries(service.db, randomUUID(), { connections: 20, rows: 100 }),
    undo: requeue,
  },
  call('groups', 'GET /sender_group/list'),
  call('groups', 'GET /legal_profile/list'),
  call('members', 'GET /member/list'),
  call('members', 'GET /invitation/list'),
  call('senders', 'GET /sender/list'),
  call('senders', 'GET /sender_profile/list'),
  call('senders', 'GET /domain_health/list'),
  call('senders', `GET /mail_template/${template.template_id}`),
  call('senders', 'POST /mail_template', {
    ...byHalf,
    body: (round) => ({
      add_info: { name: `ひな形${round}`, subject: '件名', sender_profile_ids: profiles.slice(0, MAX_SENDERS / 2 - 1) },
    }),
    undo: endNewSenders,
  }),
  call('templates', 'GET /mail_template/list'),
  call('templates', `GET /mail_template/${template.template_id}/version/list`),
  call('folders', 'GET /mail_template_folder/list'),
  call('saved conditions', 'GET /saved_condition/list'),
  call('suppressions', 'GET /suppression/view?pagenate_count=200'),
  call('suppressions', 'POST /suppression/import?class=blocked&dry_run=1', { raw: suppressionFile }),
  call('suppressions', 'POST /suppression/import?class=blocked', { raw: suppressionFile, undo: endSuppressions }),
];

print('| full rule: call | longest turn, CPU ms: median | most | whole, ms: median |', '| --- | --- | --- | --- |');
await requeue();
for (const { name, work, undo } of CASES.filter((one) => one.name.includes(values.only))) {
  const turns: number[] = [];
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now();
    const turn = await longestTurn(() => work(round));
    const took = performance.now() - begun;
    await undo?.();
    // The first round compiles the code.
    if (round > 0) turns.push(turn);
    if (round > 0) times.push(took);
  }
  print(`| ${name} | ${ms(median(turns))} | ${ms(Math.max(...turns))} | ${ms(median(times))} |`);
}
print('', `${rounds} rounds, load ${loadavg()[0]?.toFixed(0)}`);
await ofFull.end();
await ofHalf.end();
for (const one of [api, login, service]) await one.close();
await scene.close();
process.exit();
