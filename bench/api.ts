import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { API_BASE } from '#contract/call.ts';
import { previewAttackList } from '#contract/companies/attack-list.ts';
import { countIndustries, viewProspects } from '#contract/companies/prospects.ts';
import { openSessionOf } from '#test/accounts.ts';
import { openAs } from '#test/open-as.ts';
import { type Case, INDUSTRY_CASES, PREVIEW_CASES, requestPath, viewCases } from './api-cases.ts';
import type { Ports } from './api-server.ts';
import { median, ms, percentile, print } from './figures.ts';
import { get, requestsPerSecond, type Target } from './http-load.ts';
import { addOwnData, FEW_SETS, MANY_SETS, ownCases, spreadSets } from './own-data.ts';
import type { ProspectListData } from './prospect-list-data.ts';
import { onListDatabases } from './prospect-list-database.ts';
import { openRecorder, type Recorder, type Statement } from './sql-recorder.ts';

/**
 * Measures the prospect list, its industries and the attack list over HTTP, beside the same SQL run directly.
 * `npm run bench -- api [--size 100000] [--rounds 15] [--only text]`. Runs on the embedded PostgreSQL, or as a
 * superuser in separate databases on the server of DATABASE_URL. Each round runs every case once each way, so that a
 * busy moment of the machine affects all of them.
 */

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['100000', '1000000'] },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
    /** Measures filters by own fields and tags too. */
    own: { type: 'boolean', default: false },
    /** A superuser's postgres://… of a server whose databases are reused and kept. */
    keep: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds);

/** Milliseconds of each round. */
interface Timed {
  /** The time of a counting LIKE scan of the filtered table: the machine's speed at that moment. */
  readonly scan: number[];
  readonly sql: number[];
  readonly api: number[];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

interface Bench {
  readonly count: number;
  readonly data: ProspectListData;
  readonly recorder: Recorder;
  readonly target: (path: string) => Target;
  readonly ports: Ports;
}

/** Runs statements one after the other on one connection. @returns milliseconds */
const replay = (client: pg.PoolClient, statements: readonly Statement[]): Promise<number> =>
  timed(async () => {
    for (const statement of statements) await client.query({ ...statement });
  });

async function measure(bench: Bench, cases: readonly Case[], call: string): Promise<Map<Case, Timed>> {
  const { recorder, target, data } = bench;
  const chosen = cases.filter(({ name }) => name.includes(options.only));
  const results = new Map<Case, Timed>(chosen.map((one) => [one, { scan: [], sql: [], api: [] }]));
  const statements = new Map<Case, readonly Statement[]>();
  for (const one of chosen) statements.set(one, await recorder.record(requestPath(call, one, data)));
  // Round 0 warms up: plans, caches of both processes, and pages of the tables.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [one, result] of results) {
      const scanned = await scan(bench, 'prospect_search');
      const sql = await recorder.run((client) => replay(client, statements.get(one) ?? []));
      const api = await timed(() => get(target(requestPath(call, one, data))));
      if (round === 0) continue;
      result.scan.push(scanned);
      result.sql.push(sql);
      result.api.push(api);
    }
  }
  return results;
}

const ratios = (of: readonly number[], to: readonly number[]): number[] =>
  of.map((value, at) => value / (to[at] ?? Number.NaN));

