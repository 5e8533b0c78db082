import type { Claim, ClaimedBatch } from './claim.ts';

/**
 * What a worker holds: by sender, mails waiting for a connection and requests under way on the sender's share of them; and mails whose
 * outcome is known and not yet written.
 */
export function senderQueues() {
  const senders = new Map<number, { waiting: Claim[]; sending: Set<readonly Claim[]>; connections: number }>();
  const unwritten = new Set<Claim>();

  const drop = (senderId: number) => {
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
     * The next mails, of one run, of a sender that has a connection left; senders take turns. null: none.
     * @param mailsWith how many may go in one request with this one
     */
    next(mailsWith: (claim: Claim) => number): readonly Claim[] | null {
      for (const [senderId, sender] of senders) {
        const [first] = sender.waiting;
        if (!first || sender.sending.size >= sender.connections) continue;
        const most = mailsWith(first);
        let count = 1;
        while (count < most && sender.waiting[count]?.sendLogId === first.sendLogId) count += 1;
        const claims = sender.waiting.splice(0, count);
        sender.sending.add(claims);
        senders.delete(senderId);
        senders.set(senderId, sender);
        return claims;
      }
      return null;
    },

    /** The request has its connection no more. Its mails are held until their outcomes are written. */
    answered(claims: readonly Claim[]): void {
      for (const { senderId } of claims.slice(0, 1)) {
        senders.get(senderId)?.sending.delete(claims);
        drop(senderId);
      }
      for (const claim of claims) unwritten.add(claim);
    },

    done(claim: Claim): void {
      unwritten.delete(claim);
    },

    /** Claims that another worker owns by now: those waiting are dropped; one being sent finds out at its mark. */
    forget(lost: readonly Claim[]): void {
      for (const claim of lost) {
        const sender = senders.get(claim.senderId);
        if (sender) sender.waiting = sender.waiting.filter((waiting) => waiting !== claim);
        drop(claim.senderId);
      }
    },

    /** Empties the waiting mails, to give them back. */
    takeWaiting(): Claim[] {
      const taken = [...senders.values()].flatMap(({ waiting }) => waiting);
      for (const [senderId, sender] of senders) {
        sender.waiting = [];
        drop(senderId);
      }
      return taken;
    },

    waiting: (): number => [...senders.values()].reduce((sum, { waiting }) => sum + waiting.length, 0),
    held: (): Claim[] => [
      ...[...senders.values()].flatMap(({ waiting, sending }) => [...waiting, ...[...sending].flat()]),
      ...unwritten,
    ],
    senders: (): number[] => [...senders.keys()],
  };
}
