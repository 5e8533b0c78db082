import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openInbox } from './imap-session.ts';

/** Starts a mail server that says what these answers say to the last command of a line. @returns its port */
async function startServer(answers: Readonly<Record<string, string>>): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write('* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n');
    let idle = '';
    socket.on('data', (data) => {
      for (const line of data.toString().split('\r\n').filter(Boolean)) {
        const [tag = '', ...words] = line.split(' ');
        const command = words[0] === 'UID' ? `UID ${words[1]}` : (words[0] ?? '');
        if (command === 'IDLE') {
          idle = tag;
          socket.write('+ idling\r\n');
        } else if (tag === 'DONE') socket.write(`${idle} OK done\r\n`);
        else socket.write(`${answers[command] ?? ''}${tag} OK done\r\n`);
      }
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a mail that is announced at the end of a look is not waited for', async () => {
  const port = await startServer({
    LIST: '* LIST () "/" INBOX\r\n',
    EXAMINE: '* FLAGS ()\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 2] x\r\n',
    'UID SEARCH': '* SEARCH 1\r\n* 2 EXISTS\r\n',
  });
  const session = await openInbox({
    host: '127.0.0.1',
    port,
    secure: false,
    requireTls: false,
    user: 'in',
    password: 'x',
    mailbox: 'INBOX',
    done: null,
    name: 'imap://in@127.0.0.1/INBOX',
  });
  onTestFinished(session.close);
  expect(session.uidValidity).toBe(7);
  expect(await session.mailsAfter(1)).toStrictEqual([]);
  // Otherwise the test ends here by its own time.
  await session.waitForMail(3_600_000, new AbortController().signal);
});
