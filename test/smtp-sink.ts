import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './certificate.ts';
import { holdsToken, TOKEN_REFUSED } from './xoauth2.ts';

/**
 * A mail as received and accepted.
 * It is stored before the 250, so that the sink, not the database, is the reference.
 */
export interface CaughtMail {
  readonly messageId: string;
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as sent, with dots unstuffed. */
  readonly source: string;
  readonly at: number;
  /** Whether it arrived over TLS. */
  readonly secure: boolean;
}

/** The moment at which a fault occurs: at a command, during the body, or after the final dot. */
export type Moment = 'greeting' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'body' | 'dot';
/**
 * The fault: another reply line, a closed or reset connection, no answer, or a malformed reply.
 * `bytes`: the ordinary answer in single bytes. `answer, reset` and `answer, close`: the ordinary answer, then the end.
 * `lose`: the ordinary answer, and what came after the command is lost. `wait`: the answer waits for a call of
 * `waiting`.
 */
export type Fault =
  | `${number} ${string}`
  | 'close'
  | 'reset'
  | 'silence'
  | 'garbage'
  | 'bytes'
  | 'answer, reset'
  | 'answer, close'
  | 'lose'
  | 'wait';

export interface SmtpSink {
  readonly port: number;
  readonly mails: CaughtMail[];
  /** Stores a mail before it is answered; default: in `mails`. */
  keep: (mail: CaughtMail) => void;
  /**
   * Called at every moment; null: the ordinary answer.
   * `line`: the received command; `taken`: mails accepted on this connection.
   */
  fault: (moment: Moment, line: string, taken: number) => Fault | null;
  /** Functions that send the delayed answers. */
  readonly waiting: (() => void)[];
  /** The extensions in its answer to EHLO. */
  extensions: string[];
  /** TLS with this certificate, from the first byte (smtps) or by STARTTLS; null: none. */
  tls: (Certificate & { readonly from: 'first byte' | 'STARTTLS' }) | null;
  /** The login required before a mail is accepted (AUTH PLAIN); null: not required, and any password is accepted. */
  login: { readonly user: string; readonly pass: string } | null;
  /** Whether an access token logs in (AUTH XOAUTH2), which is required then; null: tokens are not offered. */
  token: ((user: string, accessToken: string) => boolean) | null;
  /** Connections that are open now. */
  readonly open: number;
  /** The highest number of connections open at the same time. */
  mostConnections: number;
  /** Milliseconds between the final dot and the 250. */
  latencyMs: number;
  /** Closes all open connections. */
  hangUp(): void;
  close(): Promise<void>;
}

const ORDINARY: Record<Exclude<Moment, 'body' | 'EHLO'>, string> = {
  greeting: '220 sink ESMTP',
  STARTTLS: '220 2.0.0 go on',
  AUTH: '235 2.7.0 welcome',
  MAIL: '250 2.1.0 OK',
  RCPT: '250 2.1.5 OK',
  DATA: '354 go on',
  dot: '250 2.0.0 queued',
};

