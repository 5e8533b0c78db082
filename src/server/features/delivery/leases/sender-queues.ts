import type { Claim, ClaimedBatch, ClaimedBox } from './claim.ts';

/** Whether mails of a mailbox are meant; null: of the mail server of the environment. */
export type Fits = (box: ClaimedBox | null) => boolean;

export const ofRelay: Fits = (box) => box === null;
export const ofBoxes: Fits = (box) => box !== null;
/** Mails of one mailbox as it was at a claim: those of another version need another connection. */
export const ofBox =
  ({ accountId, id, version }: ClaimedBox): Fits =>
  (box) =>
    box?.accountId === accountId && box.id === id && box.version === version;

const ofAll: Fits = () => true;

interface ProfileQueue {
  readonly profileId: number;
  /** By which all its mails leave. */
  readonly box: ClaimedBox | null;
  /** Mails that wait for a connection. */
  waiting: Claim[];
  /** Running requests, one per connection, each with the request that follows on its connection. */
  readonly sending: Map<readonly Claim[], readonly Claim[] | null>;
  /** The worker's share of the profile's connections. */
  connections: number;
}

export type SenderQueues = ReturnType<typeof senderQueues>;

/** Mails of a profile whose mailbox has changed stand apart. */
const keyOf = ({ profileId, box }: Pick<Claim, 'profileId' | 'box'>): string =>
  box === null ? `${profileId}` : `${profileId} ${box.accountId} ${box.id} ${box.version}`;

/** Holds the claims of one worker: waiting and sending by profile, and those whose result is not written yet. */
export function senderQueues() {
  /** By profile and mailbox, in the order of their turns. */
  const profiles = new Map<string, ProfileQueue>();
  const unwritten = new Set<Claim>();

  return {
    add({ claims, connections }: ClaimedBatch): void {
      for (const claim of claims) {
        const profile = profiles.get(keyOf(claim)) ?? emptyQueue(claim, connections);
        profiles.set(keyOf(claim), profile);
        profile.connections = connections;
        profile.waiting.push(claim);
      }
    },

    /**
     * Takes the mails of the next request, all of one run. Profiles with a free connection take turns.
     * @param mailsWith returns how many mails a request that begins with this claim may hold
     * @param before the running request whose connection this one uses next; null: it starts at once
     * @param fits selects the mails that the connection may carry
     * @returns null: no waiting mail has a free connection
     */
    takeRequest: (mailsWith: (claim: Claim) => number, before: readonly Claim[] | null = null, fits: Fits = ofRelay) =>
      takeInTurn(profiles, mailsWith, before, fits),

    /**
     * Ends a request, and frees its connection or passes it to the request that follows.
     * The queues hold its mails until remove().
     */
    endRequest(claims: readonly Claim[]): void {
      const [first] = claims;
      if (first) {
        passOn(profiles.get(keyOf(first))?.sending, claims);
        removeIfEmpty(profiles, keyOf(first));
      }
      for (const claim of claims) unwritten.add(claim);
    },

    /** Puts the unsent mails of a request back to the front. */
    putBack(claims: readonly Claim[]): void {
      const [first] = claims;
      const profile = first && profiles.get(keyOf(first));
      if (profile?.sending.delete(claims)) profile.waiting.unshift(...claims);
    },

    /** Stops holding a mail of an ended request: its result is written, or belongs to another worker. */
    remove(claim: Claim): void {
      unwritten.delete(claim);
    },

    /** Drops waiting claims that were lost. A lost claim in a request is refused at its mark. */
    dropLost(lost: readonly Claim[]): void {
      for (const claim of lost) {
        const profile = profiles.get(keyOf(claim));
        if (profile) profile.waiting = profile.waiting.filter((waiting) => waiting !== claim);
        removeIfEmpty(profiles, keyOf(claim));
      }
    },

    ...heldIn(profiles, unwritten),
  };
}

