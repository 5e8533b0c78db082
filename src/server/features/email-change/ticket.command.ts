import { type MemberDb, memberKeyOf } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { hashOf, newSecret } from '../auth/secret.ts';
import { isPendingChangeOf } from './pending-change.queries.ts';

const TICKET_MS = 10 * 60 * 1000;

/** Issues a ticket for one mail to the pending address. An earlier ticket becomes invalid. */
export async function issueTicket(account: MemberDb, now: number): Promise<string | Problem> {
  const ticket = newSecret();
  const issued = await account.transaction((tx) =>
    tx
      .updateTable('email_change')
      .set({ ticket_hash: hashOf(ticket), ticket_expires_at: new Date(now + TICKET_MS) })
      .where(isPendingChangeOf(memberKeyOf(account)))
      .returning('account_id')
      .executeTakeFirst(),
  );
  return issued ? ticket : noPendingAddress();
}

const noPendingAddress = () =>
  new Problem(
    400,
    'no_pending_email',
    '確認するメールアドレスがありません。新しいメールアドレスを保存してから、やり直してください。',
  );
