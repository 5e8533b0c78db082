import type { Claim, ClaimedBatch } from './claim.ts';

interface ProfileQueue {
  /** Mails that wait for a connection. */
  waiting: Claim[];
  /** Running requests, one per connection, each with the request that follows on its connection. */
  readonly sending: Map<readonly Claim[], readonly Claim[] | null>;
  /** The worker's share of the profile's connections. */
  connections: number;
}

export type SenderQueues = ReturnType<typeof senderQueues>;

/** Holds the claims of one worker: waiting and sending by profile, and those whose result is not written yet. */
export function senderQueues() {
  /** By profile id, in the order of their turns. */
  const profiles = new Map<number, ProfileQueue>();
  const unwritten = new Set<Claim>();

  const removeIfEmpty = (profileId: number) => {
    const profile = profiles.get(profileId);
    if (profile && profile.waiting.length === 0 && profile.sending.size === 0) profiles.delete(profileId);
  };

  return {
    add({ claims, connections }: ClaimedBatch): void {
      for (const claim of claims) {
        const profile = profiles.get(claim.profileId) ?? emptyQueue(connections);
        profiles.set(claim.profileId, profile);
        profile.connections = connections;
        profile.waiting.push(claim);
      }
    },

    /**
     * Takes the mails of the next request, all of one run. Profiles with a free connection take turns.
     * @param mailsWith returns how many mails a request that begins with this claim may hold
     * @param before the running request whose connection this one uses next; null: it starts at once
     * @returns null: no waiting mail has a free connection
     */
    takeRequest: (mailsWith: (claim: Claim) => number, before: readonly Claim[] | null = null) =>
      takeInTurn(profiles, mailsWith, before),

    /**
     * Ends a request, and frees its connection or passes it to the request that follows.
     * The queues hold its mails until remove().
     */
    endRequest(claims: readonly Claim[]): void {
      const profileId = claims[0]?.profileId ?? 0;
      passOn(profiles.get(profileId)?.sending, claims);
      removeIfEmpty(profileId);
      for (const claim of claims) unwritten.add(claim);
    },

    /** Puts the unsent mails of a request back to the front. */
    putBack(claims: readonly Claim[]): void {
      const profile = profiles.get(claims[0]?.profileId ?? 0);
      if (profile?.sending.delete(claims)) profile.waiting.unshift(...claims);
    },

    /** Stops holding a mail of an ended request: its result is written, or belongs to another worker. */
    remove(claim: Claim): void {
      unwritten.delete(claim);
    },

    /** Drops waiting claims that were lost. A lost claim in a request is refused at its mark. */
    dropLost(lost: readonly Claim[]): void {
      for (const claim of lost) {
        const profile = profiles.get(claim.profileId);
        if (profile) profile.waiting = profile.waiting.filter((waiting) => waiting !== claim);
        removeIfEmpty(claim.profileId);
      }
    },

    /** Removes and returns all waiting mails. */
    takeWaiting(): Claim[] {
      const taken = [...profiles.values()].flatMap(({ waiting }) => waiting);
      for (const [profileId, profile] of profiles) {
        profile.waiting = [];
        removeIfEmpty(profileId);
      }
      return taken;
    },

    isHolding: (): boolean => profiles.size > 0 || unwritten.size > 0,
    waitingCount: (): number => [...profiles.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    /** All claims: waiting, sending, and with an unwritten result. */
    held: (): Claim[] => [
      ...[...profiles.values()].flatMap(({ waiting, sending }) => [...waiting, ...claimsOf(sending)]),
      ...unwritten,
    ],
    profileIds: (): number[] => [...profiles.keys()],
  };
}

/** Takes the next request of the first profile that has one, and moves the profile to the end. */
function takeInTurn(
  profiles: Map<number, ProfileQueue>,
  mailsWith: (claim: Claim) => number,
  before: readonly Claim[] | null,
): readonly Claim[] | null {
  for (const [profileId, profile] of profiles) {
    const claims = takeFrom(profile, mailsWith, before);
    if (claims === null) continue;
    profiles.delete(profileId);
    profiles.set(profileId, profile);
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

const emptyQueue = (connections: number): ProfileQueue => ({ waiting: [], sending: new Map(), connections });

const claimsOf = (sending: ProfileQueue['sending']): Claim[] =>
  [...sending].flatMap(([claims, follower]) => [...claims, ...(follower ?? [])]);

/** Counts the leading waiting mails of one run, up to a limit. */
function countTogether(waiting: readonly Claim[], most: number): number {
  const first = waiting.slice(0, Math.max(1, most));
  const other = first.findIndex(({ sendLogId }) => sendLogId !== first[0]?.sendLogId);
  return other === -1 ? first.length : other;
}
