import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { addReply as addCall } from '#contract/replies.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { settleReplies } from '../delivery/after-sending/cancel-replied.queries.ts';
import { insertReply } from '../replies/insert-reply.queries.ts';

type Body = z.output<(typeof addCall)['body']>;
type Answer = CallAnswer<typeof addCall>;

/** Notes for a member that a company has answered, and cancels its unsent mails. @returns 404 for a foreign company */
export async function noteReply(
  account: MemberDb,
  { body, key }: { readonly body: Body; readonly key: string | undefined },
): Promise<Answer | Problem> {
  const answer = await createOnce(account, { call: addCall, key, input: body }, (tx) =>
    noteIn(tx, account, body.add_info),
  );
  if (!(answer instanceof Problem)) await account.transaction((tx) => settleReplies(tx, account.id, [answer.id]));
  return answer;
}

async function noteIn(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { prospect_id: prospectId, note = '' }: Body['add_info'],
): Promise<Answer | Problem> {
  // The lock lets the second of two requests find the answer of the first.
  const { rows: found } = await sql`
    SELECT FROM prospect WHERE account_id = ${accountId} AND id = ${prospectId} FOR NO KEY UPDATE`.execute(tx);
  if (found.length === 0) return notFound();
  const { rows: open } = await sql<{ id: number }>`
    SELECT id FROM reply
    WHERE account_id = ${accountId} AND prospect_id = ${prospectId} AND kind <> 'auto_reply' AND handled_at IS NULL
    ORDER BY id LIMIT 1`.execute(tx);
  if (open[0]) return { status: 'no-added', id: open[0].id };
  const id = await insertReply(tx, { accountId, prospectId, kind: 'manual', excerpt: note.trim(), memberId });
  if (id === null) throw new Error('a reply without a hash conflicts with another');
  await recordAudit(tx, {
    accountId,
    memberId,
    kind: 'reply_noted',
    detail: { reply_id: id, prospect_id: prospectId },
  });
  return { status: 'added', id };
}
