import { ROLES } from '#domain/account/role.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '#domain/limits.ts';
import { isTakingBack } from '../address/taking-back.ts';
import { call } from '../api/call.ts';
import { COMMON_MESSAGES } from '../words.ts';
import { type CurrentUser, expire, isSamePerson, startSession, useSession } from './session-store.ts';

/**
 * Hands the session of a tab to another tab of the same browser, and hears of a log-out in one of them
 * (decisions/web-state). Only tabs of one origin hear each other.
 */

/** A session as one tab hands it to another: no drafts, filters, settings or rows. */
interface HandedSession {
  readonly token: string;
  readonly current_user: CurrentUser;
  readonly current_sender_group: number | null;
  readonly current_sender: number | null;
}

/** What the other tabs offer: one session. */
export interface Offer {
  /** Asks the server whether the session is alive. */
  isAlive(): Promise<boolean>;
  /** Starts the session, and returns whether it did: it may have ended meanwhile. */
  take(): boolean;
}

interface Ask {
  readonly id: string;
  heard: HandedSession[];
}

/** Gets each offer; null: several members are logged in. */
type Follower = (offer: Offer | null) => void;

/** The time from the first answer to the choice: another tab may answer for another member. */
const CHOICE_MS = 50;

let channel: BroadcastChannel | null = null;
/** Ends the watch of the last join: of two, the one left over would note ends that the other does not know. */
let stopWatching: () => void = () => undefined;
let asked: Ask | null = null;
const followers = new Set<Follower>();
/** The last offer while nobody followed. */
let unheard: Offer | null = null;
/** The session that was chosen for the last ask. A slower tab may still answer that ask for another member. */
let chosen: { readonly ask: string; readonly session: HandedSession } | null = null;
/** Tokens that were offered beside those of another member, and are not taken. */
const refused = new Set<string>();
/** Tokens of ended sessions. A tab that has not heard of the end may still offer one. */
const ended = new Set<string>();

/**
 * Joins the tabs of this browser. Only tab-channel.ts calls it: the tests of a worker share one channel.
 *
 * @returns a function that ends this
 */
export function joinTabs(joined: BroadcastChannel): () => void {
  channel = joined;
  joined.onmessage = ({ data }) => hear(data, joined);
  stopWatching();
  stopWatching = useSession.subscribe((now, before) => {
    if (before.token === now.token) return;
    if (before.token !== null) ended.add(before.token);
    // Who has logged in waits for no answer.
    if (now.token !== null) stopAsking();
  });
  // A log-in may ask before its part has joined.
  if (asked !== null) joined.postMessage({ ask: asked.id });
  return () => {
    stopWatching();
    joined.onmessage = null;
    channel = asked = unheard = chosen = null;
    ended.clear();
    refused.clear();
    followers.clear();
  };
}

/** Asks the other tabs for their session. The followers get the offer; while nobody answers, there is none. */
export function askTabs(): void {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  asked = { id, heard: [] };
  unheard = chosen = null;
  channel?.postMessage({ ask: id });
}

/** Takes no answer any more: nobody waits for one. */
export function stopAsking(): void {
  asked = unheard = null;
}

/** Asks for a log-in that leads back to an address which may get the session of another tab. */
export function askToReturn(login: { readonly search: string }): void {
  if (isTakingBack(login)) askTabs();
}

/** Passes each offer to `follow`, also one that nobody has heard. @returns a function that ends this */
export function followOffers(follow: Follower): () => void {
  followers.add(follow);
  if (unheard !== null) follow(unheard);
  unheard = null;
  return () => void followers.delete(follow);
}

/** Asks before the first screen, and takes the offer. What comes after the timeout is for the log-in. */
export function takeEarly(timeout: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const stop = followOffers((offer) => {
      offer?.take();
      resolve();
    });
    void timeout.then(stop);
    askTabs();
  });
}

const offerOf = ({ token, current_user, ...chosen }: HandedSession): Offer => ({
  async isAlive() {
    const { ok, ...answer } = await call('getAccount', { params: { id: String(current_user.id) } }, { token });
    if ('status' in answer && answer.status === 401) ended.add(token);
    return ok;
  },
  take() {
    if (ended.has(token) || refused.has(token) || useSession.getState().token !== null) return false;
    startSession(token, current_user, chosen);
    return true;
  },
});

