/** What the lists of senders say of a sender's address. */
interface Confirmation {
  readonly is_confirmed: 0 | 1;
  /** When the last mail left whose link still confirms the address; null: none. */
  readonly confirmation_sent_at: string | null;
}

const MAILED_EVERY_MS = 5000;
/** Another tab may have a mail sent. */
const UNMAILED_EVERY_MS = 60_000;

/**
 * Returns after how many milliseconds a visible screen asks again whether addresses are confirmed; false: never. The
 * owner of a mailbox opens the link anywhere, on a phone or in another browser, and no event reaches this tab.
 */
export function confirmationPollMs(senders: readonly Confirmation[] = []): number | false {
  const waiting = senders.filter(({ is_confirmed }) => is_confirmed === 0);
  if (waiting.length === 0) return false;
  return waiting.some(({ confirmation_sent_at }) => confirmation_sent_at !== null)
    ? MAILED_EVERY_MS
    : UNMAILED_EVERY_MS;
}
