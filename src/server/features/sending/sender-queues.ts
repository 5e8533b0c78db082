import type { Claim, ClaimedBatch } from './claim.queries.ts';

/**
 * What a worker holds: by sender, mails waiting for a connection and mails being sent on the sender's share of them; and mails whose
 * outcome is known and not yet written.
 */
export function senderQueues() {
  const senders = new Map<number, { waiting: Claim[]; sending: Set<Claim>; connections: number }>();
  const unwritten = new Set<Claim>();

  const drop = (senderId: number) => {
    const sender = senders.get(senderId);
    if (sender && sender.waiting.length === 0 && sender.sending.size === 0) senders.delete(senderId);
  };

  const leave = (claim: Claim) => {
    senders.get(claim.senderId)?.sending.delete(claim);
    drop(claim.senderId);
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

    /** The next mail of a sender that has a connection left; senders take turns. null: none. */
    next(): Claim | null {
      for (const [senderId, sender] of senders) {
        if (sender.sending.size >= sender.connections) continue;
        const claim = sender.waiting.shift();
        if (!claim) continue;
        sender.sending.add(claim);
        senders.delete(senderId);
        senders.set(senderId, sender);
        return claim;
      }
      return null;
    },

    /** Its connection is free. It is held until its outcome is written. */
    answered(claim: Claim): void {
      leave(claim);
      unwritten.add(claim);
    },

    done(claim: Claim): void {
      leave(claim);
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
      ...[...senders.values()].flatMap(({ waiting, sending }) => [...waiting, ...sending]),
      ...unwritten,
    ],
    senders: (): number[] => [...senders.keys()],
  };
}
