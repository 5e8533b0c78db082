import { queryOptions } from '@tanstack/react-query';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { previewMail } from '#contract/mail-preview.ts';
import type { CandidateDate } from '#domain/candidate-dates.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';

/** The order whose mails are previewed. */
export interface MailPreviewOrder {
  readonly senderId: number;
  readonly targets: readonly AttackListItem[];
  readonly days: number;
  /** null: not a test. */
  readonly testTo: string | null;
  /** The run that is followed up; undefined: first mails. */
  readonly followUpOf?: number | undefined;
  readonly candidateDates: readonly CandidateDate[] | null;
}

/** One mail of an order, by its page from 1. The previous mail stays on screen until it has loaded. */
export const finishedMail = (order: MailPreviewOrder, page: number) =>
  queryOptions({
    queryKey: ['mail_preview', order, page] as const,
    queryFn: async ({ signal }): Promise<CallAnswer<typeof previewMail>> => {
      const params = { sender_id: String(order.senderId) };
      const body = {
        test_send_mode: order.testTo === null ? (0 as const) : (1 as const),
        attack_list: order.targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
        datetime_list: order.candidateDates,
        days_from_lastday: order.days,
        ...(order.followUpOf !== undefined && { follow_up_of: order.followUpOf }),
        pagenate_num: page,
      };
      return unwrap(
        await callApi<typeof previewMail>('POST', '/mail/preview/:sender_id', { params, body }, { signal }),
      );
    },
    placeholderData: (before) => before,
    // Companies and templates may have changed. The dialog shows failures itself.
    staleTime: 0,
    gcTime: 0,
    meta: { quiet: true },
  });