function printView(results: Map<Case, Timed>): void {
  print(
    '| case | SQL, p50 / p95 | API, p50 / p95 | API : SQL | SQL : LIKE scan | API : LIKE scan |',
    '| --- | --- | --- | --- | --- | --- |',
  );
  const both = (times: readonly number[]) => `${ms(median(times))} / ${ms(percentile(times, 0.95))}`;
  for (const [{ name }, { scan: scans, sql, api }] of results) {
    const shares = [ratios(api, sql), ratios(sql, scans), ratios(api, scans)].map((each) => median(each).toFixed(2));
    print(`| ${[name, both(sql), both(api), ...shares].join(' | ')} |`);
  }
  const all = (pick: (result: Timed) => number[]) => percentile([...results.values()].flatMap(pick), 0.95);
  const scans = [...results.values()].flatMap((result) => result.scan);
  const worst = [...results].map(([{ name }, { sql }]) => ({ name, p95: percentile(sql, 0.95) }));
  worst.sort((one, other) => other.p95 - one.p95);
  print(
    '',
    `The dearest, p95 in SQL: ${worst
      .slice(0, 3)
      .map(({ name, p95 }) => `${name} ${ms(p95)}`)
      .join('; ')} ms.`,
    `One LIKE scan: ${both(scans)} ms. All cases, p95: ${ms(all(({ sql }) => sql))} ms in SQL, ${ms(all(({ api }) => api))} ms at the API;`,
    `${all((one) => ratios(one.sql, one.scan)).toFixed(2)} and ${all((one) => ratios(one.api, one.scan)).toFixed(2)} LIKE scans.`,
    '',
  );
}

/** Counts the rows of a LIKE scan that no index supports. @returns milliseconds */
function scan({ recorder, data: { accountId } }: Bench, table: 'prospect' | 'prospect_search'): Promise<number> {
  const text = `SELECT count(*) FROM ${table} WHERE account_id = $1 AND address_search LIKE '%東京%'`;
  return recorder.runAs(accountId, (client) => replay(client, [{ text, values: [accountId] }]));
}

/** Makes mails of all groups of the account count for the interval, or only those of each group. */
const lookAcrossGroups = ({ recorder, data: { accountId } }: Bench, isOn: boolean): Promise<number> =>
  recorder.runAs(accountId, (client) =>
    replay(client, [
      {
        text: `INSERT INTO account_rule (account_id, across_groups) VALUES ($1, $2)
          ON CONFLICT (account_id) DO UPDATE SET across_groups = excluded.across_groups`,
        values: [accountId, isOn],
      },
    ]),
  );

/** Measures each preview for its group alone and across groups. */
async function measurePreviews(bench: Bench): Promise<void> {
  const scans: number[] = [];
  const like: Case = { name: 'one LIKE scan of prospect', query: {} };
  const chosen = PREVIEW_CASES.filter(({ name }) => name.includes(options.only));
  if (chosen.length === 0) return;
  const across = new Map(chosen.map((one) => [{ ...one, name: `${one.name}, across groups` }, one]));
  const cases = [like, ...chosen.flatMap((one) => [one, ...[...across.keys()].filter((it) => across.get(it) === one)])];
  const results = new Map(cases.map((one): [Case, number[]] => [one, one === like ? scans : []]));
  const path = (one: Case) =>
    requestPath(API_BASE + previewAttackList.path, { ...one, query: { limit_count: 1000, ...one.query } }, bench.data);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [one, times] of results) {
      await lookAcrossGroups(bench, across.has(one));
      const took = await (one === like ? scan(bench, 'prospect') : timed(() => get(bench.target(path(one)))));
      if (round > 0) times.push(took);
    }
  }
  await lookAcrossGroups(bench, false);
  print('| attack list, 1,000 targets, at the API | p50 / p95, ms | LIKE scans |', '| --- | --- | --- |');
  for (const [{ name }, times] of results) {
    print(
      `| ${name} | ${ms(median(times))} / ${ms(percentile(times, 0.95))} | ${(median(times) / median(scans)).toFixed(2)} |`,
    );
  }
  print('');
}

const VIEW = API_BASE + viewProspects.path;
const FIRST_PAGE: Case = { name: 'first page', query: {} };
/** The cases whose requests per second are measured. */
const RATED: readonly Case[] = [
  FIRST_PAGE,
  { name: 'by sales', query: { sort: 'amount_of_sales', order: 'desc' } },
  { name: 'reserved', query: { status: 'reserved' } },
  { name: 'row 50,000', query: { pagenate_num: 1000 } },
  { name: 'one region', query: { address: '東京' } },
];

