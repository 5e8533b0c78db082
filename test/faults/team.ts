import { type RawBuilder, sql } from 'kysely';
import { expect } from 'vitest';
import type { listMembers } from '#contract/account/members.ts';
import { API_BASE, type CallAnswer } from '#contract/call.ts';
import { openSession } from '#server/features/auth/session.ts';
import { type Answer, type Client, clientAt } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { switchOffNoticeMails } from '#test/notices.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { addMember } from '../accounts.ts';
import { startWeb } from './workers.ts';

/** An account in which `memberId`, an admin, stops a colleague of the role `sales`. */
export interface Team extends Tenant {
  readonly leaverId: number;
}

export async function addTeam({ db }: TestDatabase, role: 'admin' | 'sales' = 'sales'): Promise<Team> {
  const tenant = await addTenant(db);
  const leaverId = await addMember(db, tenant.accountId, { role, name: '鈴木 彩' });
  await switchOffNoticeMails(db, tenant);
  return { ...tenant, leaverId };
}

/** Starts two `web` processes for all accounts of the database. @returns the addresses of their APIs */
export async function startWebs(database: TestDatabase, smtpPort = 1): Promise<readonly [string, string]> {
  const { accountId } = await addTenant(database.db);
  const behindProxy = { TRUST_PROXY: '127.0.0.1' };
  const [one, other] = await Promise.all(
    [0, 1].map(() => startWeb(database.url, smtpPort, database, accountId, behindProxy)),
  );
  return [`${one?.url}${API_BASE}`, `${other?.url}${API_BASE}`];
}

/** Logs a member in. @returns the client of an API at an address */
export async function memberAt(
  { login }: TestDatabase,
  address: string,
  { accountId }: Pick<Tenant, 'accountId'>,
  memberId: number,
): Promise<Client> {
  return clientAt(address, `Bearer ${await openSession(login, { accountId, memberId }, Date.now())}`);
}

/** Returns a member as an admin's screen shows it. */
export async function listed(client: Client, id: number): Promise<CallAnswer<typeof listMembers>[number]> {
  const { body } = await client.get('/member/list');
  return (body as CallAnswer<typeof listMembers>).find((member) => member.id === id) ?? expect.unreachable();
}

/** Returns a change of a member who was just seen; the change itself is not made yet. */
export async function changeOf(client: Client, id: number, update_info: object, more: object = {}) {
  const { version } = await listed(client, id);
  return () => client.put(`/member/${id}`, { version, update_info, ...more });
}

export const outcome = ({ status, body }: Answer): string =>
  status === 200 ? 'done' : `${status} ${(body as { code: string }).code}`;

/**
 * Makes calls that wait for a locked row, one after the other, and unlocks it: they get the row in this order.
 * A call that does not wait for the row is answered at once.
 * @param row selects the row @returns the answers, in the order of the calls
 */
export async function inOrder(
  { db, pool }: TestDatabase,
  row: RawBuilder<unknown>,
  calls: readonly (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const waiting = async () =>
    (await pool.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
      .rowCount ?? 0;
  const answers: Promise<Answer>[] = [];
  let answered = 0;
  await db.transaction().execute(async (tx) => {
    await sql`${row} FOR NO KEY UPDATE`.execute(tx);
    for (const call of calls) {
      answers.push(
        call().finally(() => {
          answered += 1;
        }),
      );
      await eventually(
        async () => (await waiting()) + answered,
        (count) => count >= answers.length,
      );
    }
  });
  return Promise.all(answers);
}

export const accountRow = ({ accountId }: Tenant) => sql`SELECT FROM account WHERE id = ${accountId}`;
export const groupRow = ({ accountId, senderGroupId }: Tenant) =>
  sql`SELECT FROM sender_group WHERE account_id = ${accountId} AND id = ${senderGroupId}`;
