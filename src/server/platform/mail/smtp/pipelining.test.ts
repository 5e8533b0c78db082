import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { testSink } from '#test/sending.ts';
import {
  brokenServer,
  inOrder,
  type Marks,
  mailTo,
  ORDINARY,
  openLane,
  ours,
  type Reply,
  type Script,
  sendAll,
  THREE,
  TWELVE,
} from '#test/smtp-dialogue.ts';
import type { Outcome } from '../outcome.ts';
import { dataOf } from './transaction.ts';

describe('a server that keeps to RFC 2920', () => {
  test('each body leaves after its own 354 and its own mark, and the next envelope with its dot', async () => {
    const sink = await testSink();
    const order: string[] = [];
    sink.fault = (moment, line) => {
      order.push(/<(\d)@/.exec(line)?.[1] ? `${moment} ${/<(\d)@/.exec(line)?.[1]}` : moment);
      return null;
    };
    const mark = async (to: string) => {
      order.push(`mark ${to[0]}`);
      return true;
    };
    const outcomes = await sendAll(sink.port, THREE, { mark });
    expect(outcomes).toStrictEqual(['sent', 'sent', 'sent']);
    expect(order.join(', ').replaceAll('dot, ', 'dot\n').split('\n')).toStrictEqual([
      'greeting, EHLO, MAIL, RCPT 1, DATA, mark 1, body, dot',
      'MAIL, RCPT 2, DATA, mark 2, body, dot',
      'MAIL, RCPT 3, DATA, mark 3, body, dot',
    ]);
  });

  test('a mail whose mark is refused leaves no body, and the mail before it is sent', async () => {
    const sink = await testSink();
    expect(await sendAll(sink.port, THREE, { mark: async (to) => !to.startsWith('2') })).toStrictEqual([
      'sent',
      'claim-lost',
      'sent',
    ]);
    expect(sink.mails.map(({ to }) => to.join())).toStrictEqual(['1@x.jp', '3@x.jp']);
  });

  test('a mail that has ended takes no follower, which its worker would hold and never send', async () => {
    const sink = await testSink();
    const lane = openLane(sink.port);
    const taken: string[] = [];
    const next = (to: string) => () => {
      taken.push(to);
      return null;
    };
    const send = (to: string, mark: Marks) =>
      lane.send(mailTo(to).envelope, mailTo(to).message, () => mark(to), next(to));
    const refused = await send('1@x.jp', async () => false);
    expect([refused.kind, (await send('2@x.jp', ours)).kind, taken]).toStrictEqual(['claim-lost', 'sent', ['2@x.jp']]);
  });

  test.each([
    ['554 5.7.1 spam', 'failed'],
    ['452 4.3.1 disk full', 'deferred'],
  ] as const)(
    'a mail refused at its dot (%s): the next one, whose envelope left, takes a fresh connection',
    async (reply, kind) => {
      const sink = await testSink();
      let dots = 0;
      sink.fault = (moment) => (moment === 'dot' && ++dots === 1 ? reply : null);
      expect(await sendAll(sink.port, THREE)).toStrictEqual([kind, 'sent', 'sent']);
      expect(sink.mails.map(({ to }) => to.join())).toStrictEqual(['2@x.jp', '3@x.jp']);
    },
  );

  test('a recipient refused ahead fails only that mail, without a mark', async () => {
    const sink = await testSink();
    const marked: string[] = [];
    sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('<2@') ? '550 5.1.1 no such user' : null);
    const mark = async (to: string) => marked.push(to) > 0;
    expect(await sendAll(sink.port, THREE, { mark })).toStrictEqual(['sent', 'failed', 'sent']);
    expect(marked).toStrictEqual(['1@x.jp', '3@x.jp']);
  });
});

/** Reply to one command of the second mail of a session. */
const atSecond =
  (at: string, text: string, act?: (socket: Socket) => void): Reply =>
  (command, { mail, socket }) => {
    if (mail !== 2 || !command.startsWith(at)) return undefined;
    act?.(socket);
    return text;
  };
/** Holds its replies back until it has read all commands, then writes them in pieces that break lines. */
function inPieces(): Reply {
  let held = '';
  return (command, { socket, rest }) => {
    held += `${ORDINARY[command.slice(0, 4)]}\r\n`;
    if (rest !== '') return '';
    for (const [index, piece] of (held.match(/[\s\S]{1,7}/g) ?? []).entries()) {
      setTimeout(() => socket.write(piece), index * 3);
    }
    held = '';
    return '';
  };
}

