import { InboxError } from '../inbox/imap-dialog.ts';

/** Codes of servers that cannot log anybody in now (RFC 5530). */
const UNAVAILABLE = /^(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG|CANNOT)$/i;
/** Words of servers that give no code. */
const LATER = /too many|simultaneous|try again|temporar|throttl|rate limit|unavailable|busy/i;

/** The properties that imapflow sets on an error of a log-in. */
interface LogInError {
  readonly serverResponseCode?: unknown;
  readonly response?: unknown;
}

/**
 * Returns a server's words that refuse a log-in.
 * @param error of the fault `login`
 * @returns null: the server only cannot log in now
 */
export function refusedLogIn(error: unknown): string | null {
  const { serverResponseCode, response } = ((error instanceof InboxError && error.cause) || {}) as LogInError;
  const words = typeof response === 'string' && response !== '' ? response : 'the server refuses the log-in';
  const code = typeof serverResponseCode === 'string' ? serverResponseCode : '';
  if (UNAVAILABLE.test(code) || LATER.test(words)) return null;
  return words;
}
