import { create, type StoreApi, type UseBoundStore } from 'zustand';
import { createJSONStorage, persist, type StateStorage } from 'zustand/middleware';

import type { Role } from '#domain/account/role.ts';

/** The fixed key of sessionStorage. */
export const SESSION_KEY = 'kaitaku-session';

/** The logged-in member. The groups and exports are known once the account has loaded from a server that has them. */
export interface Me {
  readonly id: number;
  readonly role: Role;
  /** The sender groups in which they act; null: all. */
  readonly sender_group_ids?: readonly number[] | null;
  readonly may_export?: 0 | 1;
  readonly two_factor?: 0 | 1;
  readonly recovery_codes_left?: number;
  readonly two_factor_required?: 0 | 1;
}

export interface CurrentUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly company: string;
  /** The logged-in member; undefined: the server is an older version that does not return it. */
  readonly member?: Me;
  /** 1: the demo, whose mails stay in the mail catcher. As the groups, known once the account has loaded. */
  readonly is_demo?: 0 | 1 | undefined;
  /** 1: a 主担当 of some company has an address. */
  readonly has_primary_email?: 1 | undefined;
  /** The address that is not confirmed yet. */
  readonly email_before_confirmation?: string | null;
}

/** The state of every session. Features add their own keys by sessionSlice. */
interface SessionState {
  readonly token: string | null;
  readonly current_user: CurrentUser | null;
  /** Unsaved text by field; never a password. */
  readonly drafts: Readonly<Record<string, string>>;
  /** Why the session ended, shown on the login screen. */
  readonly message: string | null;
  /** The state of an expired session, for the next login of the same user. Only in memory, without a token. */
  readonly left_over: SessionState | null;
  /** Whether the session came from another tab (lib/session/tab-sessions.ts): nobody logged in here. */
  readonly handed_over: boolean;
}

const EMPTY: SessionState = {
  token: null,
  current_user: null,
  drafts: {},
  message: null,
  left_over: null,
  handed_over: false,
};

/** A storage that ignores failures: a text too large for the browser's storage (about 5 MB) stays in memory. */
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
    version: 2,
    // Each slice completes its own keys when its feature loads.
    migrate: (stored) => ({ ...EMPTY, ...(stored as Partial<SessionState>) }),
    storage: createJSONStorage(() => quietStorage),
    partialize: ({ left_over: _inMemoryAlone, ...stored }) => stored,
  }),
);

/** Whether the account is the demo. */
export const isDemo = ({ current_user } = useSession.getState()): boolean => current_user?.is_demo === 1;

/**
 * Builds a slice from the stored state.
 *
 * @param stored may lack keys: a new session has none, and an older version of this program stored others
 * @param user null: nobody is logged in
 */
type ReadSlice<Slice> = (stored: Readonly<Partial<Slice>>, user: CurrentUser | null) => Slice;

const slices: ReadSlice<object>[] = [];

const readSlices = (stored: object, user: CurrentUser | null): object =>
  Object.assign({}, ...slices.map((read) => read(stored, user)));

/**
 * Adds a feature's own keys to the session, and returns the store typed by them.
 * All slices live in one store, because the specification keeps the client's state under one key.
 */
export function sessionSlice<Slice extends object>(read: ReadSlice<Slice>): UseBoundStore<StoreApi<Slice>> {
  const store = useSession as unknown as UseBoundStore<StoreApi<Slice>>;
  slices.push(read as ReadSlice<object>);
  store.setState((stored) => read(stored, useSession.getState().current_user));
  return store;
}

/** Whether two users are one person. Without a member (older server), the current or pending address decides. */
export const isSamePerson = (
  { id, member, email, email_before_confirmation: next }: CurrentUser,
  now: CurrentUser,
): boolean =>
  id === now.id &&
  (member && now.member
    ? member.id === now.member.id
    : [email, next].some((address) => address?.toLowerCase() === now.email.toLowerCase()));

/**
 * Starts a session with fresh state. The user of an expired session gets that session's state back.
 *
 * @param handed what another tab handed over, if it did
 */
export function startSession(token: string, user: CurrentUser, handed?: object): void {
  const { left_over } = useSession.getState();
  const stored =
    left_over?.current_user && isSamePerson(left_over.current_user, user) ? left_over : { ...EMPTY, ...handed };
  const state = { ...stored, ...readSlices(stored, user) };
  const handed_over = handed !== undefined;
  useSession.setState({ ...state, token, current_user: user, message: null, left_over: null, handed_over }, true);
}

/** `left`: a log-out of this tab alone, whose session lives on in others. */
export type SessionEnd = 'logged-out' | 'left' | 'expired';
type SessionEndListener = (end: SessionEnd, token: string | null) => void;
const listeners = new Set<SessionEndListener>();

/** Calls `listener` with the token after each session's end, its state cleared. @returns a function that ends this */
export function onSessionEnd(listener: SessionEndListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Clears the store; the query cache clears itself, because lib/api/query-client.ts watches the token. */
export function clearSession(message: string | null = null, left_over: SessionState | null = null): void {
  useSession.setState({ ...EMPTY, ...readSlices(EMPTY, null), message, left_over }, true);
}

/** Ends the session and calls the listeners. The specification defines the name. */
export function releaseAll(end: SessionEnd, message: string | null = null): void {
  const { token } = useSession.getState();
  clearSession(message, end === 'expired' ? { ...useSession.getState(), token: null } : null);
  for (const listener of listeners) listener(end, token);
}

/** The number of running steps that may end the session themselves (`endOnPurpose`). */
let ownEnds = 0;
/** The arguments of an `expire` that was deferred during such a step. */
let heldBack: Parameters<typeof expire> | null = null;

/** Ends the session because the server refused this token. Ignores the token of an earlier session. */
export function expire(token: string, message: string): void {
  if (token !== useSession.getState().token) return;
  if (ownEnds > 0) heldBack = [token, message];
  else releaseAll('expired', message);
}

/**
 * Runs a step that makes the server refuse the token, and then ends the session itself.
 * Requests of other parts, such as the header, are refused at the same moment. They must not end the session before
 * the step does, so that its outcome stays on the screen. If the step does not end the session, it expires afterwards.
 */
export async function endOnPurpose(step: () => Promise<void>): Promise<void> {
  ownEnds += 1;
  try {
    await step();
  } finally {
    ownEnds -= 1;
    if (ownEnds === 0 && heldBack !== null) {
      const refused = heldBack;
      heldBack = null;
      expire(...refused);
    }
  }
}

/** @param text null removes the draft: it was saved or discarded */
export function setDraft(field: string, text: string | null): void {
  useSession.setState(({ drafts: { [field]: _old, ...others } }) => ({
    drafts: text === null ? others : { ...others, [field]: text },
  }));
}
