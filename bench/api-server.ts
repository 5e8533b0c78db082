import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import { buildApp } from '#server/app.ts';
import { smtpTemplates } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import { NO_STORAGE_LIMITS } from '#server/features/stored-files/storage-limits.ts';
import { outboundWith } from '#server/platform/outbound/outbound.ts';
import { discardLanes } from '#test/discard-lanes.ts';
import { noAccountHosts } from '#test/mailing.ts';
import { NO_DNS } from '#test/no-dns.ts';
import { openAs } from '#test/open-as.ts';
import { testSecrets } from '#test/secrets.ts';
import type { Statement } from './sql-recorder.ts';

export interface Ports {
  readonly app: number;
  readonly bare: number;
  readonly same: number;
}

/**
 * Starts the measured servers in a separate process: the application as `web` runs it, and two bare node:http servers.
 * Both bare servers answer the list. One runs two prepared statements for its first page; the other runs all
 * statements of the application's request, as the parent recorded them. Sends the ports to its parent.
 */

const [url = '', accountId = '', groupId = ''] = process.argv.slice(2);
const { db: api } = openAs('api', url);
const { db: login, pool: sessions } = openAs('login', url);
const token = randomBytes(32);
const mailer = async () => ({ kind: 'sent', reply: '250 OK' }) as const;
const app = await buildApp(
  {
    api,
    login,
    now: Date.now,
    mailer,
    publicUrl: 'http://localhost',
    accountHosts: noAccountHosts('http://localhost'),
    transport: smtpTemplates,
    lanes: discardLanes,
    storageLimits: NO_STORAGE_LIMITS,
    companiesMax: 2_000_000,
    peopleMax: 2_000_000,
    secrets: testSecrets,
    outbound: outboundWith(),
    ...NO_DNS,
  },
  { rates: { member: Infinity, account: Infinity, visitor: Infinity } },
);
await app.listen({ host: '127.0.0.1', port: 0 });

const PAGE = `
  SELECT prospect.id, company_name, company_email, ceo, major_industry_type, included_industry_type, address, number_of_employees,
    amount_of_sales, ordinary_profit, capital, year_of_establishment, company_url, contact_url, own.active, own.remarks,
    contact.last_sent_at, reservation.send_at, reservation.id AS reservation_id
  FROM (SELECT * FROM prospect WHERE account_id = $1 ORDER BY id LIMIT 50) AS prospect
  LEFT JOIN active_prospect AS own ON own.account_id = $1 AND own.sender_group_id = $2 AND own.prospect_id = prospect.id
  LEFT JOIN contact_state AS contact
    ON contact.account_id = $1 AND contact.sender_group_id = $2 AND contact.prospect_id = prospect.id
  LEFT JOIN reservation_target AS target ON target.account_id = $1 AND target.sender_group_id = $2
    AND target.prospect_id = prospect.id AND target.pending AND NOT target.test_send_mode
  LEFT JOIN reservation ON reservation.account_id = $1 AND reservation.id = target.reservation_id
  ORDER BY prospect.id`;
const TOTAL = 'SELECT total FROM prospect_total WHERE account_id = $1';

// The same row level security, with the account set once per connection instead of once per request.
const { pool } = openAs('api', url);
pool.on('connect', (client) => void client.query(`SELECT set_config('app.account_id', $1, false)`, [accountId]));
async function answerBare(response: ServerResponse): Promise<void> {
  const [page, known] = await Promise.all([
    pool.query({ name: 'page', text: PAGE, values: [accountId, groupId] }),
    pool.query({ name: 'total', text: TOTAL, values: [accountId] }),
  ]);
  const rows = page.rows.map(({ active, remarks, last_sent_at, send_at, ...row }) => ({
    ...row,
    active: active === false ? 0 : 1,
    remarks: remarks ?? '',
    sent_at: last_sent_at && formatMinute(last_sent_at.getTime()),
    send_at: send_at && formatMinute(send_at.getTime()),
  }));
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify({ rows, total: known.rows[0]?.total }));
}

const SESSION = {
  name: 'session',
  text: 'SELECT account_id, created_at, last_used_at FROM session WHERE token_hash = $1',
  values: [token],
};

/**
 * Looks up the session, then runs the recorded statements on one connection, as the application does.
 * BEGIN goes with the first query, and the COMMIT is not awaited. The longest answer is the page.
 */
async function answerSame(response: ServerResponse, statements: readonly Statement[]): Promise<void> {
  await sessions.query(SESSION);
  const client = await pool.connect();
  const [begin, ...queries] = statements.slice(0, -1);
  const begun = client.query({ ...(begin as Statement) });
  let rows: unknown[] = [];
  for (const query of queries) {
    const answer = await client.query({ ...query });
    if (answer.rows?.length > rows.length) rows = answer.rows;
  }
  await begun;
  void client.query('COMMIT');
  client.release();
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify({ rows, total: 0 }));
}

async function listen(answer: (response: ServerResponse, path: string) => Promise<void>): Promise<number> {
  const server = createServer(({ url = '/' }, response) => void answer(response, url));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts the servers. @param cases the statements of each case; its index is the path */
async function begin(cases: readonly (readonly Statement[])[]): Promise<void> {
  process.send?.({
    app: (app.server.address() as AddressInfo).port,
    bare: await listen(answerBare),
    same: await listen((response, path) => answerSame(response, cases[Number(path.slice(1))] ?? [])),
  } satisfies Ports);
}
process.once('message', (cases: Statement[][]) => void begin(cases));
// Ends with the parent, even if the parent is killed.
process.once('disconnect', () => process.exit());
