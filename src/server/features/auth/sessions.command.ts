import { sql } from 'kysely';
import type { endSession as endCall, endOtherSessions, listSessions } from '#contract/account/sessions.ts';
import type { CallAnswer } from '#contract/call.ts';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { type MemberDb, memberKeyOf } from '../../platform/database/account-db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOf } from './secret.ts';
import { shutOut } from './session.ts';

/** A program that logs in for each call has thousands. */
const LISTED_SESSIONS = 100;

interface Asker {
  readonly account: MemberDb;
  readonly token: string;
}

/** Lists the member's valid sessions, the current one first. */
export const readSessions = ({ account, token }: Asker, now: number): Promise<CallAnswer<typeof listSessions>> =>
  account.snapshot(async (tx) => {
    const { accountId, memberId } = memberKeyOf(account);
    const isCurrent = sql<boolean>`token_hash = ${hashOf(token)}`;
    const rows = await tx
      .selectFrom('session')
      .select(['id', 'created_at', 'last_used_at', 'agent'])
      .select([sql<string | null>`host(ip)`.as('address'), isCurrent.as('is_current')])
      .where('account_id', '=', accountId)
      .where('member_id', '=', memberId)
      .where('created_at', '>=', new Date(now - SESSION_ABSOLUTE_MS))
      .where('last_used_at', '>=', new Date(now - SESSION_IDLE_MS))
      .orderBy(isCurrent, 'desc')
      .orderBy('last_used_at', 'desc')
      .orderBy('id')
      .limit(LISTED_SESSIONS)
      .execute();
    return rows.map(({ created_at, last_used_at, is_current, ...session }) => ({
      ...session,
      created_at: formatSecond(created_at.getTime()),
      last_used_at: formatSecond(last_used_at.getTime()),
      is_current: asFlag(is_current),
    }));
  });

/** Ends one of the member's sessions, and the trust in its browser: it may be a lost machine. @returns 404 */
export function endSession({ account }: Asker, id: string): Promise<CallAnswer<typeof endCall> | Problem> {
  const member = memberKeyOf(account);
  return account.transaction(async (tx) => {
    const ended = await tx
      .deleteFrom('session')
      .where('account_id', '=', member.accountId)
      .where('member_id', '=', member.memberId)
      .where('id', '=', id)
      .returning('device_hash')
      .executeTakeFirst();
    if (!ended) return notFound();
    if (ended.device_hash !== null) {
      await tx
        .deleteFrom('trusted_device')
        .where('account_id', '=', member.accountId)
        .where('member_id', '=', member.memberId)
        .where('hash', '=', ended.device_hash)
        .execute();
    }
    await recordAudit(tx, { ...member, kind: 'session_ended', detail: { sessions: 1 } });
    return { status: 'ended' };
  });
}

/** Ends the member's other sessions, with the trust in their browsers and an unused link for a new password. */
export function endOthers({ account, token }: Asker): Promise<CallAnswer<typeof endOtherSessions>> {
  const member = memberKeyOf(account);
  return account.transaction(async (tx) => {
    const sessions = await shutOut(tx, member, token);
    if (sessions > 0) await recordAudit(tx, { ...member, kind: 'session_ended', detail: { sessions } });
    return { status: 'ended', sessions_ended: sessions };
  });
}
