import type { login as loginCall } from '#contract/account/auth.ts';
import type { CallAnswer } from '#contract/call.ts';
import { wideNetworkOf } from '#domain/account/network.ts';
import type { Role } from '#domain/account/role.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { Problem } from '../../../platform/problem.ts';
import { noteLogIn } from '../log-in.command.ts';
import { entryProblem } from '../networks.queries.ts';
import { type Browser, openSession } from '../session.ts';

interface Proven {
  readonly accountId: number;
  /** As addressKey. */
  readonly address: string;
  /** Refuses behind the lock of the member, where the registration no longer proves the address. */
  readonly proofProblem: (tx: Tx) => Promise<Problem | null>;
}

/**
 * Opens a session for the active member of an account whose address the company's provider has proved. No password and
 * no second step is asked: the provider asked for them.
 * @returns null: nobody has the address; the refusal of `proofProblem`, 503 for a frozen account, 403 from a network
 * that it does not permit
 */
export function enterByCompany(
  { login, now }: { readonly login: Db; readonly now: () => number },
  { accountId, address, proofProblem }: Proven,
  browser: Browser,
): Promise<CallAnswer<typeof loginCall> | Problem | null> {
  const at = now();
  return login.transaction().execute(async (tx) => {
    const member = await tx
      .selectFrom('member')
      .select(['member.id', 'member.role'])
      .where('member.account_id', '=', accountId)
      .where((where) => where(where.fn<string>('lower', ['member.email']), '=', address))
      .where('member.active', '=', true)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!member) return null;
    const closed = (await proofProblem(tx)) ?? (await entryProblem(tx, accountId, browser.ip));
    if (closed) return closed;
    const key = { accountId, memberId: member.id };
    await tx
      .updateTable('member')
      .set({ last_login_at: new Date(at) })
      .where('account_id', '=', accountId)
      .where('id', '=', member.id)
      .execute();
    await noteLogIn(tx, key, { network: wideNetworkOf(browser.ip), way: 'oidc' }, at);
    const token = await openSession(tx, key, at, browser, 'oidc');
    return { token, account_id: accountId, member: { id: member.id, role: member.role as Role } };
  });
}
