import type { AttackListItem } from '#contract/attack-list.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { sendMail } from '#contract/sending.ts';
import { type ApiResult, callApi } from '#web/lib/api-client.ts';

/** One send as its dialog was opened with. */
export interface SendOrder {
  /** One a dialog: sent again after a lost answer, it cannot mail anyone twice. */
  readonly idempotencyKey: string;
  readonly senderId: number;
  readonly subject: string;
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** The address as it was typed; null: not a test. */
  readonly testTo: string | null;
}

export function postMail(order: SendOrder): Promise<ApiResult<CallAnswer<typeof sendMail>>> {
  const body = {
    test_send_mode: order.testTo === null ? 0 : 1,
    attack_list: order.targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
    days_from_lastday: order.days,
  } as const;
  const headers = { 'Idempotency-Key': order.idempotencyKey };
  const params = { sender_id: String(order.senderId) };
  return callApi<typeof sendMail>('POST', '/mail/send/:sender_id', { params, body }, { headers });
}
