import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { domainOf } from '#domain/mail/address-key.ts';
import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { MailTarget, RunMail } from '../../mail-content/run-mail.ts';
import type { Claim } from '../leases/claim.ts';
import type { TransportLanes } from '../transports/transport.ts';

interface TestOrder {
  readonly accountId: number;
  readonly mail: RunMail;
  readonly target: MailTarget;
  readonly to: string;
}

/** The caller of an API call waits for the outcome. */
const MAX_WAIT_MS = 20_000;

/**
 * Sends one test mail without a run on its own lane: one attempt, while the caller waits. Never rejects.
 * Nothing is stored: the mail is no contact, and a provider's events match no mail.
 * @param now epoch milliseconds
 */
export async function sendWithoutRun(lanes: TransportLanes, order: TestOrder, now: number): Promise<Outcome> {
  const lane = lanes.openLane();
  const timer = new AbortController();
  let isLate = false;
  const wait = sleep(MAX_WAIT_MS, undefined, { signal: timer.signal }).then(
    (): Outcome => {
      isLate = true;
      return { kind: 'unknown', reply: `no answer within ${MAX_WAIT_MS} ms` };
    },
    (): Outcome => ({ kind: 'claim-lost' }),
  );
  try {
    const sent = lane.send([claimOf(order, now)], async () => [!isLate]);
    const [outcome] = await Promise.race([sent, wait.then((late) => [late])]);
    return outcome ?? { kind: 'claim-lost' };
  } finally {
    timer.abort();
    lane.close();
  }
}

/** Makes a claim with ids that no row has. */
const claimOf = ({ accountId, mail, target, to }: TestOrder, now: number): Claim => ({
  accountId,
  id: 0,
  sendLogId: 0,
  claimNo: 0,
  claimedAt: now,
  senderId: 0,
  profileId: 0,
  senderGroupId: 0,
  prospectId: 0,
  daysFromLastday: 0,
  reservedFor: null,
  calendar: null,
  attempts: 0,
  isProbe: false,
  isLimitProbe: false,
  test: true,
  mailTo: to,
  messageId: `<${randomUUID()}@${domainOf(mail.sender.email)}>`,
  mailDate: new Date(now),
  mailKey: EXAMPLE_MAIL_KEY,
  mail,
  target: { ...target, mail_key: EXAMPLE_MAIL_KEY },
});
