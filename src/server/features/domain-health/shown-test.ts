import type { CallAnswer } from '#contract/call.ts';
import type { checkDomainHealth } from '#contract/domain-health.ts';
import { DOMAIN_TEST_LATE_MS, type DomainTestState, type TestFinding } from '#domain/dns/test-mail.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';

/** The last test mail of a domain, as it is stored. All are null where none was sent. */
export interface StoredTest {
  readonly sent_at: Date | null;
  readonly waits: boolean | null;
  readonly test_result: readonly TestFinding[] | null;
  readonly arrived_at: Date | null;
}

/** Returns the test mail of a domain as the API shows it. @param canSend false: no mail can come back to us */
export function shownTest(
  { sent_at, waits, test_result, arrived_at }: StoredTest,
  { canSend, now }: { readonly canSend: boolean; readonly now: number },
): CallAnswer<typeof checkDomainHealth>['self_test'] {
  const arrivedAt = arrived_at && formatSecond(arrived_at.getTime());
  const isLate = sent_at !== null && now - sent_at.getTime() >= DOMAIN_TEST_LATE_MS;
  const state = waits ? (isLate ? 'late' : 'waiting') : stateAtRest(canSend, arrived_at);
  return {
    state,
    sent_at: sent_at && formatSecond(sent_at.getTime()),
    arrived_at: arrivedAt,
    checks: (test_result ?? []).map(({ found, ...finding }) => ({
      ...finding,
      found: [...found],
      checked_at: arrivedAt ?? '',
    })),
  };
}

function stateAtRest(canSend: boolean, arrivedAt: Date | null): DomainTestState {
  if (arrivedAt !== null) return 'arrived';
  return canSend ? 'none' : 'off';
}
