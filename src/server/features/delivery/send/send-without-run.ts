import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { domainOf } from '#domain/mail/address-key.ts';
import type { Outcome } from '../../../platform/mail/outcome.ts';
import type { MailTarget, RunMail } from '../../mail-content/run-mail.ts';
import type { Mailbox } from '../../mailboxes/mailbox.queries.ts';
import type { Claim, ClaimedBox } from '../leases/claim.ts';
import type { Lane } from '../transports/transport.ts';

interface TestOrder {
  readonly accountId: number;
  readonly mail: RunMail;
  readonly target: MailTarget;
  readonly to: string;
  /** The mailbox of its profile; null: the mail server of the environment. */
  readonly box: ClaimedBox | null;
}

/** The caller of an API call waits for the outcome. */
const MAX_WAIT_MS = 20_000;

/**
 * Sends one test mail without a run on its own lane: one attempt, while the caller waits. Never rejects.
 * Nothing is stored: the mail is no contact, and a provider's events match no mail.
 * @param now epoch milliseconds
 */
export async function sendWithoutRun(lane: Lane, order: TestOrder, now: number): Promise<Outcome> {
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

/** Returns a mailbox as a claim names it. */
export const claimedBoxOf = (mailbox: Mailbox | undefined): ClaimedBox | null =>
  mailbox
    ? {
        accountId: mailbox.account_id,
        id: mailbox.id,
        version: mailbox.version,
        address: mailbox.address,
        ids: mailbox.ids,
      }
    : null;

/** Makes a claim with ids that no row has. */
const claimOf = ({ accountId, mail, target, to, box }: TestOrder, now: number): Claim => ({
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
  box,
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
