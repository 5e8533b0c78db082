import type { Claim, ClaimedBatch } from './claim.ts';

interface SenderQueue {
  /** Mails that wait for a connection. */
  waiting: Claim[];
  /** Requests under way, one for each connection, and the request that follows each on its connection. */
  readonly sending: Map<readonly Claim[], readonly Claim[] | null>;
  /** The worker's share of the sender's connections. */
  connections: number;
}

export type SenderQueues = ReturnType<typeof senderQueues>;

/** Holds the claims of one worker: waiting and sending by sender, and those whose result is not written yet. */
export function senderQueues() {
  /** By sender id, in the order of their turns. */
  const senders = new Map<number, SenderQueue>();
  const unwritten = new Set<Claim>();

  const removeIfEmpty = (senderId: number) => {
    const sender = senders.get(senderId);
    if (sender && sender.waiting.length === 0 && sender.sending.size === 0) senders.delete(senderId);
  };

  return {
    add({ claims, connections }: ClaimedBatch): void {
      for (const claim of claims) {
        const sender = senders.get(claim.senderId) ?? emptyQueue(connections);
        senders.set(claim.senderId, sender);
        sender.connections = connections;
        sender.waiting.push(claim);
      }
    },

    /**
     * Takes the mails of the next request, all of one run; senders with a free connection take turns.
     * @param mailsWith returns how many mails one request may hold that begins with this one
     * @param before the request under way whose connection this one uses next; null: it begins at once
     * @returns null: no mail waits for which a connection is free
     */
    takeRequest: (mailsWith: (claim: Claim) => number, before: readonly Claim[] | null = null) =>
      takeInTurn(senders, mailsWith, before),

    /**
     * Frees the connection of a request, all of one sender, or leaves it to the request that follows.
     * Its mails are held until remove().
     */
    endRequest(claims: readonly Claim[]): void {
      const senderId = claims[0]?.senderId ?? 0;
      passOn(senders.get(senderId)?.sending, claims);
      removeIfEmpty(senderId);
      for (const claim of claims) unwritten.add(claim);
    },

    /** Puts the mails of a request back, before all others, unless they have been sent. */
    putBack(claims: readonly Claim[]): void {
      const sender = senders.get(claims[0]?.senderId ?? 0);
      if (sender?.sending.delete(claims)) sender.waiting.unshift(...claims);
    },

    /** Stops holding a mail of an ended request: its result is written, or belongs to another worker. */
    remove(claim: Claim): void {
      unwritten.delete(claim);
    },

    /** Drops waiting claims that were lost. A lost claim in a request is refused at its mark. */
    dropLost(lost: readonly Claim[]): void {
      for (const claim of lost) {
        const sender = senders.get(claim.senderId);
        if (sender) sender.waiting = sender.waiting.filter((waiting) => waiting !== claim);
        removeIfEmpty(claim.senderId);
      }
    },

    /** Removes and returns all waiting mails. */
    takeWaiting(): Claim[] {
      const taken = [...senders.values()].flatMap(({ waiting }) => waiting);
      for (const [senderId, sender] of senders) {
        sender.waiting = [];
        removeIfEmpty(senderId);
      }
      return taken;
    },

    isHolding: (): boolean => senders.size > 0 || unwritten.size > 0,
    waitingCount: (): number => [...senders.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    /** All claims: waiting, sending, and with an unwritten result. */
    held: (): Claim[] => [
      ...[...senders.values()].flatMap(({ waiting, sending }) => [...waiting, ...claimsOf(sending)]),
      ...unwritten,
    ],
    senderIds: (): number[] => [...senders.keys()],
  };
}

/** Takes the next request of the first sender that has one, and makes it the last in turn. */
function takeInTurn(
  senders: Map<number, SenderQueue>,
  mailsWith: (claim: Claim) => number,
  before: readonly Claim[] | null,
): readonly Claim[] | null {
  for (const [senderId, sender] of senders) {
    const claims = takeFrom(sender, mailsWith, before);
    if (claims === null) continue;
    senders.delete(senderId);
    senders.set(senderId, sender);
    return claims;
  }
  return null;
}

/** Takes the next request of one sender. @returns null: none waits, or no connection is free */
function takeFrom(
  { waiting, sending, connections }: SenderQueue,
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

/** Ends a request: its follower, if any, has the connection now. */
function passOn(sending: SenderQueue['sending'] | undefined, claims: readonly Claim[]): void {
  const follower = sending?.get(claims);
  sending?.delete(claims);
  if (follower) sending?.set(follower, null);
}

const emptyQueue = (connections: number): SenderQueue => ({ waiting: [], sending: new Map(), connections });

const claimsOf = (sending: SenderQueue['sending']): Claim[] =>
  [...sending].flatMap(([claims, follower]) => [...claims, ...(follower ?? [])]);

/** Counts the first waiting mails that are of one run, up to a limit. */
function countTogether(waiting: readonly Claim[], most: number): number {
  const first = waiting.slice(0, Math.max(1, most));
  const other = first.findIndex(({ sendLogId }) => sendLogId !== first[0]?.sendLogId);
  return other === -1 ? first.length : other;
}
