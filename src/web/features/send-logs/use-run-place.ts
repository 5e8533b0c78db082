import { useState } from 'react';
import { RUN_STATES, type RunState } from '#domain/sending/delivery-state.ts';
import { isDay } from '#domain/time/calendar.ts';
import { cleanTerms, readId, readPage } from '#web/lib/list-params.ts';
import { pageChange } from '#web/lib/search-params.ts';
import { serverNow } from '#web/lib/server-clock.ts';
import { useSearchChanges } from '#web/lib/use-search-changes.ts';
import { daysOf, PERIODS, type Period } from './run-period.ts';
import type { RunFilter } from './view-send-logs.ts';

/** Real runs are shown unless the address asks for tests, or for both. */
export const MODES = ['real', 'test', 'all'] as const;
export type Mode = (typeof MODES)[number];

/** What the filter bar shows. */
export interface RunChoice {
  readonly period: Period | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly state: RunState | undefined;
  readonly sender_group_id: number | undefined;
  readonly template_id: number | undefined;
  readonly mode: Mode;
  readonly search: string | undefined;
}

const oneOf = <T extends string>(values: readonly T[], text: string | null): T | undefined =>
  values.find((value) => value === text);
const readDay = (text: string | null): string | undefined => (text !== null && isDay(text) ? text : undefined);

function readChoice(params: URLSearchParams): RunChoice {
  const period = oneOf(PERIODS, params.get('period'));
  const isCustom = period === 'custom';
  const search = cleanTerms(params.get('search') ?? '').trim();
  return {
    period,
    from: isCustom ? readDay(params.get('from')) : undefined,
    to: isCustom ? readDay(params.get('to')) : undefined,
    state: oneOf(RUN_STATES, params.get('state')),
    sender_group_id: readId(params.get('group')),
    template_id: readId(params.get('template')),
    mode: oneOf(MODES, params.get('mode')) ?? 'real',
    search: search === '' ? undefined : search,
  };
}

/** Returns what the server is asked for. @param now epoch milliseconds */
export function runFilterOf({ period, mode, from, to, ...choice }: RunChoice, now: number): RunFilter {
  const days = period === undefined || period === 'custom' ? { from, to } : daysOf(period, now);
  const test_send_mode = mode === 'all' ? undefined : mode === 'test' ? (1 as const) : (0 as const);
  const all = { ...days, ...choice, test_send_mode };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

type Change = Readonly<
  Partial<Record<'period' | 'from' | 'to' | 'state' | 'group' | 'template' | 'mode' | 'search', string>>
>;

/** Reads and writes the page and the filter of the history in the address, for reloads and the back button. */
export function useRunPlace() {
  const { params, change } = useSearchChanges();
  const [now] = useState(serverNow);

  const choice = readChoice(params);
  return {
    page: readPage(params),
    choice,
    filter: runFilterOf(choice, now),
    goToPage: (page: number) => change(pageChange(page)),
    /** Another filter starts at its first page. '' removes a value. */
    setChoice: (values: Change) => change({ ...values, page: undefined }),
  };
}