describe.each([
  { path: 'pipelined', extensions: ['PIPELINING'] },
  { path: 'command by command', extensions: ['8BITMIME'] },
])('$path', ({ extensions }) => {
  test.each<[string, Script, Outcome['kind'][]]>([
    ['answers in order', {}, ['sent', 'sent', 'sent']],
    [
      'answers with several lines',
      { reply: (command) => (command === '.' ? '250-2.0.0 a\r\n250-b\r\n250 queued\r\n' : undefined) },
      ['sent', 'sent', 'sent'],
    ],
    [
      'says 421 at the MAIL of a used session',
      { reply: atSecond('MAIL', '421 4.3.2 closing\r\n') },
      ['sent', 'sent', 'sent'],
    ],
    ['says 421 at an RCPT', { reply: atSecond('RCPT', '421 4.3.2 closing\r\n') }, ['sent', 'dropped', 'sent']],
    ['says 421 at DATA', { reply: atSecond('DATA', '421 4.3.2 closing\r\n') }, ['sent', 'dropped', 'sent']],
    ['says 421 at the dot', { reply: atSecond('.', '421 4.3.2 closing\r\n') }, ['sent', 'deferred', 'sent']],
    [
      'closes at the MAIL of a used session',
      { reply: atSecond('MAIL', '', (socket) => socket.end()) },
      ['sent', 'sent', 'sent'],
    ],
    ['closes at an RCPT', { reply: atSecond('RCPT', '', (socket) => socket.end()) }, ['sent', 'dropped', 'sent']],
    ['closes at the dot', { reply: atSecond('.', '', (socket) => socket.end()) }, ['sent', 'unknown', 'sent']],
    [
      'says 354 after it refused the recipient',
      { reply: atSecond('RCPT', '550 5.1.1 no such user\r\n') },
      ['sent', 'failed', 'sent'],
    ],
    ['says nothing to the MAIL of a used session', { reply: atSecond('MAIL', '') }, ['sent', 'sent', 'sent']],
    [
      'answers MAIL with garbage',
      { reply: (command) => (command.startsWith('MAIL') ? 'x\r\n' : undefined) },
      ['dropped', 'dropped', 'dropped'],
    ],
  ])('a server that %s', async (_name, script, expected) => {
    const server = await brokenServer({ ...script, extensions });
    expect(await sendAll(server.port, THREE)).toStrictEqual(expected);
    // Every mail that is not `sent` or `unknown` was never handed over: a lone dot would be a mail here.
    const handedOver = THREE.filter((_, index) => ['sent', 'unknown', 'deferred'].includes(expected[index] ?? ''));
    expect(server.bodies).toStrictEqual(inOrder(handedOver));
  });
});

describe('a server that offers PIPELINING and breaks it', () => {
  test('writes its replies in pieces, and several at once', async () => {
    const server = await brokenServer({ reply: inPieces() });
    expect(await sendAll(server.port, THREE)).toStrictEqual(['sent', 'sent', 'sent']);
    expect(server.connections).toBe(1);
  });

  test.each(['all', 'one line'] as const)(
    'loses %s of what came with the dot: the next mail takes another connection, and after two trials none goes ahead',
    async (lost) => {
      const server = await brokenServer({ loses: () => lost });
      expect(await sendAll(server.port, TWELVE)).toStrictEqual(TWELVE.map(() => 'sent'));
      expect(server).toMatchObject({ bodies: inOrder(TWELVE), connections: 3, ahead: 2 });
    },
  );

  test('loses what came with a dot now and then: so it does after it was proven, and the second time is the last', async () => {
    const server = await brokenServer({ loses: (dot) => (dot % 3 === 0 ? 'all' : null) });
    expect(await sendAll(server.port, TWELVE)).toStrictEqual(TWELVE.map(() => 'sent'));
    expect(server).toMatchObject({ bodies: inOrder(TWELVE), connections: 3, ahead: 6 });
  });

  test('closes after its answer to the dot at what came with it: soon none goes ahead', async () => {
    const server = await brokenServer({
      reply: (command, { rest, socket }) => {
        if (command !== '.' || rest === '') return undefined;
        socket.end('250 2.0.0 queued\r\n');
        return '';
      },
    });
    expect(await sendAll(server.port, TWELVE)).toStrictEqual(TWELVE.map(() => 'sent'));
    expect(server).toMatchObject({ bodies: inOrder(TWELVE), connections: 4, ahead: 3 });
  });

  test('closes at what came with the dot, without an answer: two mails are in doubt, and no more', async () => {
    const server = await brokenServer({
      // Such a server reads ahead: it has the next envelope before it answers the dot.
      reply: (command, { rest, socket }) => {
        if (command !== '.' || rest === '') return undefined;
        socket.end();
        return '';
      },
    });
    const mails = ['1', '2', '3', '4', '5', '6'].map((n) => mailTo(`${n}@x.jp`));
    const outcomes = await sendAll(server.port, mails);
    expect(outcomes.filter((kind) => kind === 'unknown')).toHaveLength(2);
    expect(outcomes.filter((kind) => kind === 'sent')).toHaveLength(4);
    expect(server.bodies).toHaveLength(6);
  });

  test.each<[string, Script]>([
    ['answers DATA with 250', { reply: (command) => (command === 'DATA' ? '250 go on\r\n' : undefined) }],
    [
      'answers a pipelined MAIL twice',
      {
        reply: (command, { rest }) => (command.startsWith('MAIL') && rest !== '' ? '250 a\r\n250 b\r\n' : undefined),
      },
    ],
    [
      'answers a pipelined DATA first',
      {
        reply: (command, { rest }) => {
          if (command.startsWith('MAIL') && rest !== '') return '354 go on\r\n';
          return undefined;
        },
      },
    ],
  ])('%s: the mails go command by command', async (_name, script) => {
    const server = await brokenServer(script);
    expect(await sendAll(server.port, THREE)).toStrictEqual(['sent', 'sent', 'sent']);
    expect(server.bodies).toHaveLength(3);
  });
});

test.each([
  ['a\r\n', 'a\r\n.\r\n'],
  ['a', 'a\r\n.\r\n'],
  ['', '\r\n.\r\n'],
  ['.\r\n..\r\na.\r\n.b', '..\r\n...\r\na.\r\n..b\r\n.\r\n'],
  // A lone CR or LF could end the mail for some receivers (SMTP smuggling).
  ['a\n.\nb\r.\rc', 'a\r\n..\r\nb\r\n..\r\nc\r\n.\r\n'],
  ['\xff\r\n', '\xff\r\n.\r\n'],
])('%j is transferred as %j', (message, data) => {
  expect(dataOf(Buffer.from(message, 'latin1')).toString('latin1')).toBe(data);
});
