import type { ListConditions } from '#contract/companies/saved-conditions.ts';
import type { Acknowledgement } from '#domain/law/acknowledgement.ts';
import { type AnswerOf, type ApiResult, call, type InputOf } from '#web/lib/api/call.ts';
import { bodyOfOrder, type MailOrder } from '#web/lib/data/mail-order.ts';

/** The sender and the choice of targets, shown before companies get mail. */
export interface OrderOrigin {
  readonly from: { readonly name: string; readonly address: string };
  /** '' for none. */
  readonly bcc: string;
  /** false: the sender's address waits for its confirmation, and the server refuses real mails. */
  readonly isConfirmed?: boolean;
  readonly groupId: number | undefined;
  readonly groupName: string;
  /** The person in whose name the mails are sent. */
  readonly profileId: number;
  readonly templateId: number;
  /** The filters as texts; empty: the whole list. */
  readonly conditions: readonly string[];
}

/** One send or reservation, fixed when its dialog opens. */
export interface SendOrder extends MailOrder {
  /** One for each dialog, so that a retry after a lost answer mails nobody twice. */
  readonly idempotencyKey: string;
  readonly subject: string;
  readonly origin: OrderOrigin;
  /** The list that the targets come from; null: they were chosen one by one; undefined: unknown. */
  readonly listConditions?: ListConditions;
  /** The preview that lists the targets. */
  readonly listQuery?: InputOf<'previewAttackList'>['query'];
  /** Epoch milliseconds of a reservation; null: at once. */
  readonly sendAt: number | null;
}

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
    ...bodyOfOrder(order),
    ...listConditionsAs(order),
    ...acknowledgedAs(warnings),
  };
  const headers = { 'Idempotency-Key': order.idempotencyKey };
  const params = { sender_id: String(order.senderId) };
  return call('sendMail', { params, body }, { headers });
}
