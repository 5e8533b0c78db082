import { create } from 'zustand';
import { createJSONStorage, persist, type StateStorage } from 'zustand/middleware';
import type { CandidateDate } from '#domain/candidate-dates.ts';
import {
  DEFAULT_CARDS,
  DEFAULT_FETCH_LIMIT,
  DEFAULT_PAGE_SIZE,
  DEFAULT_RESEND_DAYS,
  DEFAULT_TEST_LIMIT,
} from '#domain/limits.ts';
import { isNarrowScreen } from './narrow-screen.ts';

/** The fixed key of sessionStorage. */
export const SESSION_KEY = 'kaitaku-session';

export interface CurrentUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly company: string;
}

export interface AttackListSettings {
  readonly days_from_lastday: number;
  readonly limit_count: number;
  readonly is_test_mode: boolean;
  readonly test_mode: { readonly mail_to: string; readonly limit_count: number };
  readonly has_candidate_dates: boolean;
  /** Kept while they are switched off. */
  readonly candidate_dates: readonly CandidateDate[];
  readonly is_reservation_mode: boolean;
  /** Epoch milliseconds; null: the default, which goes on with the clock. */
  readonly send_at: number | null;
}

/** The settings of the attack list that are typed, as they stand in their fields. */
export interface TypedSettings {
  readonly days: string;
  readonly testTo: string;
  readonly testLimit: string;
}

