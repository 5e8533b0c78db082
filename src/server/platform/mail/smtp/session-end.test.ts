import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { brokenServer, inOrder, type Reply, sendAll, TWELVE } from '#test/smtp-dialogue.ts';
import { pipeliningTrust } from './pipelining-trust.ts';
import { SMTP_TIMES } from './settings.ts';

describe('a server that ends its sessions after three mails goes on getting envelopes ahead', () => {
  /** Ends its answer to the third final dot, or to the fourth MAIL. */
  const ends =
    (at: '.' | 'MAIL', end: (socket: Socket) => void): Reply =>
    (command, { mail, socket }) => {
      if (!command.startsWith(at) || mail !== (at === '.' ? 3 : 4)) return undefined;
      end(socket);
      return null;
    };
  test.each([
    ['closes after its answer to the last dot', ends('.', (socket) => socket.end('250 2.0.0 queued\r\n'))],
    [
      'resets after its answer to the last dot',
      ends('.', (socket) => socket.write('250 2.0.0 queued\r\n', () => socket.resetAndDestroy())),
    ],
    ['closes at the next MAIL', ends('MAIL', (socket) => socket.end())],
    ['says 421 to the next MAIL', ends('MAIL', (socket) => socket.end('421 4.7.0 too many in this session\r\n'))],
    ['says 452 to the next MAIL', ends('MAIL', (socket) => socket.write('452 4.7.0 too many in this session\r\n'))],
    ['says 550 to the next MAIL', ends('MAIL', (socket) => socket.write('550 5.7.0 too many in this session\r\n'))],
  ])('%s', async (_name, reply) => {
    const server = await brokenServer({ reply });
    expect(await sendAll(server.port, TWELVE, { times: SMTP_TIMES })).toStrictEqual(TWELVE.map(() => 'sent'));
    // At the limit only the first time: of the last session's third mail there is no next one.
    expect(server).toMatchObject({ bodies: inOrder(TWELVE), connections: 4, ahead: 3 + 2 + 2 + 2 });
  });

  test('a sender that it refuses on a fresh connection, too, is no limit', async () => {
    const server = await brokenServer({
      reply: (command) => (command.startsWith('MAIL FROM:<refused@') ? '550 5.7.1 not you\r\n' : undefined),
    });
    const mails = TWELVE.slice(0, 6).map((mail, n) =>
      n === 2 ? { ...mail, envelope: { ...mail.envelope, from: 'refused@x.jp' } } : mail,
    );
    expect(await sendAll(server.port, mails, { times: SMTP_TIMES })).toStrictEqual(
      mails.map((_, n) => (n === 2 ? 'sender-refused' : 'sent')),
    );
    // With the dots of 0 and 1, and after the refusal, as before, with those of 3 and 4.
    expect(server.ahead).toBe(4);
  });

  test('on two connections at once, too', async () => {
    const server = await brokenServer({ reply: ends('.', (socket) => socket.end('250 2.0.0 queued\r\n')) });
    const trust = pipeliningTrust();
    const halves = [TWELVE.slice(0, 6), TWELVE.slice(6)];
    const outcomes = await Promise.all(halves.map((half) => sendAll(server.port, half, { trust, times: SMTP_TIMES })));
    expect(outcomes.flat()).toStrictEqual(TWELVE.map(() => 'sent'));
    expect([...server.bodies].toSorted()).toStrictEqual(inOrder(TWELVE).toSorted());
    expect(server.connections).toBe(4);
    expect(trust.allowsAhead(1)).toBe(true);
  });
});
