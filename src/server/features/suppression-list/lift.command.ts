import { sql } from 'kysely';
import type { z } from 'zod';
import type { liftSuppression as liftCall } from '#contract/answers/suppressions.ts';
import type { CallAnswer } from '#contract/call.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { liftSuppressions } from '../suppressions/write-suppressions.queries.ts';

type UpdateInfo = z.output<(typeof liftCall)['body']>['update_info'];

/**
 * Lifts a suppression for a member. A repeated request succeeds.
 * @param now epoch milliseconds
 * @returns 404; 409 if the address's owner opted out and no reason is given
 */
export async function liftForMember(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  info: UpdateInfo,
  now: number,
): Promise<CallAnswer<typeof liftCall> | Problem> {
  const reason = info.reason ?? null;
  const consentedOn = info.consented_on ?? null;
  const note = info.note?.trim() ?? '';
  if (consentedOn !== null && consentedOn > dayOf(now)) {
    return fieldProblem('update_info.consented_on', 'invalid_input', '今日までの日付にしてください');
  }
  return transaction(async (tx) => {
    const found = await tx
      .selectFrom('suppression')
      .select('class')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!found) return (await hasRow(tx, 'lifted_suppression', { accountId, id })) ? { status: 'updated' } : notFound();
    if (found.class === 'refused' && reason === null) return refusedByRecipient();
    const chosen = sql<boolean>`suppression.id = ${id}`;
    const lifted = await liftSuppressions(tx, accountId, chosen, { memberId, reason, consentedOn, note });
    for (const { class: type } of lifted) {
      const detail = { suppression_id: id, class: type, reason, consented_on: consentedOn };
      await recordAudit(tx, { accountId, memberId, kind: 'suppression_lifted', detail });
    }
    return { status: 'updated' };
  });
}

function refusedByRecipient(): Problem {
  const message = '本人の希望による配信停止です。解除する理由を選んでください。';
  return new Problem('refused_by_recipient', message, undefined, [{ path: 'update_info.reason', message }]);
}