/** What a worker holds, of all or some mailboxes. */
function heldIn(profiles: Map<string, ProfileQueue>, unwritten: ReadonlySet<Claim>) {
  const queuesOf = (fits: Fits) => [...profiles.values()].filter(({ box }) => fits(box));
  return {
    /** Removes and returns waiting mails. */
    takeWaiting(fits: Fits = ofAll): Claim[] {
      const taken = queuesOf(fits).flatMap(({ waiting }) => waiting);
      for (const [key, profile] of profiles) {
        if (!fits(profile.box)) continue;
        profile.waiting = [];
        removeIfEmpty(profiles, key);
      }
      return taken;
    },

    isHolding: (fits: Fits = ofAll): boolean =>
      queuesOf(fits).length > 0 || [...unwritten].some(({ box }) => fits(box)),
    waitingCount: (fits: Fits = ofAll): number => queuesOf(fits).reduce((sum, { waiting }) => sum + waiting.length, 0),
    /** The mailboxes for which mails wait. */
    waitingBoxes: (): ClaimedBox[] =>
      queuesOf(ofBoxes).flatMap(({ box, waiting }) => (box !== null && waiting.length > 0 ? [box] : [])),
    /** All claims: waiting, sending, and with an unwritten result. */
    held: (): Claim[] => [
      ...[...profiles.values()].flatMap(({ waiting, sending }) => [...waiting, ...claimsOf(sending)]),
      ...unwritten,
    ],
    profileIds: (): number[] => [...profiles.values()].map(({ profileId }) => profileId),
  };
}

function removeIfEmpty(profiles: Map<string, ProfileQueue>, key: string): void {
  const profile = profiles.get(key);
  if (profile && profile.waiting.length === 0 && profile.sending.size === 0) profiles.delete(key);
}

/** Takes the next request of the first profile that has one, and moves the profile to the end. */
function takeInTurn(
  profiles: Map<string, ProfileQueue>,
  mailsWith: (claim: Claim) => number,
  before: readonly Claim[] | null,
  fits: Fits,
): readonly Claim[] | null {
  for (const [key, profile] of profiles) {
    const claims = fits(profile.box) ? takeFrom(profile, mailsWith, before) : null;
    if (claims === null) continue;
    profiles.delete(key);
    profiles.set(key, profile);
    return claims;
  }
  return null;
}

/** Takes the next request of one profile. @returns null: no mail waits, or no connection is free */
function takeFrom(
  { waiting, sending, connections }: ProfileQueue,
  mailsWith: (claim: Claim) => number,
  before: readonly Claim[] | null,
): readonly Claim[] | null {
  const [first] = waiting;
  const isFollower = before !== null && sending.has(before);
  if (!first || sending.size - Number(isFollower) >= connections) return null;
  const claims = waiting.splice(0, countTogether(waiting, mailsWith(first)));
  if (isFollower) sending.set(before, claims);
  else sending.set(claims, null);
  return claims;
}

/** Ends a request: the one that follows, if any, gets the connection. */
function passOn(sending: ProfileQueue['sending'] | undefined, claims: readonly Claim[]): void {
  const follower = sending?.get(claims);
  sending?.delete(claims);
  if (follower) sending?.set(follower, null);
}

const emptyQueue = ({ profileId, box }: Claim, connections: number): ProfileQueue => ({
  profileId,
  box,
  waiting: [],
  sending: new Map(),
  connections,
});

const claimsOf = (sending: ProfileQueue['sending']): Claim[] =>
  [...sending].flatMap(([claims, follower]) => [...claims, ...(follower ?? [])]);

/** Counts the leading waiting mails of one run, up to a limit. */
function countTogether(waiting: readonly Claim[], most: number): number {
  const first = waiting.slice(0, Math.max(1, most));
  const other = first.findIndex(({ sendLogId }) => sendLogId !== first[0]?.sendLogId);
  return other === -1 ? first.length : other;
}
