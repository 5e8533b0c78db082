import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Envelope, SignedMail } from '../compose.ts';
import { type Outcome, printable } from '../outcome.ts';
import { type Attempt, OutOfStep } from './attempt.ts';
import { ClaimLost, MarkFailed } from './marked-body.ts';
import { faultOf, type SmtpSession } from './session.ts';

interface TransactionParts {
  readonly session: SmtpSession;
  readonly attempt: Attempt;
  readonly mail: SignedMail;
  /** Whether its commands are written together; `ahead`: they were sent with the last mail. */
  readonly pipelining: boolean | 'ahead';
  /** Commits that the body is about to leave; false: the claim is lost. */
  readonly mark: () => Promise<boolean>;
  /** Called at the server's 354, before `follower`. */
  readonly onReady: () => void;
  /** Returns the mail whose envelope is sent with this one's final dot; null: none. */
  readonly follower: () => Promise<SignedMail | null>;
  /** Called when a follower's envelope is sent. */
  readonly onAhead: (mail: SignedMail) => void;
}

interface SmtpReply {
  readonly recipient: string;
  readonly reply: string;
}

/**
 * Sends one mail: MAIL, RCPT, DATA, the mark, and the body. The body is sent only after the mail's own 354 and mark.
 * @throws the fault of a refusal or of the session, ClaimLost, MarkFailed or OutOfStep. The session must be closed then
 */
export async function transact(parts: TransactionParts): Promise<Outcome> {
  const { session, attempt, mail, pipelining, follower, onAhead } = parts;
  const commands = commandsOf(session, mail);
  if (pipelining === true) session.write(commandLines(commands), commands.length);
  const replies = await passEnvelope(parts, commands);
  // The next mail is composed while the database commits the mark. It waits a turn of the event loop, so that it does
  // not delay other marks of this turn.
  const composed = nextTurn().then(() => (attempt.isOver ? null : follower()));
  const [, next] = await Promise.all([commitMark(parts), composed]);
  if (attempt.isOver) throw new MarkFailed('the mail was ended');
  if (next !== null) onAhead(next);
  const following = next === null ? [] : commandsOf(session, next);
  const reply = await sendBody(parts, dataOf(mail.message), following);
  if (!reply.startsWith('2')) throw faultOf('DATA', reply, 'Message failed');
  return outcomeOfSuccess(reply, replies);
}

/** Lists each recipient once: a copy to the main recipient would be a second mail. */
const recipientsOf = ({ to, bcc }: Envelope): string[] => [...new Set([to, ...bcc])];

const commandsOf = (session: SmtpSession, { envelope, message }: SignedMail): string[] => [
  `MAIL FROM:<${envelope.from}>${session.size === null ? '' : ` SIZE=${message.length}`}`,
  ...recipientsOf(envelope).map((recipient) => `RCPT TO:<${recipient}>`),
  'DATA',
];

/**
 * Reads the replies to the envelope, and writes its commands one by one unless they were pipelined. The main recipient
 * decides: a mail accepted only for a copy must not start, because each retry would send that copy again.
 * @returns the refused copies
 */
async function passEnvelope(
  { session, attempt, mail, pipelining, onReady }: TransactionParts,
  commands: readonly string[],
): Promise<SmtpReply[]> {
  const replies: SmtpReply[] = [];
  const ask = (command: string) => {
    if (pipelining === false) session.write(`${command}\r\n`, 1);
    return session.reply();
  };
  /** A pipelined reply is that to DATA, before the turn of DATA. */
  const isAfter = (reply: string) => pipelining !== false && reply.startsWith('354');
  const [from = '', ...rest] = commands;
  const accepted = await ask(from);
  if (isAfter(accepted)) throw new OutOfStep(accepted);
  if (!accepted.startsWith('2')) throw faultOf('MAIL FROM', accepted);
  attempt.isMailAccepted = true;
  for (const [index, recipient] of recipientsOf(mail.envelope).entries()) {
    const reply = await ask(rest[index] ?? '');
    if (reply.startsWith('2')) continue;
    if (isAfter(reply)) throw new OutOfStep(reply);
    if (index === 0 || reply.startsWith('421')) throw faultOf('RCPT TO', reply);
    replies.push({ recipient, reply });
  }
  const ready = await ask('DATA');
  // Some servers answer DATA with 250. Among pipelined replies it may belong to another command.
  if (ready.startsWith('2') && pipelining !== false) throw new OutOfStep(ready);
  if (!/^[23]/.test(ready)) throw faultOf('DATA', ready);
  onReady();
  return replies;
}

async function commitMark({ session, attempt, mark }: TransactionParts): Promise<void> {
  attempt.isMarking = true;
  const marked = mark().catch((error: Error) => {
    throw new MarkFailed(error.message);
  });
  const ours = await Promise.race([marked, session.ended]);
  attempt.isMarking = false;
  if (!ours) throw new ClaimLost();
}

/**
 * Returns `sent`, with the refused copies in its reply. The main recipient was accepted, so every refusal is of a copy.
 */
function outcomeOfSuccess(response: string, replies: readonly SmtpReply[]): Outcome {
  if (replies.length === 0) return { kind: 'sent', reply: printable(response) };
  const copies = replies.map(({ recipient, reply }) => `${recipient}：${reply}`);
  return {
    kind: 'sent',
    reply: printable(`${response}（bccには届きません。${copies.join('、')}）`),
    isCopyRefused: true,
  };
}

/** Returns commands as they are written to the connection. */
const commandLines = (commands: readonly string[]): string => commands.map((command) => `${command}\r\n`).join('');

/** The most bytes of one write to the connection. */
const SLICE_BYTES = 16 * 1024;

/**
 * Writes the body and the commands that follow it.
 * @returns the server's reply to its final dot
 * @throws a reply that came before that dot
 */
async function sendBody(
  { session, attempt }: TransactionParts,
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
