import type { SendGridEvent } from '#contract/sendgrid-events.ts';
import { type Verdict, verdictOf } from './event-verdict.ts';

/** An event about a delivery of this installation. */
export interface DeliveryEvent {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  /** The local part of its Message-ID. */
  readonly uuid: string;
  /** The recipient, in lower case. */
  readonly address: string;
  readonly verdict: Verdict;
}

/** Reads an event. @returns null for an event without a verdict or a `kaitaku` argument of ours */
export function readEvent(event: SendGridEvent): DeliveryEvent | null {
  const [, accountId, id, claimNo, uuid = ''] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})\.([\w-]{8,64})$/.exec(event.kaitaku ?? '') ?? [];
  const verdict = verdictOf(event);
  if (accountId === undefined || verdict === null) return null;
  const address = (event.email ?? '').toLowerCase();
  return { accountId: Number(accountId), id: Number(id), claimNo: Number(claimNo), uuid, address, verdict };
}
