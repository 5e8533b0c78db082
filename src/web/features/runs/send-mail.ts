import type { AttackListItem } from '#contract/attack-list.ts';
import type { ListConditions } from '#contract/saved-conditions.ts';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';

import { type AnswerOf, type ApiResult, call } from '#web/lib/call.ts';

/** The sender and the choice of targets, shown before companies get mail. */
export interface OrderOrigin {
  readonly from: { readonly name: string; readonly address: string };
  /** '' for none. */
  readonly bcc: string;
  /** false: the sender's address waits for its confirmation, and the server refuses real mails. */
  readonly isConfirmed?: boolean;
  readonly groupId: number | undefined;
  readonly groupName: string;
  readonly templateId: number;
  /** The filters as texts; empty: the whole list. */
  readonly conditions: readonly string[];
}

/** One send or reservation, fixed when its dialog opens. */
export interface SendOrder {
  /** One for each dialog, so that a retry after a lost answer mails nobody twice. */
  readonly idempotencyKey: string;
  readonly senderId: number;
  readonly subject: string;
  readonly origin: OrderOrigin;
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** The address as typed; null: not a test. */
  readonly testTo: string | null;
  /** The run that is followed up; undefined: first mails. */
  readonly followUpOf?: number | undefined;
  /** The list that the targets come from; null: they were chosen one by one; undefined: unknown. */
  readonly listConditions?: ListConditions;
  /** Epoch milliseconds of a reservation; null: at once. */
  readonly sendAt: number | null;
  /** null: the mail offers none. */
  readonly candidateDates: readonly CandidateDate[] | null;
}

/** The part of the body that sends and reservations share. */
export const mailOf = ({ targets, testTo, candidateDates }: SendOrder) => ({
  test_send_mode: testTo === null ? (0 as const) : (1 as const),
  attack_list: targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
  datetime_list: candidateDates,
});

/** The followed run as both calls take it. */
export const followUpAs = ({ followUpOf }: Pick<SendOrder, 'followUpOf'>) =>
  followUpOf === undefined ? {} : { follow_up_of: followUpOf };

/** The conditions of the list as both calls take them. */
export const listConditionsAs = ({ listConditions }: Pick<SendOrder, 'listConditions'>) =>
  listConditions === undefined ? {} : { list_conditions: listConditions };

/** The ticked warnings as both calls take them. */
export const acknowledgedAs = (warnings: readonly Acknowledgement[]) =>
  warnings.length === 0 ? {} : { acknowledged: [...warnings] };

/** @param warnings that the user has ticked */
export function postMail(
  order: SendOrder,
  warnings: readonly Acknowledgement[],
): Promise<ApiResult<AnswerOf<'sendMail'>>> {
  const body = {
    ...mailOf(order),
    days_from_lastday: order.days,
    ...followUpAs(order),
    ...listConditionsAs(order),
    ...acknowledgedAs(warnings),
  };
  const headers = { 'Idempotency-Key': order.idempotencyKey };
  const params = { sender_id: String(order.senderId) };
  return call('sendMail', { params, body }, { headers });
}
