import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { API_BASE } from '#contract/call.ts';
import { openSession } from '#server/features/auth/session.ts';
import { addMember, openSessionOf } from '#test/accounts.ts';
import { freePort, type Program, startProgram } from '#test/program.ts';
import { addManyProspects, type Tenant } from '#test/prospects.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { median, ms, percentile, print } from './figures.ts';
import { cpuByProcess, cpuOf, postmasterOf } from './postgres-cpu.ts';
import { openScene, queueMails, type Scene, startWorkers, stopWorkers } from './sending-scene.ts';

/**
 * Measures a team that watches its run: members with a visible tab each, beside the run, its lists and its previews.
 * `npm run bench -- team [--members 0,30] [--mails 1000] [--latency 300] [--connections 5] [--companies 10000]
 * [--rounds 1]`. A tab does what the web client does: it loads its screen, follows the stream of runs, and asks for the
 * open run each 10 seconds. One colleague reads a list and prepares a preview meanwhile, with a pause after each.
 * `--stream no`: tabs without a stream, which ask each second. One `web`, one worker.
 */
const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '0,30' },
    mails: { type: 'string', default: '1000' },
    latency: { type: 'string', default: '300' },
    connections: { type: 'string', default: '5' },
    companies: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '1' },
    stream: { type: 'string', default: 'yes' },
  },
});
const [MAILS, COMPANIES] = [Number(values.mails), Number(values.companies)];
/** The intervals at which a tab asks for the open run (web/lib/data/send-log.ts). */
const POLL_MS = values.stream === 'no' ? 1000 : 10_000;
const COLLEAGUE_PAUSE_MS = 300;
const IDLE_MS = 20_000;

/** What a tab asks when it opens the list of runs. */
const SCREEN = (accountId: number) => [
  `/account/${accountId}`,
  '/sender_group/list',
  '/sender/list',
  '/notice/unread',
  '/send_log/view?pagenate_num=1&pagenate_count=20',
];

/** Counts answers by status, and the events that streams got. */
interface Tally {
  readonly statuses: Map<number, number>;
  events: number;
}

interface Caller {
  readonly site: string;
  readonly token: string;
  readonly tally: Tally;
}

async function ask({ site, token, tally }: Caller, path: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(site + API_BASE + path, { headers: { authorization: `Bearer ${token}` } });
  await response.text();
  tally.statuses.set(response.status, (tally.statuses.get(response.status) ?? 0) + 1);
  return performance.now() - begun;
}

/** Opens a tab. @returns a function that closes it */
function openTab(caller: Caller, { accountId }: Tenant, runId: number): () => Promise<void> {
  const left = new AbortController();
  const follow = async () => {
    const headers = { authorization: `Bearer ${caller.token}` };
    const response = await fetch(`${caller.site}${API_BASE}/send_log/events`, { headers, signal: left.signal });
    caller.tally.statuses.set(response.status, (caller.tally.statuses.get(response.status) ?? 0) + 1);
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      caller.tally.events += part.split('event: ').length - 1;
    }
  };
  const poll = async () => {
    for (const path of SCREEN(accountId)) await ask(caller, path);
    // Tabs are not opened at one moment.
    await sleep(Math.random() * POLL_MS);
    while (!left.signal.aborted) {
      await ask(caller, `/send_log/${runId}`);
      await sleep(POLL_MS, undefined, { signal: left.signal }).catch(() => undefined);
    }
  };
  const work = Promise.all([values.stream === 'no' ? null : follow().catch(() => undefined), poll()]);
  return async () => {
    left.abort();
    await work;
  };
}

