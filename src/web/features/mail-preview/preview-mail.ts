import { queryOptions } from '@tanstack/react-query';
import type { AttackListItem } from '#contract/attack-list.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { type AnswerOf, call } from '#web/lib/call.ts';
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

/** Companies and templates may have changed. The dialogs show failures themselves. */
const UNCACHED = { staleTime: 0, gcTime: 0, meta: { quiet: true } } as const;

const paramsOf = ({ senderId }: MailPreviewOrder) => ({ sender_id: String(senderId) });

/** The list as a send would have it. */
const bodyOf = ({ testTo, targets, candidateDates, days, followUpOf }: MailPreviewOrder) => ({
  test_send_mode: testTo === null ? (0 as const) : (1 as const),
  attack_list: targets.map(({ prospect_id, company_email }) => ({ prospect_id, company_email })),
  datetime_list: candidateDates,
  days_from_lastday: days,
  ...(followUpOf !== undefined && { follow_up_of: followUpOf }),
});

/** One mail of an order, by its page from 1. The previous mail stays on screen until it has loaded. */
export const finishedMail = (order: MailPreviewOrder, page: number) =>
  queryOptions({
    queryKey: ['mail_preview', order, page] as const,
    queryFn: async ({ signal }): Promise<AnswerOf<'previewMail'>> => {
      const params = paramsOf(order);
      const body = { ...bodyOf(order), pagenate_num: page };
      return unwrap(await call('previewMail', { params, body }, { signal }));
    },
    placeholderData: (before) => before,
    ...UNCACHED,
  });

/** What the server finds in all mails of an order. */
export const checkedMails = (order: MailPreviewOrder) =>
  queryOptions({
    queryKey: ['mail_check', order] as const,
    queryFn: async ({ signal }): Promise<AnswerOf<'checkMails'>> => {
      const input = { params: paramsOf(order), body: bodyOf(order) };
      return unwrap(await call('checkMails', input, { signal }));
    },
    ...UNCACHED,
  });
