import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { AUDIT_GROUP_NAMES, type AuditGroup, periodFault } from '#contract/account/audit-names.ts';
import { addDays, addMonths, startOfMonth } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { AUDIT, given, type Values } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';

export type AuditRow = AnswerOf<'viewAudit'>['rows'][number];
type Query = InputOf<'viewAudit'>['query'];

/** Fetches a page of the audit, newest first. */
export const auditPage = (query: Query) =>
  queryOptions({
    queryKey: ['audit', query],
    meta: SHOWN_IN_PLACE,
    queryFn: async ({ signal }) => unwrap(await call('viewAudit', { query }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

/** The values of the filter bar. */
export type AuditChoice = Omit<Values<typeof AUDIT>, 'page'>;

/** Returns the days of a period in Japan. @param now epoch milliseconds */
function daysOf({ period, from, to }: AuditChoice, now: number): Pick<Query, 'from' | 'to'> {
  const today = dayOf(now);
  switch (period) {
    case undefined:
      return { from: addDays(today, -29), to: today };
    case 'today':
      return { from: today, to: today };
    case 'month':
      return { from: startOfMonth(today), to: today };
    case 'last_month':
      return { from: addMonths(startOfMonth(today), -1), to: addDays(startOfMonth(today), -1) };
    case 'year':
      return { from: addDays(addMonths(today, -12), 1), to: today };
    case 'custom':
      return { from, to };
  }
}

const groupOf = (kind: string | undefined): AuditGroup | undefined =>
  (Object.keys(AUDIT_GROUP_NAMES) as AuditGroup[]).find((group) => group === kind);

/** Reads the page and the filter of the audit from the address, and writes them. */
export function useAuditPlace() {
  const [{ page, ...written }, change] = useAddress(AUDIT);
  const [now] = useState(serverNow);
  const kind = groupOf(written.kind);
  const choice = { ...written, kind };
  return {
    page,
    choice,
    /** What is wrong with the days, for the last one. */
    fault: choice.period === 'custom' ? periodFault(choice) : undefined,
    filter: given({ ...daysOf(choice, now), member: choice.member, kinds: kind }),
    goToPage: (next: number) => change({ page: next }),
    /** Changes the filter, which then starts at its first page. */
    setChoice: (values: Partial<Record<keyof AuditChoice, string>>) => change({ ...values, page: undefined }),
  };
}