/** Repeats the calls of a colleague until `isOver`. @returns their times in ms */
async function work(caller: Caller, { senderId, senderGroupId }: Tenant, isOver: () => boolean) {
  const list = `/prospect/view?sender_group_id=${senderGroupId}&pagenate_num=1&pagenate_count=50`;
  const preview = `/attack_list/preview?sender_group_id=${senderGroupId}&sender_id=${senderId}&days_from_lastday=7&limit_count=1000`;
  const times = { list: [] as number[], preview: [] as number[] };
  while (!isOver()) {
    times.list.push(await ask(caller, list));
    times.preview.push(await ask(caller, preview));
    await sleep(COLLEAGUE_PAUSE_MS);
  }
  return times;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0);

async function startWeb({ url }: Scene): Promise<{ web: Program; site: string }> {
  const port = await freePort();
  const web = startProgram(['web'], { DATABASE_URL: url, SMTP_URL: 'smtp://127.0.0.1:1', PORT: `${port}` });
  await web.until('web started');
  return { web, site: `http://127.0.0.1:${port}` };
}

const scene = await openScene();
const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(scene.db);
const postmaster = postmasterOf(rows[0]?.pid ?? 0);

/** Reads the CPU of `web` and PostgreSQL. @returns a function that returns what they used since, in ms a second */
function meter({ child }: Program): () => string {
  const look = () => ({ web: cpuOf(child.pid ?? 0), processes: cpuByProcess(postmaster), at: performance.now() });
  const before = look();
  return () => {
    const after = look();
    const seconds = (after.at - before.at) / 1000;
    const postgres = sum([...after.processes].map(([pid, used]) => used - (before.processes.get(pid) ?? 0)));
    return [after.web - before.web, postgres].map((used) => ms((1000 * used) / seconds)).join(' / ');
  };
}

async function measure(members: number): Promise<void> {
  const { db } = scene;
  const sink = await startSinkProcess(Number(values.latency));
  const { web, site } = await startWeb(scene);
  const tenant = await queueMails(scene, MAILS);
  const { accountId } = tenant;
  await addManyProspects(db, accountId, COMPANIES, MAILS + 1);
  const { id: runId } = await db
    .selectFrom('send_log')
    .select('id')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const tally: Tally = { statuses: new Map(), events: 0 };
  const own: Tally = { statuses: new Map(), events: 0 };
  const tokens = await Promise.all(
    Array.from({ length: members }, async () => {
      const memberId = await addMember(db, accountId, { role: 'sales' });
      return openSession(db, { accountId, memberId }, Date.now());
    }),
  );
  const tabs = tokens.map((token) => openTab({ site, token, tally }, tenant, runId));
  await sleep(3000);
  const rest = meter(web);
  await sleep(IDLE_MS);
  const rested = rest();
  const colleague = { site, token: await openSessionOf(db, accountId, Date.now()), tally: own };
  const workers = await startWorkers(scene, sink, { workers: 1, connections: Number(values.connections) });
  const run = meter(web);
  const times = await work(colleague, tenant, () => sink.count() >= MAILS);
  const arrived = sink.mails().map(({ at }) => at);
  const seconds = (Math.max(...arrived) - Math.min(...arrived)) / 1000;
  const used = run();
  for (const close of tabs) await close();
  await stopWorkers(workers);
  web.child.kill('SIGTERM');
  await web.ended;
  await sink.stop();
  const refused = [...tally.statuses, ...own.statuses].filter(([status]) => status !== 200);
  const spread = (all: readonly number[]) => `${ms(median(all))} / ${ms(percentile(all, 0.95))}`;
  const cells = [
    members,
    (MAILS / seconds).toFixed(1),
    spread(times.list),
    spread(times.preview),
    sum(tally.statuses.values()),
    tally.events,
    refused.map(([status, count]) => `${count} × ${status}`).join(', ') || 'none',
    rested,
    used,
  ];
  print(`| ${cells.join(' | ')} |`);
}

print(
  '| members | mails/s | list, ms (p50 / p95) | preview, ms | calls of the tabs | events | not 200 | idle: CPU of web / PostgreSQL, ms/s | in the run |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
);
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const members of values.members.split(',').map(Number)) await measure(members);
}
await scene.close();