/** A small SMTP server on loopback that keeps every mail and fails on request. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const sockets = new Set<Socket>();
  // The answers to pipelined commands are several small writes; each would wait for the acknowledgement of the previous
  // one.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    sink.mostConnections = Math.max(sink.mostConnections, sockets.size);
    // After QUIT, or when a reply closes it, a connection no longer counts as open.
    const leave = () => void sockets.delete(socket);
    socket
      .on('finish', leave)
      .on('end', leave)
      .on('close', leave)
      .on('error', () => {});
    talk(sink.tls?.from === 'first byte' ? secured(socket, sink.tls) : socket, sink);
  });
  const sink: SmtpSink = {
    port: 0,
    mails: [],
    keep: (mail) => void sink.mails.push(mail),
    fault: () => null,
    waiting: [],
    extensions: ['PIPELINING', '8BITMIME', 'SIZE 10485760'],
    tls: null,
    login: null,
    token: null,
    latencyMs: 0,
    get open() {
      return sockets.size;
    },
    mostConnections: 0,
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        sink.hangUp();
      }),
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(sink, { port: (server.address() as AddressInfo).port });
}

function secured(socket: Socket, certificate: Certificate): TLSSocket {
  // A client that distrusts the certificate closes the connection, which is no fault of the sink.
  return new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) }).on(
    'error',
    () => {},
  );
}

function talk(socket: Socket, sink: SmtpSink, isGreeted = false): void {
  const secure = socket instanceof TLSSocket;
  let input = '';
  let inBody = false;
  let isLoggedIn = false;
  /** Whether the client must answer to a refused token. */
  let isTokenRefused = false;
  let from = '';
  let to: string[] = [];
  let taken = 0;
  /** Whether the sink is silent or about to close the connection: it then ignores pipelined commands. */
  let isDeaf = false;
  /** Whether an answer is being sent: later commands wait, because replies come in the order of the commands. */
  let isAnswering = false;
  const resume = () => {
    isAnswering = false;
    read();
  };

  const offers = () => [
    ...sink.extensions,
    ...(sink.tls && !secure ? ['STARTTLS'] : []),
    ...(sink.login ? ['AUTH PLAIN'] : []),
    ...(sink.token ? ['AUTH XOAUTH2'] : []),
  ];
  const ordinary = (moment: Exclude<Moment, 'body'>): string =>
    moment === 'EHLO'
      ? ['250-sink', ...offers().map((name) => `250-${name}`), '250 HELP'].join('\r\n')
      : ORDINARY[moment];
  const reply = (moment: Exclude<Moment, 'body'>, fault: Fault | null) => {
    const usual = `${ordinary(moment)}\r\n`;
    isDeaf ||= fault !== null && ['silence', 'close', 'answer, close', 'answer, reset'].includes(fault);
    isAnswering = fault === 'bytes' || fault === 'wait';
    if (fault === 'lose') input = '';
    if (fault === 'close') socket.end();
    else if (fault === 'answer, close') socket.end(usual);
    else if (fault === 'reset') socket.resetAndDestroy();
    else if (fault === 'garbage') socket.write('\x16\x03 はい、どうぞ\r\n');
    else if (fault === 'bytes') void writeSlowly(socket, usual).then(resume);
    else if (fault === 'wait') sink.waiting.push(() => socket.write(usual, resume));
    else if (fault === 'answer, reset') socket.write(usual, () => setTimeout(() => socket.resetAndDestroy(), 20));
    else if (fault !== 'silence') socket.write(fault === null || fault === 'lose' ? usual : `${fault}\r\n`);
  };

  /** Answers a moment of the dialogue. @returns whether the ordinary dialogue continues */
  const answer = (moment: Exclude<Moment, 'body'>, line: string): boolean => {
    const fault = sink.fault(moment, line, taken);
    reply(moment, fault);
    return fault === null || ['bytes', 'wait', 'lose'].includes(fault);
  };

  const endOfBody = (source: string) => {
    const messageId = /^Message-ID:\s*(\S+)/im.exec(source)?.[1] ?? '';
    const unstuffed = source.replace(/^\./gm, '');
    const fault = sink.fault('dot', '.', taken);
    // An explicit refusal means not accepted. In every other case the sink has the mail, whatever the client receives.
    if (!/^[45]/.test(fault ?? '')) sink.keep({ messageId, from, to, source: unstuffed, at: Date.now(), secure });
    to = [];
    taken += 1;
    // At once, so that a test that sends the delayed answers misses none.
    if (fault === 'wait') return reply('dot', fault);
    isAnswering = true;
    setTimeout(() => {
      reply('dot', fault);
      if (!isAnswering) read();
    }, sink.latencyMs);
  };

  const isRight = (line: string) =>
    sink.token
      ? holdsToken(/^AUTH XOAUTH2 (\S+)$/.exec(line)?.[1] ?? '', sink.token)
      : !sink.login ||
        line === `AUTH PLAIN ${Buffer.from(`\0${sink.login.user}\0${sink.login.pass}`).toString('base64')}`;

  /** Restarts the session over TLS; state from the plain session is discarded (RFC 3207). */
  const startTls = (certificate: Certificate) => {
    if (!answer('STARTTLS', 'STARTTLS')) return;
    socket.removeAllListeners('data');
    talk(secured(socket, certificate), sink, true);
  };

  const unknown = () => socket.write('502 5.5.2 not known\r\n');
  const commands: Record<string, (line: string) => unknown> = {
    ehlo: (line) => answer('EHLO', line),
    helo: (line) => answer('EHLO', line),
    star: () => (sink.tls && !secure ? startTls(sink.tls) : unknown()),
    auth: (line) => {
      if (isRight(line)) isLoggedIn = answer('AUTH', line);
      else if (sink.token) {
        isTokenRefused = true;
        socket.write(`334 ${TOKEN_REFUSED}\r\n`);
      } else socket.write('535 5.7.8 wrong user or password\r\n');
    },
    mail: (line) => {
      if ((sink.login || sink.token) && !isLoggedIn) socket.write('530 5.7.0 log in first\r\n');
      else if (answer('MAIL', line)) from = pathOf(line);
    },
    rcpt: (line) => {
      if (answer('RCPT', line)) to = [...to, pathOf(line)];
    },
    data: (line) => {
      if (to.length === 0) socket.write('503 5.5.1 no valid recipients\r\n');
      else inBody = answer('DATA', line);
    },
    rset: () => socket.write('250 2.0.0 OK\r\n'),
    quit: () => socket.end('221 2.0.0 bye\r\n'),
  };
  const refuseToken = () => {
    isTokenRefused = false;
    socket.write('535 5.7.8 the token is refused\r\n');
  };
  const command = (line: string) =>
    isTokenRefused ? refuseToken() : (commands[line.slice(0, 4).toLowerCase()] ?? unknown)(line);

  if (!isGreeted) answer('greeting', '');
  socket.on('data', (chunk) => {
    const fault = inBody ? sink.fault('body', '', taken) : null;
    // The server reads no further, with or without a reply.
    if (/^\d/.test(fault ?? '')) socket.write(`${fault}\r\n`);
    if (fault === 'silence' || /^\d/.test(fault ?? '')) return void socket.pause();
    if (fault === 'reset') return void socket.resetAndDestroy();
    if (fault !== null) return void socket.destroy();
    input += chunk.toString('latin1');
    read();
  });

  function read(): void {
    while (!isDeaf && !isAnswering) {
      const end = input.indexOf(inBody ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const text = input.slice(0, end);
      input = input.slice(end + (inBody ? 5 : 2));
      if (inBody) {
        inBody = false;
        endOfBody(text);
      } else command(text);
    }
  }
}

async function writeSlowly(socket: Socket, text: string): Promise<void> {
  for (const byte of text) {
    socket.write(byte);
    await sleep(3);
  }
}

const pathOf = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';