async function measureRates({ ports, target, data }: Bench): Promise<void> {
  print(
    '| case, connections | API, requests/s | the same SQL from node:http | two prepared statements from node:http | API : same SQL | API : two statements |',
    '| --- | --- | --- | --- | --- | --- |',
  );
  for (const [place, one] of RATED.entries()) {
    const targets = [
      target(requestPath(VIEW, one, data)),
      { port: ports.same, path: `/${place}` },
      ...(one === FIRST_PAGE ? [{ port: ports.bare, path: '/' }] : []),
    ];
    for (const connections of one === FIRST_PAGE ? [1, 8, 16] : [8]) {
      const rounds: number[][] = [];
      for (let round = 0; round <= 7; round += 1) {
        const rates: number[] = [];
        for (const each of targets) rates.push(await requestsPerSecond(each, connections, 1500));
        if (round > 0) rounds.push(rates);
      }
      const rates = targets.map((_, at) => ms(median(rounds.map((of) => of[at] ?? 0))));
      const shares = targets
        .slice(1)
        .map((_, at) => median(rounds.map((of) => (of[0] ?? 0) / (of[at + 1] ?? 0))).toFixed(2));
      const cells = one === FIRST_PAGE ? [...rates, ...shares] : [...rates, '–', ...shares, '–'];
      print(`| ${[`${one.name}, ${connections}`, ...cells].join(' | ')} |`);
    }
  }
  print('');
}

/** Measures filters by own fields and tags, with few sets of tags and with many. Adds the data where it is missing. */
async function measureOwn(bench: Bench, url: string): Promise<void> {
  const { accountId } = bench.data;
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    for (const sets of [FEW_SETS, MANY_SETS]) {
      const { rows } = await owner.query<{ sets: number }>(
        'SELECT count(*)::integer AS sets FROM label_set WHERE account_id = $1',
        [accountId],
      );
      const there = rows[0]?.sets ?? 0;
      if (sets === FEW_SETS && there > FEW_SETS) continue;
      if (there === 0) await addOwnData(owner, accountId, sets);
      else if (there < sets) await spreadSets(owner, accountId, sets);
      const tags = await owner.query<{ id: number }>(
        'SELECT id FROM label WHERE account_id = $1 AND field_id IS NULL ORDER BY position',
        [accountId],
      );
      const name = `${sets.toLocaleString('en')} sets`;
      const ids = tags.rows.map(({ id }) => id);
      printView(await measure(bench, ownCases(ids, name), VIEW));
    }
  } finally {
    await owner.end();
  }
}

async function startServers(
  url: string,
  { accountId, weekGroup }: ProspectListData,
  cases: readonly (readonly Statement[])[],
): Promise<{ child: ChildProcess; ports: Ports }> {
  const child = fork(join(import.meta.dirname, 'api-server.ts'), [url, String(accountId), String(weekGroup)]);
  child.send(cases);
  const [ports] = (await once(child, 'message')) as [Ports];
  return { child, ports };
}

async function run(url: string, count: number, data: ProspectListData): Promise<void> {
  const login = openAs('login', url, 2);
  const headers = { authorization: `Bearer ${await openSessionOf(login.db, data.accountId, Date.now())}` };
  const recorder = await openRecorder(url, login.db, headers);
  const cases: (readonly Statement[])[] = [];
  for (const one of RATED) cases.push(await recorder.record(requestPath(VIEW, one, data)));
  const { child, ports } = await startServers(url, data, cases);
  try {
    const bench: Bench = {
      count,
      data,
      recorder,
      target: (path) => ({ port: ports.app, path, headers }),
      ports,
    };
    print(`## ${count.toLocaleString('en')} companies`, '', `${ROUNDS} rounds, Node ${process.version}`, '');
    const views = await measure(bench, viewCases(count), VIEW);
    if (views.size > 0) printView(views);
    const industries = await measure(bench, INDUSTRY_CASES, API_BASE + countIndustries.path);
    if (industries.size > 0) printView(industries);
    await measurePreviews(bench);
    if (options.own) await measureOwn(bench, url);
    if (options.only === '') await measureRates(bench);
  } finally {
    child.kill();
    await recorder.close();
    await login.close();
  }
}

await onListDatabases(options.size, options.keep, run);
