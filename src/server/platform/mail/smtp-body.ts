import type { Attempt } from './smtp-attempt.ts';
import { faultOf, type SmtpSession } from './smtp-session.ts';

/** Returns commands as they are written to the connection. */
export const commandLines = (commands: readonly string[]): string =>
  commands.map((command) => `${command}\r\n`).join('');

/** The bytes written to the connection at once. */
const SLICE_BYTES = 16 * 1024;

/**
 * Writes the body and the commands that follow it. @returns the server's reply to its final dot
 * @throws the reply that came before that dot
 */
export async function sendBody(
  { session, attempt }: { readonly session: SmtpSession; readonly attempt: Attempt },
  data: Buffer,
  following: readonly string[],
): Promise<string> {
  attempt.stage = 'body';
  const answer = session.reply();
  const early = answer.then((reply) => {
    if (attempt.stage === 'body') throw faultOf('DATA', reply, 'The server answered before the end of the mail');
  });
  early.catch(() => undefined);
  for (let from = 0; attempt.stage === 'body'; from += SLICE_BYTES) {
    const isLast = from + SLICE_BYTES >= data.length;
    // The final dot is in this slice, so the message counts as handed over.
    if (isLast) attempt.stage = 'handed-over';
    const slice = data.subarray(from, from + SLICE_BYTES);
    const written = isLast ? Buffer.concat([slice, Buffer.from(commandLines(following))]) : slice;
    const hasRoom = session.write(written, (from === 0 ? 1 : 0) + (isLast ? following.length : 0));
    if (!(hasRoom || isLast)) await Promise.race([session.drained(), early]);
  }
  return answer;
}

/**
 * Returns a message as DATA transfers it: dots at the start of a line doubled, each line ended by CRLF, and the final
 * dot (RFC 5321 4.5.2). A lone CR or LF becomes CRLF: a receiver could take "\n.\r\n" as the end (SMTP smuggling).
 */
export function dataOf(message: Buffer): Buffer {
  const text = message.toString('latin1');
  const lines = /\r(?!\n)|(?<!\r)\n/.test(text) ? text.replace(/\r\n|\r|\n/g, '\r\n') : text;
  const stuffed = lines.replace(/^\.|(?<=\n)\./g, '..');
  return Buffer.from(`${stuffed}${stuffed.endsWith('\r\n') ? '' : '\r\n'}.\r\n`, 'latin1');
}
