import type { SENDING_STATUSES } from '#contract/companies/prospects.ts';
import {
  DEFAULT_FETCH_LIMIT,
  DEFAULT_RESEND_DAYS,
  DEFAULT_TEST_LIMIT,
  FETCH_LIMITS,
  MAX_CHOSEN_COMPANIES,
  MAX_TARGETS,
} from '#domain/limits.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { keep, readKept } from '#web/lib/session/kept.ts';
import { type CurrentUser, sessionSlice, useSession } from '#web/lib/session/session-store.ts';

export interface AttackListSettings {
  readonly days_from_lastday: number;
  readonly limit_count: number;
  readonly is_test_mode: boolean;
  readonly test_mode: { readonly mail_to: string; readonly limit_count: number };
  readonly has_candidate_dates: boolean;
  /** Kept while candidate dates are switched off. */
  readonly candidate_dates: readonly CandidateDate[];
  readonly is_reservation_mode: boolean;
  /** The run to follow up, and its sender group; null: first mails. */
  readonly follow_up: { readonly sender_group_id: number; readonly send_log_id: number } | null;
  /** Where the mails go; null: what the browser keeps for the member. */
  readonly send_to: SendTo | null;
  /** Epoch milliseconds; null: the default, which changes with the clock. */
  readonly send_at: number | null;
}

/** The typed text of the settings' fields. */
export interface TypedSettings {
  readonly days: string;
  readonly testTo: string;
  readonly testLimit: string;
}

/** A chosen company. Its name is shown later if the company is missing. */
export interface ChosenCompany {
  readonly id: number;
  readonly name: string;
}

/** What makes the list, besides the filters. No filter applies to chosen companies. */
export type ListSource =
  | { readonly companies: readonly ChosenCompany[]; readonly status?: never }
  | { readonly status: (typeof SENDING_STATUSES)[number]; readonly companies?: never };

interface AttackListState {
  readonly attack_list_settings: AttackListSettings;
  /** null: the fields show the settings. */
  readonly typed_settings: TypedSettings | null;
  /** The targets of a sender group that the user excludes from the next order. At most MAX_TARGETS. */
  readonly left_aside: { readonly sender_group_id: number; readonly ids: readonly number[] } | null;
  /** null: the filters alone. */
  readonly list_source: ListSource | null;
}

/** The default test address is the user's own. */
const defaultSettings = (user: CurrentUser | null): AttackListSettings => ({
  days_from_lastday: DEFAULT_RESEND_DAYS,
  limit_count: DEFAULT_FETCH_LIMIT,
  is_test_mode: true,
  test_mode: { mail_to: user?.email ?? '', limit_count: DEFAULT_TEST_LIMIT },
  has_candidate_dates: false,
  candidate_dates: [],
  is_reservation_mode: true,
  follow_up: null,
  send_to: null,
  send_at: null,
});

/** Completes the settings that the session has stored. */
export const readAttackList = (
  { attack_list_settings, typed_settings = null, left_aside = null, list_source = null }: Partial<AttackListState>,
  user: CurrentUser | null,
): AttackListState => ({
  attack_list_settings: { ...defaultSettings(user), ...attack_list_settings },
  typed_settings,
  left_aside,
  list_source,
});

export const useAttackList = sessionSlice(readAttackList);

export function setTypedSettings(typed_settings: TypedSettings): void {
  useAttackList.setState({ typed_settings });
}

interface Repeated extends Pick<AttackListSettings, 'days_from_lastday' | 'send_to'> {
  readonly targets: number;
  readonly status: ListSource['status'] | undefined;
}

/**
 * Copies the settings of an earlier run: its interval, where its mails went, and a limit that fits its targets. The
 * test mode stays.
 */
export function repeatSettings({ days_from_lastday, send_to, targets, status }: Repeated): void {
  const limit_count = FETCH_LIMITS.find((limit) => limit >= targets) ?? Math.max(...FETCH_LIMITS);
  updateAttackListSettings({ days_from_lastday, send_to, limit_count, follow_up: null });
  useAttackList.setState({ typed_settings: null, list_source: status === undefined ? null : { status } });
}

const NOBODY: readonly number[] = [];

/** Returns the excluded targets of a sender group. */
export const asideOf = ({ left_aside }: AttackListState, senderGroupId: number): readonly number[] =>
  left_aside?.sender_group_id === senderGroupId ? left_aside.ids : NOBODY;

export function setAside(sender_group_id: number, id: number, isAside: boolean): void {
  useAttackList.setState((state) => {
    const others = asideOf(state, sender_group_id).filter((other) => other !== id);
    return { left_aside: { sender_group_id, ids: isAside ? [...others, id].slice(-MAX_TARGETS) : others } };
  });
}

export function bringAllBack(): void {
  useAttackList.setState({ left_aside: null });
}

/** Clears the exclusions of other sender groups: each group starts with all targets. */
export function clearAsideOfOthers(senderGroupId: number): void {
  const { left_aside } = useAttackList.getState();
  if (left_aside !== null && left_aside.sender_group_id !== senderGroupId) bringAllBack();
}

/** The stored length of a name, which can have 1,000 characters: enough to distinguish companies. */
const MAX_NAME = 100;

/** Makes the next list of the chosen companies, without exclusions. */
export function listChosen(chosen: readonly ChosenCompany[]): void {
  const companies = chosen
    .slice(0, MAX_CHOSEN_COMPANIES)
    .map(({ id, name }) => ({ id, name: name.slice(0, MAX_NAME) }));
  const ids = new Set(companies.map(({ id }) => id));
  updateAttackListSettings({ follow_up: null });
  useAttackList.setState(({ left_aside }) => ({
    list_source: { companies },
    left_aside: left_aside && { ...left_aside, ids: left_aside.ids.filter((id) => !ids.has(id)) },
  }));
}

/** Makes the next list of all companies with a status, up to the limit of one order. */
export function listCondition(status: NonNullable<ListSource['status']> | undefined): void {
  updateAttackListSettings({ follow_up: null, limit_count: MAX_TARGETS });
  useAttackList.setState({ list_source: status === undefined ? null : { status } });
}

export function endListSource(): void {
  useAttackList.setState({ list_source: null });
}

/** Returns the run that the settings of a sender group follow up; undefined: none. */
export const followUpOf = ({ follow_up }: AttackListSettings, senderGroupId: number | string): number | undefined =>
  follow_up?.sender_group_id === Number(senderGroupId) ? follow_up.send_log_id : undefined;

/**
 * Returns where the mails of a new order go; undefined: the server decides. A follow-up goes where its run went: a
 * thread does not change its reader. Without a main contact person who has an address there is nothing to choose.
 */
export function sendToOf(settings: AttackListSettings, senderGroupId: number | string, hasPrimary: boolean) {
  if (!hasPrimary || followUpOf(settings, senderGroupId) !== undefined) return undefined;
  return settings.send_to ?? (readKept('send-to') === 'company' ? 'company' : 'primary_or_company');
}

/** Chooses where the mails go, now and, as the browser keeps it for the member, in later sessions. */
export function chooseSendTo(send_to: SendTo): void {
  keep('send-to', send_to);
  updateAttackListSettings({ send_to });
}

/** Whether mails can go to persons. */
export const useHasPrimary = (): boolean => useSession(({ current_user }) => current_user?.has_primary_email === 1);

export function updateAttackListSettings(change: Partial<AttackListSettings>): void {
  useAttackList.setState((state) => ({ attack_list_settings: { ...state.attack_list_settings, ...change } }));
}
