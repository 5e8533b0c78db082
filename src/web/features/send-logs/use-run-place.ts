import { useState } from 'react';
import { given, RUNS, type Values } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { daysOf } from './run-period.ts';
import type { RunFilter } from './view-send-logs.ts';

/** The values of the filter bar. */
export type RunChoice = Omit<Values<typeof RUNS>, 'page'>;

/** Returns the filter in the form of the request. @param now epoch milliseconds */
function runFilterOf({ period, from, to, mode, group, template, ...choice }: RunChoice, now: number): RunFilter {
  const days = period === 'custom' ? { from, to } : period && daysOf(period, now);
  const test_send_mode = mode === 'all' ? undefined : mode === 'test' ? (1 as const) : (0 as const);
  return given({ ...days, ...choice, sender_group_id: group, template_id: template, test_send_mode });
}

/** Reads the history's page and filter from the address, and writes them. */
export function useRunPlace() {
  const [{ page, ...choice }, change] = useAddress(RUNS);
  const [now] = useState(serverNow);
  return {
    page,
    choice,
    filter: runFilterOf(choice, now),
    goToPage: (next: number) => change({ page: next }),
    /** Changes the filter, which then starts at its first page. */
    setChoice: (values: Partial<Record<keyof RunChoice, string>>) => change({ ...values, page: undefined }),
  };
}
