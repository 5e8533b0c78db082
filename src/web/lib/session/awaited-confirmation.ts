/** The confirmation of a sender's address, as in the lists of senders. */
interface Confirmation {
  readonly is_confirmed: 0 | 1;
  /** When the mail with the currently valid confirmation link was sent; null: none. */
  readonly confirmation_sent_at: string | null;
}

const MAILED_EVERY_MS = 5000;
/** Without such a mail in ms: another tab may request one. */
const UNMAILED_EVERY_MS = 60_000;

/**
 * Returns the poll interval in ms while addresses are unconfirmed; false: no poll. The link may be opened on a phone
 * or in another browser, so no event reaches this tab.
 */
export function confirmationPollMs(senders: readonly Confirmation[] = []): number | false {
  const waiting = senders.filter(({ is_confirmed }) => is_confirmed === 0);
  if (waiting.length === 0) return false;
  return waiting.some(({ confirmation_sent_at }) => confirmation_sent_at !== null)
    ? MAILED_EVERY_MS
    : UNMAILED_EVERY_MS;
}
