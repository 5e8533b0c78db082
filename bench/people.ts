import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { MAX_TARGETS } from '#domain/limits.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { readFound } from '#server/features/person-list/person-list.queries.ts';
import { type Db, openDatabase } from '#server/platform/database/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { openAs } from '#test/open-as.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { median, ms, print } from './figures.ts';
import { cpuByProcess, postmasterOf } from './postgres-cpu.ts';
import { addPeople } from './prospect-list-data.ts';
import { onListDatabases } from './prospect-list-database.ts';

/**
 * Measures lists, previews and acceptances by where mails go, without people and then with them, in turn with another
 * tree; and the palette's search of people.
 * `npm run bench -- people --beside DIR [--sizes 1000000] [--rounds 9] [--only 'find|accept']`. DIR: a clone of the
 * commit before people, with its packages; it uses the same database. Half more people than companies; two companies of
 * three have a main contact person with an address. CPU is that of PostgreSQL's processes, without parallel workers:
 * other work does not count.
 */
const { values } = parseArgs({
  options: {
    beside: { type: 'string' },
    sizes: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
if (values.beside === undefined) throw new Error('--beside names a clone of the commit before');

const HERE = join(import.meta.dirname, '..');

/** The functions of a tree, each with its own modules. */
async function treeAt(folder: string) {
  const load = async (path: string) => await import(join(folder, 'src/server', path));
  const { previewAttackList } = await load('features/attack-list/attack-list.queries.ts');
  const { viewProspects } = await load('features/prospects/prospects.queries.ts');
  const { acceptSend } = await load('features/runs/accept.command.ts');
  const { accountDbOf } = await load('platform/database/account-db.ts');
  const { openDatabase: open } = await load('platform/database/db.ts');
  return { previewAttackList, viewProspects, acceptSend, accountDbOf, open };
}
type Tree = Awaited<ReturnType<typeof treeAt>>;

const SCAN = { has_company_url: 'yes', number_of_employees_from: 200 };
const PAGES = {
  'page 1': {},
  'page 400': { offset: 20_000 },
  'of a scan': { filter: SCAN },
  'of a scan, by sales': { filter: SCAN, sort: { sort: 'amount_of_sales', order: 'desc' } },
  'by address': { sort: { sort: 'address', order: 'asc' } },
};

type Step = () => Promise<unknown>;

/**
 * Runs these ways in turn, and prints the mean CPU and the median time of each.
 * @param cpu the CPU of PostgreSQL until now
 */
async function measure(
  cpu: () => number,
  title: string,
  ways: readonly (readonly [string, Step])[],
  after?: Step,
): Promise<void> {
  if (!new RegExp(values.only).test(title)) return;
  const spent = new Map(ways.map(([name]) => [name, { cpu: [] as number[], wall: [] as number[] }]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, step] of ways) {
      const [cpuBefore, begun] = [cpu(), performance.now()];
      await step();
      const figures = spent.get(name);
      if (round >= 0) {
        figures?.wall.push(performance.now() - begun);
        figures?.cpu.push(cpu() - cpuBefore);
      }
      await after?.();
    }
  }
  for (const [name, { cpu: used, wall }] of spent) {
    // The clock of processes has steps of 10 ms; one that has ended takes its time along.
    const counted = used.filter((one) => one >= 0);
    const mean = counted.reduce((sum, one) => sum + one, 0) / counted.length;
    print(`| ${title} | ${name} | ${ms(mean)} | ${ms(median(wall))} |`);
  }
}

const clearRuns = (db: Db, accountId: number) =>
  sql`WITH mails AS (DELETE FROM delivery WHERE account_id = ${accountId})
    DELETE FROM send_log WHERE account_id = ${accountId}`.execute(db);

await onListDatabases(values.sizes.split(','), undefined, async (url, size, data) => {
  const owner = openDatabase(url);
  for (const setting of ['autovacuum = off', 'max_parallel_workers_per_gather = 0']) {
    await sql`${sql.raw(`ALTER SYSTEM SET ${setting}`)}`.execute(owner.db);
  }
  await sql`SELECT pg_reload_conf()`.execute(owner.db);
  const api = openAs('api', url, 1);
  const { rows: backends } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(owner.db);
  const postmaster = postmasterOf(backends[0]?.pid ?? 0);
  const cpu = (): number => 1000 * [...cpuByProcess(postmaster).values()].reduce((sum, seconds) => sum + seconds, 0);
  const before = await treeAt(values.beside ?? '');
  const now = await treeAt(HERE);
  const tenant = await addTenant(owner.db);
  const small = await addTargets();

  async function addTargets(): Promise<{ prospect_id: number }[]> {
    await addManyProspects(owner.db, tenant.accountId, MAX_TARGETS);
    const { rows } = await sql<{ prospect_id: number }>`
      SELECT id AS prospect_id FROM prospect WHERE account_id = ${tenant.accountId} ORDER BY id`.execute(owner.db);
    return rows;
  }

  const preview = (tree: Tree, group: number, filter: object, sendTo?: SendTo) => async () => {
    const settings = { filter, sort: {}, daysFromLastday: 30, limit: 1000, sendTo };
    return tree.previewAttackList(tree.accountDbOf(api.db)(data.accountId, null), group, settings, Date.now());
  };
  const view = (tree: Tree, page: object) => async () => {
    const account = tree.accountDbOf(api.db)(data.accountId, null);
    const first = { filter: {}, sort: {}, offset: 0, limit: 50, ...page };
    return tree.viewProspects(account, data.yearGroup, first);
  };
  const accept = (tree: Tree, sendTo?: SendTo) => async () => {
    const body = { test_send_mode: 0, attack_list: small, days_from_lastday: 0, ...(sendTo && { send_to: sendTo }) };
    const request = { senderId: tenant.senderId, body, idempotencyKey: null, ...TEST_MAILING };
    const account = tree.accountDbOf(api.db)(tenant.accountId, tenant.memberId);
    const answer = await tree.acceptSend(account, request, Date.now());
    if (answer.accepted !== MAX_TARGETS) throw new Error(JSON.stringify(answer).slice(0, 500));
  };
  async function measureAll(state: string, withPeople: boolean): Promise<void> {
    for (const [name, page] of Object.entries(PAGES)) {
      await measure(cpu, `${size} | ${state}: list, ${name}`, [
        ['before', view(before, page)],
        ['now', view(now, page)],
      ]);
    }
    const ofPeople = (make: (to: SendTo) => Step): [string, Step][] =>
      withPeople ? [['now, to persons', make('primary_or_company')]] : [];
    const lists = { 'of all': {}, 'of a scan': { has_company_url: 'yes' } };
    for (const [name, filter] of Object.entries(lists)) {
      for (const [group, id] of [['year', data.yearGroup] as const, ['week', data.weekGroup] as const]) {
        await measure(cpu, `${size} | ${state}: preview ${name}, ${group}`, [
          ['before', preview(before, id, filter)],
          ['now', preview(now, id, filter)],
          ...ofPeople((to) => preview(now, id, filter, to)),
        ]);
      }
    }
    const ways: [string, Step][] = [
      ['before', accept(before)],
      ['now', accept(now)],
    ];
    await measure(
      cpu,
      `${size} | ${state}: accept ${MAX_TARGETS}`,
      [...ways, ...ofPeople((to) => accept(now, to))],
      () => clearRuns(owner.db, tenant.accountId),
    );
  }

  print('| companies | what | tree | CPU of PostgreSQL, ms | ms |', '| --- | --- | --- | --- | --- |');
  await measureAll('without people', false);
  await addPeople(owner);
  const find = (text: string) => () => readFound(now.accountDbOf(api.db)(data.accountId, null), text);
  for (const [name, text] of Object.entries({ 'a name': '佐藤 77', 'an address': 'p777', 'many names': '佐藤' })) {
    await measure(cpu, `${size} | find people by ${name}`, [['now', find(text)]]);
  }
  await measureAll('with people', true);
  for (const opened of [owner, api]) await opened.close();
});
