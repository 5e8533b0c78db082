import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { MIN_JUDGED_MAILS } from '#domain/time/report-period.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import type { ReportPlace } from './use-place.ts';

/** The results of a period, with the period's name on the screen. */
export type Report = AnswerOf<'viewReport'> & Pick<ReportPlace, 'name'>;
export type Results = Pick<Report['total'], 'sent' | 'failed' | 'unknown' | 'replied' | 'refused'>;

export const reportOf = ({ name, period, before, groupId, templateId }: Omit<ReportPlace, 'isWrong'>) =>
  queryOptions({
    queryKey: ['report', name, period, before, groupId, templateId],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }): Promise<Report> => {
      const query = {
        ...period,
        before_from: before.from,
        before_to: before.to,
        ...(groupId !== undefined && { sender_group_id: groupId }),
        ...(templateId !== undefined && { template_id: templateId }),
      };
      return { ...unwrap(await call('viewReport', { query }, { signal })), name };
    },
    placeholderData: keepPreviousData,
  });

export const NO_RESULTS: Results = { sent: 0, failed: 0, unknown: 0, replied: 0, refused: 0 };

export const sumOf = (one: Results, other: Results): Results => ({
  sent: one.sent + other.sent,
  failed: one.failed + other.failed,
  unknown: one.unknown + other.unknown,
  replied: one.replied + other.replied,
  refused: one.refused + other.refused,
});

/** Returns the number of mails with a known or unknown outcome, without pending ones. */
export const endedOf = ({ sent, failed, unknown }: Results): number => sent + failed + unknown;

export const replyRate = ({ replied, sent }: Results): number => shareOf(replied, sent);

/** Returns whether rates of so many mails are meaningful. With fewer, most are 0.0 %, and one reply is 5 % or more. */
export const hasRates = (mails: number): boolean => mails >= MIN_JUDGED_MAILS;

/** Returns the row with the highest reply rate among those with enough mails; undefined: no replies. */
export const bestOf = <Row extends Results>(rows: readonly Row[]): Row | undefined =>
  rows
    .filter(({ sent, replied }) => hasRates(sent) && replied > 0)
    .toSorted((one, other) => replyRate(other) - replyRate(one))[0];

/** Returns why a period's rates cannot be compared with their targets yet; null: they can. */
export function notJudged({ total, judged }: Pick<Report, 'total' | 'judged'>): 'tooEarly' | 'tooFew' | null {
  if (judged.is_enough === 1) return null;
  return endedOf(judged) < endedOf(total) ? 'tooEarly' : 'tooFew';
}

/** Returns a share; 0 if the whole is 0. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
