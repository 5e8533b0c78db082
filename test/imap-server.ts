import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { InboxSettings } from '#server/platform/mail/inbox-settings.ts';
import { holdsToken, TOKEN_REFUSED } from './xoauth2.ts';

/** How a server disconnects: in order, killed, restarted, or cut off from the network. */
export type Loss = 'FIN' | 'RST' | 'BYE' | 'silence';

/** What the server does in place of its own answer to a command: sends this, then disconnects or completes it. */
export interface Turn {
  readonly say?: string;
  readonly end: Loss | 'OK' | 'NO';
}

/** A date-time of IMAP, such as `20-Nov-2026 10:00:00 +0000`. */
const imapDate = (date: Date): string => {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}-${month}-${year} ${time} +0000`;
};

/** An IMAP server with one mailbox on loopback, whose answers a test may replace. */
export class ImapServer {
  capabilities = 'IMAP4rev1 IDLE MOVE';
  uidValidity: number | null = 7;
  uidNext: number | null = 1;
  /** The mails by uid. */
  readonly mails = new Map<number, Buffer>();
  /** When mails arrived, by uid. Default: now. */
  readonly dates = new Map<number, Date>();
  /** The uids of mails whose bodies were fetched, in order. */
  readonly bodies: number[] = [];
  /** The uids of mails that were moved, in order. */
  readonly moved: number[] = [];
  /** The commands of all connections with their arguments, in order. */
  readonly commands: string[] = [];
  /** @returns the replacement; undefined: the server's own answer */
  script: (command: string) => Turn | undefined = () => undefined;
  /** Whether an access token logs in (XOAUTH2), without which nothing is answered; null: any log-in does. */
  token: ((user: string, accessToken: string) => boolean) | null = null;
  connections = 0;
  private port = 0;
  private readonly sockets = new Set<Socket>();
  /** The tags of open IDLE commands. */
  private readonly idling = new Map<Socket, string>();
  /** The tags of log-ins whose token was refused, until the client's empty line. */
  private readonly refused = new Map<Socket, string>();
  private readonly loggedIn = new WeakSet<Socket>();
  private readonly server = createServer((socket) => this.talk(socket));

  /** Listens until the end of the test. */
  async start(): Promise<this> {
    onTestFinished(() => this.stop());
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this;
  }

  /** Closes the connections, and refuses new ones. */
  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }

  settings(more: Partial<InboxSettings> = {}): InboxSettings {
    const place = { host: '127.0.0.1', port: this.port, secure: false, requireTls: false };
    return {
      ...place,
      user: 'in',
      password: 'x',
      mailbox: 'INBOX',
      done: null,
      name: 'imap://in@mail.example',
      ...more,
    };
  }

  /** Adds a mail, and announces it to clients that wait. */
  add(uid: number, mail: Buffer): void {
    this.mails.set(uid, mail);
    for (const socket of this.idling.keys()) socket.write(`* ${this.mails.size} EXISTS\r\n`);
  }

  /** The row of a mail in the answer to a FETCH. */
  row(uid: number): string {
    const mail = this.mails.get(uid)?.toString('latin1') ?? '';
    return `* ${this.numberOf(uid)} FETCH (UID ${uid} BODY[]<0> {${mail.length}}\r\n${mail})\r\n`;
  }

  /** The row with fields alone. @param names as the client wrote them */
  private fieldsRow(uid: number, names: string): string {
    const wanted = new Set(names.toLowerCase().split(' '));
    const [header = ''] = (this.mails.get(uid)?.toString('latin1') ?? '').split('\r\n\r\n', 1);
    const isWanted = (field: string) => wanted.has(field.slice(0, field.indexOf(':')).toLowerCase());
    const fields = `${[...header.split(/\r\n(?![ \t])/).filter(isWanted), '', ''].join('\r\n')}`;
    const date = imapDate(this.dates.get(uid) ?? new Date());
    const section = `BODY[HEADER.FIELDS (${names})] {${fields.length}}`;
    return `* ${this.numberOf(uid)} FETCH (UID ${uid} INTERNALDATE "${date}" ${section}\r\n${fields})\r\n`;
  }

  private readonly numberOf = (uid: number): number => [...this.mails.keys()].indexOf(uid) + 1;

  private talk(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    let rest = '';
    socket.on('error', () => {}).on('close', () => this.idling.delete(socket));
    const offers = this.token ? `${this.capabilities} SASL-IR AUTH=XOAUTH2` : this.capabilities;
    socket.write(`* OK [CAPABILITY ${offers}] ready\r\n`);
    const listen = (data: Buffer) => {
      const lines = (rest + data.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [tag = '', ...words] = line.split(' ');
        if (tag === 'DONE') this.endIdle(socket);
        else if (!this.take(socket, tag, words.join(' '))) return void socket.off('data', listen);
      }
    };
    socket.on('data', listen);
  }

  private endIdle(socket: Socket): void {
    const tag = this.idling.get(socket);
    if (tag !== undefined && this.idling.delete(socket)) socket.write(`${tag} OK done\r\n`);
  }

  /** @returns false: the server has disconnected */
  private take(socket: Socket, tag: string, command: string): boolean {
    if (this.token && this.asksForLogIn(socket, tag, command, this.token)) return true;
    this.commands.push(command);
    const { say = '', end } = this.script(command) ?? { say: this.answerTo(command), end: 'OK' };
    if (end === 'OK' || end === 'NO') {
      const waits = command === 'IDLE' && end === 'OK';
      if (waits) this.idling.set(socket, tag);
      socket.write(waits ? say : `${say}${tag} ${end} done\r\n`, 'latin1');
      return true;
    }
    socket.write(say, 'latin1');
    this.leave(socket, end);
    return false;
  }

  /** Answers what comes before the log-in by a token. @returns false: the client is logged in */
  private asksForLogIn(
    socket: Socket,
    tag: string,
    command: string,
    isValid: NonNullable<ImapServer['token']>,
  ): boolean {
    const refused = this.refused.get(socket);
    if (refused !== undefined && this.refused.delete(socket)) {
      socket.write(`${refused} NO [AUTHENTICATIONFAILED] the token is refused\r\n`);
      return true;
    }
    if (this.loggedIn.has(socket) || /^(?:CAPABILITY|ID|NOOP|LOGOUT)\b/.test(command)) return false;
    const [, said] = /^AUTHENTICATE XOAUTH2 (\S+)$/.exec(command) ?? [];
    if (said !== undefined && holdsToken(said, isValid)) {
      this.loggedIn.add(socket);
      return false;
    }
    if (said === undefined) socket.write(`${tag} NO [AUTHENTICATIONFAILED] log in by a token\r\n`);
    else {
      this.refused.set(socket, tag);
      socket.write(`+ ${TOKEN_REFUSED}\r\n`);
    }
    return true;
  }

  private leave(socket: Socket, how: Loss): void {
    switch (how) {
      case 'RST':
        socket.resetAndDestroy();
        break;
      case 'BYE':
        socket.end('* BYE restarting\r\n');
        break;
      case 'FIN':
        socket.end();
        break;
      case 'silence':
        break;
    }
  }

  private answerTo(command: string): string {
    if (command === 'IDLE') return '+ idling\r\n';
    if (command.startsWith('LIST')) return '* LIST () "/" INBOX\r\n';
    if (/^(?:SELECT|EXAMINE) /.test(command)) return this.opening();
    const [, verb, set = '1:*'] = /^UID (SEARCH|FETCH|MOVE) (?:UID )?([\d:*,]+)?/.exec(command) ?? [];
    const uids = this.uidsIn(set);
    const since = / SINCE (\S+)/.exec(command)?.[1];
    if (since) return `* SEARCH ${this.uidsSince(new Date(`${since} 00:00 +0000`)).join(' ')}\r\n`;
    const names = /HEADER\.FIELDS \(([^)]*)\)/.exec(command)?.[1];
    if (names) return uids.map((uid) => this.fieldsRow(uid, names)).join('');
    if (verb === 'FETCH') this.bodies.push(...uids);
    if (verb === 'SEARCH') return `* SEARCH ${uids.join(' ')}\r\n`;
    if (verb === 'FETCH') return uids.map((uid) => this.row(uid)).join('');
    if (verb === 'MOVE') return uids.map((uid) => this.move(uid)).join('');
    return '';
  }

  private uidsSince(since: Date): number[] {
    return this.uidsIn('1:*').filter((uid) => (this.dates.get(uid) ?? new Date()) >= since);
  }

  private opening(): string {
    const code = (name: string, value: number | null) => (value === null ? '' : `* OK [${name} ${value}] x\r\n`);
    const numbers = code('UIDVALIDITY', this.uidValidity) + code('UIDNEXT', this.uidNext);
    return `* FLAGS ()\r\n* ${this.mails.size} EXISTS\r\n${numbers}`;
  }

  /** Parses a set of uids as IMAP does: `*` is the last mail, even if the other end is above it. */
  private uidsIn(set: string): number[] {
    // Ranges of many mails take a square of time.
    if (/^[\d,]+$/.test(set))
      return set
        .split(',')
        .map(Number)
        .filter((uid) => this.mails.has(uid));
    const all = [...this.mails.keys()].toSorted((one, other) => one - other);
    const numberOf = (end: string) => (end === '*' ? (all.at(-1) ?? 0) : Number(end));
    const ranges = set.split(',').map((part) => part.split(':').map(numberOf));
    return all.filter((uid) => ranges.some((ends) => uid >= Math.min(...ends) && uid <= Math.max(...ends)));
  }

  private move(uid: number): string {
    const number = this.numberOf(uid);
    this.moved.push(uid);
    this.mails.delete(uid);
    return `* ${number} EXPUNGE\r\n`;
  }
}
