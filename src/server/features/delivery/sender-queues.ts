import type { Claim, ClaimedBatch } from './claim.ts';

interface SenderQueue {
  /** Mails that wait for a connection. */
  waiting: Claim[];
  /** Requests under way. */
  readonly sending: Set<readonly Claim[]>;
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
        const sender = senders.get(claim.senderId) ?? { waiting: [], sending: new Set(), connections };
        senders.set(claim.senderId, sender);
        sender.connections = connections;
        sender.waiting.push(claim);
      }
    },

    /**
     * Takes the mails of the next request, all of one run; senders with a free connection take turns.
     * @param mailsWith returns how many mails one request may hold that begins with this one
     * @returns null: no mail waits for which a connection is free
     */
    takeRequest(mailsWith: (claim: Claim) => number): readonly Claim[] | null {
      for (const [senderId, sender] of senders) {
        const [first] = sender.waiting;
        if (!first || sender.sending.size >= sender.connections) continue;
        const claims = sender.waiting.splice(0, countTogether(sender.waiting, mailsWith(first)));
        sender.sending.add(claims);
        senders.delete(senderId);
        senders.set(senderId, sender);
        return claims;
      }
      return null;
    },

    /** Frees the connection of a request, all of one sender. Its mails are held until remove(). */
    endRequest(claims: readonly Claim[]): void {
      for (const { senderId } of claims.slice(0, 1)) {
        senders.get(senderId)?.sending.delete(claims);
        removeIfEmpty(senderId);
      }
      for (const claim of claims) unwritten.add(claim);
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
      ...[...senders.values()].flatMap(({ waiting, sending }) => [...waiting, ...[...sending].flat()]),
      ...unwritten,
    ],
    senderIds: (): number[] => [...senders.keys()],
  };
}

/** Counts the first waiting mails that are of one run, up to a limit. */
function countTogether(waiting: readonly Claim[], most: number): number {
  const first = waiting.slice(0, Math.max(1, most));
  const other = first.findIndex(({ sendLogId }) => sendLogId !== first[0]?.sendLogId);
  return other === -1 ? first.length : other;
}
