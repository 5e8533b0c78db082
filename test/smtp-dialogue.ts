import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ComposedMail } from '#server/platform/mail/compose.ts';
import type { Outcome } from '#server/platform/mail/outcome.ts';
import { type SmtpLane, smtpLane } from '#server/platform/mail/smtp/connection.ts';
import { type PipeliningTrust, pipeliningTrust } from '#server/platform/mail/smtp/pipelining-trust.ts';
import { SMTP_TIMES, type SmtpTimes } from '#server/platform/mail/smtp/settings.ts';

/** Short time limits, for servers that do not answer. */
const SHORT: SmtpTimes = { ...SMTP_TIMES, aheadMs: 500, envelopeMs: 1500, silenceMs: 1500 };

interface LaneOptions {
  /** Shared by lanes to one server. */
  readonly trust?: PipeliningTrust;
  readonly times?: SmtpTimes;
}

/** Opens a lane, by default with short time limits; it closes with the test. */
export function openLane(port: number, { trust = pipeliningTrust(), times = SHORT }: LaneOptions = {}): SmtpLane {
  const address = { host: '127.0.0.1', port, secure: false, requireTls: false, credentials: null };
  const lane = smtpLane(address, times, trust);
  onTestFinished(() => lane.close());
  return lane;
}

/** Marks every mail, so that it may be sent. */
export const ours = async () => true;

export const mailTo = (to: string): ComposedMail => ({
  envelope: { from: 'a@example.com', to, bcc: [] },
  message: Buffer.from(`Message-ID: <${to}>\r\n\r\n.body\r\n`),
});

export type Marks = (to: string) => Promise<boolean>;

interface SendOptions extends LaneOptions {
  readonly mark?: Marks;
}

/** Sends mails one after the other, each with the next one ready, as a worker does. @returns their outcomes */
export async function sendAll(
  port: number,
  mails: readonly ComposedMail[],
  { mark = ours, ...options }: SendOptions = {},
): Promise<Outcome['kind'][]> {
  const lane = openLane(port, options);
  const outcomes: Outcome['kind'][] = [];
  for (const [index, { envelope, message }] of mails.entries()) {
    const next = () => mails[index + 1] ?? null;
    outcomes.push((await lane.send(envelope, message, () => mark(envelope.to), next)).kind);
  }
  return outcomes;
}

export const THREE = ['1@x.jp', '2@x.jp', '3@x.jp'].map(mailTo);
export const TWELVE = Array.from({ length: 12 }, (_, n) => mailTo(`${n}@x.jp`));
/** Returns what a server has read that received each mail once, in order. */
export const inOrder = (mails: readonly ComposedMail[]) => mails.map(({ envelope }) => `RCPT TO:<${envelope.to}>`);

/** The behaviour of a server: what it writes for each command; undefined: the ordinary reply. */
export interface Script {
  readonly extensions?: readonly string[];
  /** What the server loses of the data that came with a final dot. @param dot counts all connections' dots, from 1 */
  readonly loses?: (dot: number) => 'all' | 'one line' | null;
  readonly reply?: Reply;
}

/** null: the server writes nothing and reads no further. */
export type Reply = (command: string, now: Now) => string | null | undefined;

interface Now {
  /** The number of the mail in the session. */
  readonly mail: number;
  readonly socket: Socket;
  /** What was read beyond the command. */
  readonly rest: string;
}

interface Server {
  readonly port: number;
  /** Recipient lines of the mails whose final dot was read. */
  readonly bodies: string[];
  connections: number;
  /** The number of final dots that came with the next envelope. */
  ahead: number;
}

/** The server's ordinary replies, by the first letters of a command. */
export const ORDINARY: Record<string, string> = {
  MAIL: '250 2.1.0 OK',
  RCPT: '250 2.1.5 OK',
  DATA: '354 go on',
  '.': '250 2.0.0 queued',
  QUIT: '221 bye',
};

/** Starts a server that misreads RFC 2920. It stores every body, and counts a lone dot as a mail too. */
export async function brokenServer({ extensions = ['PIPELINING'], loses, reply }: Script): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket) => {
    state.connections += 1;
    let [input, mail, recipient, inBody, hasMail] = ['', 1, '', false, false];
    const answer = (command: string) => {
      const own = reply?.(command, { mail, socket, rest: input });
      const text = own === undefined ? `${ORDINARY[command.slice(0, 4)] ?? '502 no'}\r\n` : (own ?? '');
      if (own === null) input = '';
      if (text !== '') socket.write(text);
      inBody = command === 'DATA' && /^(250|354)/.test(text || '354');
    };
    const take = (line: string) => {
      if (inBody && line !== '.') return;
      if (line.startsWith('EHLO'))
        return void socket.write(['250-x', ...extensions].join('\r\n250-').concat('\r\n250 HELP\r\n'));
      // The lost data may have included MAIL.
      if (line.startsWith('RCPT') && !hasMail) return void socket.write('503 5.5.1 MAIL first\r\n');
      if (line.startsWith('MAIL')) hasMail = true;
      if (line.startsWith('RCPT')) recipient = line;
      if (inBody) endBody();
      answer(line);
      if (line === '.') mail += 1;
    };
    const endBody = () => {
      hasMail = false;
      state.bodies.push(recipient);
      if (input !== '') state.ahead += 1;
      const lost = loses?.(state.bodies.length) ?? null;
      if (lost !== null) input = lost === 'all' ? '' : input.slice(input.indexOf('\r\n') + 2);
    };
    socket.on('error', () => undefined).write('220 x\r\n');
    socket.on('data', (chunk) => {
      input += chunk.toString();
      for (let end = input.indexOf('\r\n'); end >= 0; end = input.indexOf('\r\n')) {
        const line = input.slice(0, end);
        input = input.slice(end + 2);
        take(line);
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const state: Server = { port: (server.address() as AddressInfo).port, bodies: [], connections: 0, ahead: 0 };
  return state;
}
