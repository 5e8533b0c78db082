import { DEFAULT_FETCH_LIMIT, DEFAULT_RESEND_DAYS, DEFAULT_TEST_LIMIT, FETCH_LIMITS } from '#domain/limits.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { type CurrentUser, sessionSlice } from '#web/lib/session-store.ts';

export interface AttackListSettings {
  readonly days_from_lastday: number;
  readonly limit_count: number;
  readonly is_test_mode: boolean;
  readonly test_mode: { readonly mail_to: string; readonly limit_count: number };
  readonly has_candidate_dates: boolean;
  /** Kept while they are switched off. */
  readonly candidate_dates: readonly CandidateDate[];
  readonly is_reservation_mode: boolean;
  /** The run that is followed up, of its sender group; null: first mails. */
  readonly follow_up: { readonly sender_group_id: number; readonly send_log_id: number } | null;
  /** Epoch milliseconds; null: the default, which moves with the clock. */
  readonly send_at: number | null;
}

/** The text in the fields of the settings. */
export interface TypedSettings {
  readonly days: string;
  readonly testTo: string;
  readonly testLimit: string;
}

interface AttackListState {
  readonly attack_list_settings: AttackListSettings;
  /** null: the fields show the settings. */
  readonly typed_settings: TypedSettings | null;
}

/** The first test mails go to the user's own address. */
const defaultSettings = (user: CurrentUser | null): AttackListSettings => ({
  days_from_lastday: DEFAULT_RESEND_DAYS,
  limit_count: DEFAULT_FETCH_LIMIT,
  is_test_mode: true,
  test_mode: { mail_to: user?.email ?? '', limit_count: DEFAULT_TEST_LIMIT },
  has_candidate_dates: false,
  candidate_dates: [],
  is_reservation_mode: true,
  follow_up: null,
  send_at: null,
});

/** Completes what the session has stored. */
export const readAttackList = (
  { attack_list_settings, typed_settings = null }: Partial<AttackListState>,
  user: CurrentUser | null,
): AttackListState => ({
  attack_list_settings: { ...defaultSettings(user), ...attack_list_settings },
  typed_settings,
});

export const useAttackList = sessionSlice(readAttackList);

export function setTypedSettings(typed_settings: TypedSettings): void {
  useAttackList.setState({ typed_settings });
}

/** Sets what the list of an earlier run had: its interval, and room for its targets. Whether it is a test stays. */
export function repeatSettings({ days_from_lastday, targets }: { days_from_lastday: number; targets: number }): void {
  const limit_count = FETCH_LIMITS.find((limit) => limit >= targets) ?? Math.max(...FETCH_LIMITS);
  updateAttackListSettings({ days_from_lastday, limit_count, follow_up: null });
  useAttackList.setState({ typed_settings: null });
}

/** Returns the run that the settings follow up in a sender group; undefined: none. */
export const followUpOf = ({ follow_up }: AttackListSettings, senderGroupId: number | string): number | undefined =>
  follow_up?.sender_group_id === Number(senderGroupId) ? follow_up.send_log_id : undefined;

export function updateAttackListSettings(change: Partial<AttackListSettings>): void {
  useAttackList.setState((state) => ({ attack_list_settings: { ...state.attack_list_settings, ...change } }));
}
