import { setTimeout as sleep } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import type { InboxFault } from './inbox-row.queries.ts';

/** A fault of the mailbox. Its message goes only to the log, because it may name machines. */
export class InboxError extends Error {
  readonly fault: InboxFault;
  constructor(fault: InboxFault, cause: unknown) {
    super((cause as Error).message, { cause });
    this.fault = fault;
  }
}

/**
 * The responses of an IMAP server. Without a connection imapflow does not always throw: `search` and `mailboxOpen` then
 * return undefined, `search` and `messageMove` also false, as for a refusal. Only the tagged response distinguishes the
 * two.
 */
export interface Dialog {
  /**
   * Waits for the response to a command.
   * @param refused the fault code if the server refuses the command
   * @throws InboxError where the server refuses, does not answer in time, or the connection is lost
   */
  readonly answer: <Result>(command: Promise<Result>, refused?: InboxFault) => Promise<Result>;
  /** Whether the server refused the last command. */
  readonly hasRefused: () => boolean;
  /** Returns the fault of a command without a result: the server refused it, or the connection is lost. */
  readonly fault: (message: string) => InboxError;
}

/** @param answerMsMax a connection without a response for so many milliseconds is dead */
export function dialogWith(client: ImapFlow, answerMsMax: number): Dialog {
  let completed = '';
  /** Why the connection was lost: the commands that it ends only report that it is gone. */
  let lost: unknown = null;
  client.on('error', (error) => {
    lost ??= error;
  });
  client.on('response', ({ response }) => {
    completed = response;
  });
  const hasRefused = () => completed === 'NO' || completed === 'BAD';
  return {
    async answer(command, refused = 'other') {
      completed = '';
      const timer = new AbortController();
      const late = sleep(answerMsMax, undefined, { signal: timer.signal, ref: false }).then(
        () => {
          client.close();
          throw new InboxError('connection', new Error(`no answer within ${answerMsMax} ms`));
        },
        () => command,
      );
      try {
        return await Promise.race([command, late]);
      } catch (error) {
        throw faultOf(error, refused, lost);
      } finally {
        timer.abort();
      }
    },
    hasRefused,
    fault: (message) => new InboxError(hasRefused() ? 'other' : 'connection', new Error(message)),
  };
}

/** The properties that imapflow sets on errors of any class. */
interface Marks {
  /** The server's completion of the command; absent: none. */
  readonly responseStatus?: unknown;
  readonly authenticationFailed?: unknown;
}

/** Returns whether the server refused the command. @param error of imapflow, or one that `answer` throws */
export function isRefusal(error: unknown): boolean {
  if (error instanceof InboxError) return isRefusal(error.cause);
  const { responseStatus } = error as Marks;
  return responseStatus === 'NO' || responseStatus === 'BAD';
}

/** Codes of imapflow for a response above IMAP_LIMITS, which ends the connection. */
const TOO_LARGE = new Set<unknown>(['LineTooLarge', 'LiteralTooLarge', 'ResponseTooLarge']);

/** Returns whether the connection ended because the server sent more at once than is taken. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof InboxError && TOO_LARGE.has((error.cause as { code?: unknown }).code);

function faultOf(error: unknown, refused: InboxFault, lost: unknown): InboxError {
  if (error instanceof InboxError) return error;
  if ((error as Marks).authenticationFailed === true) return new InboxError('login', error);
  return isRefusal(error) ? new InboxError(refused, error) : new InboxError('connection', lost ?? error);
}
