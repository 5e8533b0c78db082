import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatMinute } from '#domain/tokyo-time.ts';
import { buildApp } from '#server/app.ts';
import { openDatabase } from '#server/platform/db.ts';
import type { Statement } from './sql-recorder.ts';

export interface Ports {
  readonly app: number;
  readonly bare: number;
  readonly same: number;
}

/**
 * The servers that are measured, in a process of their own: the application as `web` runs it, and two bare node:http servers that
 * answer the first page of the list. One asks two prepared statements and nothing else, the other all that a request of the
 * application asks, as the parent recorded it. Tells its parent the ports.
 */

const [url = '', accountId = '', groupId = ''] = process.argv.slice(2);
const { db: api } = openDatabase(url, { role: 'kaitaku_api' });
const { db: login, pool: sessions } = openDatabase(url, { role: 'kaitaku_login' });
const token = randomBytes(32);
const mailer = async () => ({ kind: 'sent', reply: '250 OK' }) as const;
const app = await buildApp(
  { api, login, now: Date.now, mailer, publicUrl: 'http://localhost', transport: 'smtp' },
  { rates: { account: Infinity, visitor: Infinity } },
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

// Behind the same row level security, but set once a connection instead of once a request.
const { pool } = openDatabase(url, { role: 'kaitaku_api' });
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

/** The look-up of a session, then the recorded statements on one connection; the longest answer is the page. */
async function answerSame(response: ServerResponse, statements: readonly Statement[]): Promise<void> {
  await sessions.query('SELECT account_id, created_at, last_used_at FROM session WHERE token_hash = $1', [token]);
  const client = await pool.connect();
  let rows: unknown[] = [];
  for (const statement of statements) {
    const answer = await client.query({ ...statement });
    if (answer.rows?.length > rows.length) rows = answer.rows;
  }
  client.release();
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.end(JSON.stringify({ rows, total: 0 }));
}

async function listen(answer: (response: ServerResponse) => Promise<void>): Promise<number> {
  const server = createServer((_request, response) => void answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function begin(statements: readonly Statement[]): Promise<void> {
  process.send?.({
    app: (app.server.address() as AddressInfo).port,
    bare: await listen(answerBare),
    same: await listen((response) => answerSame(response, statements)),
  } satisfies Ports);
}
process.once('message', (statements: Statement[]) => void begin(statements));
// Not left behind when the parent is killed.
process.once('disconnect', () => process.exit());