/** Takes a message of another tab. */
export function hear(data: unknown, from: BroadcastChannel): void {
  if (hasKeys(data, ['ask']) && isText(data.ask, 32, /^[0-9a-f]{32}$/)) {
    const answer = answerTo(data.ask);
    if (answer !== null) from.postMessage(answer);
  } else if (hasKeys(data, ['ended']) && isToken(data.ended)) {
    ended.add(data.ended);
    expire(data.ended, COMMON_MESSAGES.sessionExpired);
  } else if (asked !== null) {
    const session = readAnswer(data, asked.id);
    if (session !== null && !ended.has(session.token)) consider(session, asked);
  } else if (chosen !== null) {
    const session = readAnswer(data, chosen.ask);
    if (session !== null && !ended.has(session.token)) compare(session.current_user, chosen.session);
  }
}

/** Gives the chosen session up if a slower tab is another member's: mail must not leave in the wrong name. */
function compare(person: CurrentUser, { token, current_user }: HandedSession): void {
  if (isSamePerson(person, current_user)) return;
  chosen = null;
  refused.add(token);
  expire(token, COMMON_MESSAGES.sessionExpired);
}

function answerTo(answer: string): object | null {
  const { token, current_user, current_sender_group, current_sender } = {
    current_sender_group: null,
    current_sender: null,
    ...(useSession.getState() as Partial<HandedSession>),
  };
  if (typeof token !== 'string' || !current_user) return null;
  const { id, email, name, company, member, email_before_confirmation = null } = current_user;
  const user = {
    id,
    email,
    name,
    company,
    email_before_confirmation,
    ...(member && { member: { id: member.id, role: member.role } }),
  };
  return { answer, token, member: member?.id ?? null, current_user: user, current_sender_group, current_sender };
}

function consider(session: HandedSession, ask: Ask): void {
  ask.heard.push(session);
  if (ask.heard.length > 1) return;
  setTimeout(() => {
    if (asked !== ask) return;
    const [first, ...others] = ask.heard.filter(({ token }) => !ended.has(token));
    ask.heard = [];
    // What was offered has ended meanwhile; another tab may still answer.
    if (first === undefined) return;
    asked = null;
    const { left_over } = useSession.getState();
    // Unsaved text of an expired session waits for its own member.
    const people = [...others.map(({ current_user }) => current_user), left_over?.current_user ?? first.current_user];
    const isOne = people.every((person) => isSamePerson(person, first.current_user));
    const offer = isOne ? offerOf(first) : null;
    if (isOne) {
      chosen = { ask: ask.id, session: first };
      refused.delete(first.token);
    }
    for (const follow of followers) follow(offer);
    if (followers.size === 0) unheard = offer;
  }, CHOICE_MS);
}

const ANSWER_KEYS = ['answer', 'token', 'member', 'current_user', 'current_sender_group', 'current_sender'] as const;
const USER_KEYS = ['id', 'email', 'name', 'company', 'email_before_confirmation'] as const;

/** Returns the session of an answer to an ask; null: it is none, or of another version of the client. */
export function readAnswer(data: unknown, ask: string): HandedSession | null {
  if (!hasKeys(data, ANSWER_KEYS) || data.answer !== ask) return null;
  const { token, member, current_user, current_sender_group, current_sender } = data;
  if (!isToken(token) || !isUser(current_user) || member !== (current_user.member?.id ?? null)) return null;
  if (!isIdOrNull(current_sender_group) || !isIdOrNull(current_sender)) return null;
  return { token, current_user, current_sender_group, current_sender };
}

function isUser(user: unknown): user is CurrentUser {
  if (!hasKeys(user, USER_KEYS)) {
    if (!hasKeys(user, [...USER_KEYS, 'member'] as const) || !hasKeys(user.member, ['id', 'role'])) return false;
    if (!isId(user.member.id) || !(ROLES as readonly unknown[]).includes(user.member.role)) return false;
  }
  const { id, email, name, company, email_before_confirmation: next } = user;
  return (
    isId(id) &&
    isText(email, MAX_EMAIL_LENGTH) &&
    [name, company].every((text) => isText(text, MAX_NAME_LENGTH)) &&
    (next === null || isText(next, MAX_EMAIL_LENGTH))
  );
}

/** Whether a value is a plain object with these keys and no others. */
const hasKeys = <Key extends string>(value: unknown, keys: readonly Key[]): value is Readonly<Record<Key, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === keys.length &&
  keys.every((key) => Object.hasOwn(value, key));

const isText = (value: unknown, max: number, form = /^/): value is string =>
  typeof value === 'string' && value.length <= max && form.test(value);

/** Whether a value has the form of the server's tokens: 256 bits as base64url. */
const isToken = (value: unknown): value is string => isText(value, 43, /^[\w-]{43}$/);

const isId = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const isIdOrNull = (value: unknown): value is number | null => value === null || isId(value);