/** The fields of the filter as they stand, right or wrong, filtering or about to. */
export interface TypedFilter {
  /** The filter in the address to which they belong, as JSON. */
  readonly of: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A run of which the strip at the edge of the screen tells. */
export interface FollowedRun {
  readonly id: number;
  /** Begun in this tab: a toast tells its end too. */
  readonly isOwn: boolean;
  /** Its strip was closed before its end. */
  readonly isClosed: boolean;
  readonly hasEnded: boolean;
}

interface SessionState {
  readonly token: string | null;
  readonly current_user: CurrentUser | null;
  /** Ids; null: the first of the list. */
  readonly current_sender_group: number | null;
  readonly current_sender: number | null;
  readonly pagenate_count: number;
  readonly pagenate_num: number;
  readonly attack_list_settings: AttackListSettings;
  /** null: nothing typed but what the settings say. */
  readonly typed_settings: TypedSettings | null;
  /** null: nothing typed but what the address says. */
  readonly typed_filter: TypedFilter | null;
  /** null: as the width of the screen suggests. */
  readonly is_filter_open: boolean | null;
  /** The newest first. Kept here, so that a reload shows their strips again. */
  readonly followed_runs: readonly FollowedRun[];
  /** Typed and not saved yet, by field; never a password. */
  readonly drafts: Readonly<Record<string, string>>;
  /** Why the session ended, shown on the login screen. */
  readonly message: string | null;
  /** What an expired session leaves to the next login of the same user. In memory alone, without a token. */
  readonly left_over: SessionState | null;
}

const EMPTY: SessionState = {
  token: null,
  current_user: null,
  current_sender_group: null,
  current_sender: null,
  pagenate_count: DEFAULT_PAGE_SIZE,
  pagenate_num: 1,
  attack_list_settings: {
    days_from_lastday: DEFAULT_RESEND_DAYS,
    limit_count: DEFAULT_FETCH_LIMIT,
    is_test_mode: true,
    test_mode: { mail_to: '', limit_count: DEFAULT_TEST_LIMIT },
    has_candidate_dates: false,
    candidate_dates: [],
    is_reservation_mode: true,
    send_at: null,
  },
  typed_settings: null,
  typed_filter: null,
  is_filter_open: null,
  followed_runs: [],
  drafts: {},
  message: null,
  left_over: null,
};

/** Rows of a page until somebody chooses. */
const defaultPageSize = (): number => (isNarrowScreen() ? DEFAULT_CARDS : DEFAULT_PAGE_SIZE);

/** Whatever an older version of this program left keeps its values; what it did not know yet begins at the default. */
function migrate(stored: unknown): SessionState {
  const state = stored as Partial<SessionState>;
  const attack_list_settings = { ...EMPTY.attack_list_settings, ...state.attack_list_settings };
  return { ...EMPTY, pagenate_count: defaultPageSize(), ...state, attack_list_settings };
}

/** A text too large for the browser's storage (some 5 MB) stays in memory alone. */
const quietStorage: StateStorage = {
  getItem: (name) => sessionStorage.getItem(name),
  removeItem: (name) => sessionStorage.removeItem(name),
  setItem: (name, value) => {
    try {
      sessionStorage.setItem(name, value);
    } catch {
      sessionStorage.removeItem(name);
    }
  },
};

export const useSession = create<SessionState>()(
  persist((): SessionState => EMPTY, {
    name: SESSION_KEY,
    // 2: candidate dates and reservation mode
    version: 2,
    migrate,
    storage: createJSONStorage(() => quietStorage),
    partialize: ({ left_over: _inMemoryAlone, ...stored }) => stored,
  }),
);

/** For who was not here before. The first test mails go to the user's own address. */
function freshState(user: CurrentUser): SessionState {
  const settings = EMPTY.attack_list_settings;
  const test_mode = { ...settings.test_mode, mail_to: user.email };
  return { ...EMPTY, pagenate_count: defaultPageSize(), attack_list_settings: { ...settings, test_mode } };
}

/** A new session replaces whatever there was; a user whose session expired goes on where it did. */
export function startSession(token: string, user: CurrentUser): void {
  const { left_over } = useSession.getState();
  const state = left_over?.current_user?.id === user.id ? left_over : freshState(user);
  useSession.setState({ ...state, token, current_user: user, message: null, left_over: null }, true);
}

export type SessionEnd = 'logged-out' | 'expired';
type SessionEndListener = (end: SessionEnd) => void;
const listeners = new Set<SessionEndListener>();

/** Tells of the end of a session, after its state is gone. Answers how to stop telling. */
export function onSessionEnd(listener: SessionEndListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Empties the store; the query cache empties itself (lib/query-client.ts watches the token). */
export function releaseAll(end: SessionEnd, message: string | null = null): void {
  const left_over = end === 'expired' ? { ...useSession.getState(), token: null } : null;
  useSession.setState({ ...EMPTY, message, left_over }, true);
  for (const listener of listeners) listener(end);
}

/** null: saved or given up. */
export function setDraft(field: string, text: string | null): void {
  useSession.setState(({ drafts: { [field]: _old, ...others } }) => ({
    drafts: text === null ? others : { ...others, [field]: text },
  }));
}

export function keepTypedSettings(typed_settings: TypedSettings): void {
  useSession.setState({ typed_settings });
}

export function keepTypedFilter(typed_filter: TypedFilter | null): void {
  useSession.setState({ typed_filter });
}

export function updateAttackListSettings(change: Partial<AttackListSettings>): void {
  useSession.setState((state) => ({ attack_list_settings: { ...state.attack_list_settings, ...change } }));
}

export function selectSenderGroup(id: number): void {
  useSession.setState({ current_sender_group: id, current_sender: null, pagenate_num: 1 });
}

export function selectSender(id: number): void {
  useSession.setState({ current_sender: id });
}

export function goToPage(page: number): void {
  useSession.setState({ pagenate_num: page });
}

/** Another page size starts at the first page again. */
export function setPageSize(size: number): void {
  useSession.setState({ pagenate_count: size, pagenate_num: 1 });
}

function setFollowed(change: (runs: readonly FollowedRun[]) => readonly FollowedRun[]): void {
  useSession.setState(({ followed_runs }) => ({ followed_runs: change(followed_runs) }));
}

/** Follows a run that was begun here. The strips of runs that have ended make room for it. */
export function followOwnRun(id: number): void {
  setFollowed((runs) => [
    { id, isOwn: true, isClosed: false, hasEnded: false },
    ...runs.filter((run) => run.id !== id && !run.hasEnded),
  ]);
}

/** Follows open runs that were begun elsewhere: in another tab, or by a reservation. */
export function followOpenRuns(ids: readonly number[]): void {
  setFollowed((runs) => {
    const added = ids.filter((id) => runs.every((run) => run.id !== id));
    const found = added.map((id) => ({ id, isOwn: false, isClosed: false, hasEnded: false }));
    return [...found, ...runs].sort((a, b) => b.id - a.id);
  });
}

/** An ended run whose strip was closed is followed no more. */
export function updateFollowedRun(id: number, change: Partial<Omit<FollowedRun, 'id'>>): void {
  setFollowed((runs) =>
    runs
      .map((run) => (run.id === id ? { ...run, ...change } : run))
      .filter(({ isClosed, hasEnded }) => !(isClosed && hasEnded)),
  );
}

export function unfollowRun(id: number): void {
  setFollowed((runs) => runs.filter((run) => run.id !== id));
}
