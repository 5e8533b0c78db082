import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addSender as addCall } from '#contract/senders.ts';
import { MAX_SENDERS } from '#domain/limits.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, hasRow, ownRows } from '../../platform/database/list-rows.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { setChosenPace } from '../delivery/pauses/sender-pace.command.ts';
import type { SenderContent } from './sender.queries.ts';
import { confirmedFlag, contentProblem } from './sender-content.queries.ts';

type AddInfo = z.output<(typeof addCall)['body']>['add_info'];

/** Adds a sender to a group, in a transaction of the caller. @returns 400, 404 or 409 */
export async function addSender(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { sender_group_id, active = 1, ...given }: AddInfo,
): Promise<CallAnswer<typeof addCall> | Problem> {
  // The group's lock keeps it from being deactivated meanwhile, and counts of concurrent requests apart.
  const hasGroup = await hasRow(tx, 'sender_group', { accountId, id: sender_group_id }, 'FOR NO KEY UPDATE');
  if (!hasGroup) return notFound();
  const content: SenderContent = { ...BLANK, ...withoutUndefined(given), active: active === 1 };
  const problem = await contentProblem(tx, accountId, content, { path: 'add_info', operatorPerMinute: null });
  if (problem) return problem;
  if ((await countRows(tx, 'sender', ownRows('sender', accountId))) >= MAX_SENDERS) return tooManySenders();
  const { mails_per_minute, ...columns } = content;
  const { id } = await tx
    .insertInto('sender')
    .values({ account_id: accountId, sender_group_id, member_id: memberId, ...columns })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (mails_per_minute !== null) await setChosenPace(tx, { accountId, id }, mails_per_minute);
  const detail = { sender_id: id, email: content.email };
  await recordAudit(tx, { accountId, memberId, kind: 'sender_added', detail });
  return { status: 'added', id, is_confirmed: await confirmedFlag(tx, accountId, content.email) };
}

const BLANK = { reply_to: null, bcc: null, signature: '', mails_per_minute: null };

const tooManySenders = () =>
  new Problem(409, 'too_many_senders', `送信者は${MAX_SENDERS}人までです。使わない送信者を編集して使ってください。`);
