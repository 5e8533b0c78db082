import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { API_BASE } from '#contract/call.ts';
import { type Db, openDatabase } from '#server/platform/database/db.ts';
import { openSessionOf } from '#test/accounts.ts';
import { openAs } from '#test/open-as.ts';
import { freePort, startProgram } from '#test/program.ts';
import { ms, percentile, print } from './figures.ts';
import type { ProspectListData } from './prospect-list-data.ts';
import { onListDatabases } from './prospect-list-database.ts';

/**
 * Measures the latency of other calls while one account keeps requesting long lists.
 * `npm run bench -- crowd [--sizes 150000] [--lists 30] [--words 100] [--rounds 20] [--keep postgres://…]`.
 * A list searches every address for `--words` words, none of which matches. Meanwhile a neighbour reads its list, a
 * member of the same account saves a rule, and companies opt out from the account's mails by one click.
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '150000' },
    lists: { type: 'string', default: '30' },
    words: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '20' },
    keep: { type: 'string' },
  },
});

interface Call {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit;
}

await onListDatabases(values.sizes.split(','), values.keep, async (url, size, data) => {
  const owner = openDatabase(url, { connections: 1 });
  const login = openAs('login', url, 1);
  const port = await freePort();
  const web = startProgram(['web'], { DATABASE_URL: url, SMTP_URL: 'smtp://127.0.0.1:1', PORT: String(port) });
  await web.until('web started');
  const answers = await measure(`http://127.0.0.1:${port}`, await callsOf(owner.db, login.db, data));
  web.child.kill('SIGTERM');
  await web.ended;
  await login.close();
  await owner.close();
  print(`| beside ${values.lists} lists of ${size} companies | calls | p50, ms | longest | answers |`);
  print('| --- | --- | --- | --- | --- |');
  for (const [name, all] of answers) {
    const times = all.map(({ took }) => took);
    const counts = Map.groupBy(all, ({ status }) => status);
    const statuses = [...counts].map(([status, { length }]) => `${length} × ${status}`).join(', ');
    print(`| ${name} | ${all.length} | ${ms(percentile(times, 0.5))} | ${ms(Math.max(...times))} | ${statuses} |`);
  }
});

/** Returns the long list, and for each round the calls that run meanwhile. */
async function callsOf(db: Db, login: Db, { accountId, weekGroup }: ProspectListData) {
  const sessionOf = async (id: number) => ({ authorization: `Bearer ${await openSessionOf(login, id, Date.now())}` });
  const other = await db.selectFrom('account').select('id').where('id', '<>', accountId).executeTakeFirstOrThrow();
  const [own, neighbour] = [await sessionOf(accountId), await sessionOf(other.id)];
  const words = Array.from({ length: Number(values.words) }, (_, n) => `どこにもない町${n}`).join(',');
  const query = { sender_group_id: String(weekGroup), pagenate_num: '1', pagenate_count: '200' };
  const list = new URLSearchParams({ ...query, address: words });
  const mails = await db
    .selectFrom('delivery')
    .select('mail_key')
    .where('account_id', '=', accountId)
    .where('state', '=', 'sent')
    .orderBy('id', 'desc')
    .limit(Number(values.rounds))
    .execute();
  const rule = {
    method: 'PUT',
    headers: { ...own, 'content-type': 'application/json' },
    body: JSON.stringify({ update_info: { undo_seconds: 0 } }),
  };
  const rounds = mails.map(({ mail_key }): Call[] => [
    {
      name: 'refusal by one click',
      path: `/u/${mail_key?.replaceAll('-', '')}`,
      init: { method: 'POST', body: 'List-Unsubscribe=One-Click' },
    },
    { name: 'neighbour: list', path: `${API_BASE}/prospect/list?limit=50`, init: { headers: neighbour } },
    { name: 'same account: rule saved', path: `${API_BASE}/account_rule`, init: rule },
  ]);
  return { long: { name: 'long list', path: `${API_BASE}/prospect/view?${list}`, init: { headers: own } }, rounds };
}

async function measure(site: string, { long, rounds }: { readonly long: Call; readonly rounds: readonly Call[][] }) {
  const answers = new Map<string, { readonly took: number; readonly status: number }[]>();
  const make = async ({ name, path, init }: Call) => {
    const begun = performance.now();
    const response = await fetch(site + path, init);
    await response.text();
    const answer = { took: performance.now() - begun, status: response.status };
    answers.set(name, [...(answers.get(name) ?? []), answer]);
  };
  let isOver = false;
  const repeat = async () => {
    while (!isOver) {
      await make(long);
      // An account may make 600 calls a minute.
      await sleep(1000);
    }
  };
  const crowd = Promise.all(Array.from({ length: Number(values.lists) }, repeat));
  await sleep(1000);
  for (const round of rounds) {
    for (const call of round) await make(call);
    await sleep(200);
  }
  isOver = true;
  await crowd;
  return answers;
}
