import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { selfSigned } from '#test/certificate.ts';
import { serveZone } from '#test/dns-zone.ts';
import { ImapServer } from '#test/imap-server.ts';
import { personMail } from '#test/mailbox-reading.ts';
import { tlsBefore } from '#test/tls-front.ts';
import { outboundWith } from '../../platform/outbound/outbound.ts';
import type { InboxError } from '../inbox/imap-dialog.ts';
import { openImap } from '../inbox/imap-session.ts';
import { mailboxSession, openMailboxSession } from './mailbox-session.ts';

const HOST = 'imap.example.com';
const OURS = selfSigned({ host: HOST });
const OF_ANOTHER = selfSigned({ host: 'other.example.com' });
const UNKNOWN = selfSigned({ host: HOST });

const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, OURS.cert, OF_ANOTHER.cert]);
afterAll(() => setDefaultCACertificates(authorities));

/** Starts an IMAP server behind TLS. @returns it with its port */
async function serve(certificate = OURS) {
  const server = await new ImapServer().start();
  const names: (string | false)[] = [];
  return { server, names, port: await tlsBefore(server.settings().port, certificate, names) };
}

const credentials = { user: 'aya', pass: 'secret' };

async function open(port: number, login: Parameters<typeof openMailboxSession>[1]['credentials'] = credentials) {
  const zone = await serveZone({ [`A ${HOST}`]: ['127.0.0.1'] });
  const outbound = outboundWith({ dnsServers: [zone.server], allowed: ['127.0.0.0/8'] });
  const session = await openMailboxSession(outbound, { host: HOST, credentials: login, port });
  onTestFinished(session.close);
  return session;
}

const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: InboxError) => error.fault,
  );

test('connects to the address that was checked, with the name of the server in TLS, read-only', async () => {
  const { server, names, port } = await serve();
  server.add(5, personMail('friend@home.example', '昼食', '12時に'));
  const session = await open(port);
  expect(names).toStrictEqual([HOST]);
  expect(session.uidValidity).toBe(7);
  const [found] = await session.fieldsOf(await session.uidsAfter(0));
  expect(Buffer.from(found?.fields ?? []).toString()).toContain('From: friend@home.example');
  expect(server.commands.some((command) => command.startsWith('SELECT'))).toBe(false);
});

test('logs in with an access token', async () => {
  const { server, port } = await serve();
  server.capabilities += ' SASL-IR AUTH=XOAUTH2';
  await open(port, { user: 'aya@example.com', accessToken: 'the token' });
  const [command = ''] = server.commands.filter((one) => one.startsWith('AUTHENTICATE'));
  const [, way, said = ''] = /^AUTHENTICATE (XOAUTH2|OAUTHBEARER) (\S+)$/.exec(command) ?? [];
  // As Google and Microsoft describe it: with the user, between control characters.
  expect([way, Buffer.from(said, 'base64').toString()]).toStrictEqual([
    'XOAUTH2',
    'user=aya@example.com\x01auth=Bearer the token\x01\x01',
  ]);
});

test.each([
  ['of somebody else', OF_ANOTHER],
  ['that nobody signed', UNKNOWN],
])('a certificate %s is refused before the log-in', async (_, certificate) => {
  const { server, port } = await serve(certificate);
  expect(await faultOf(open(port))).toBe('connection');
  expect(server.commands).toStrictEqual([]);
});

test('a server within the own network is not connected to', async () => {
  const { server, port } = await serve();
  const zone = await serveZone({ [`A ${HOST}`]: ['127.0.0.1'] });
  const outbound = outboundWith({ dnsServers: [zone.server] });
  expect(await faultOf(openMailboxSession(outbound, { host: HOST, credentials, port }))).toBe('connection');
  expect(server.connections).toBe(0);
});

describe('a hostile server', () => {
  test('cannot send more at once than a mail needs: the connection ends at the announcement', async () => {
    const { server, port } = await serve();
    server.add(5, personMail('friend@home.example', '昼食', '12時に'));
    const session = await open(port);
    server.script = (command) =>
      command.startsWith('UID FETCH')
        ? { say: '* 1 FETCH (UID 5 BODY[HEADER.FIELDS (SUBJECT)] {500000000}\r\nSubject: a', end: 'silence' }
        : undefined;
    expect(await faultOf(session.fieldsOf([5]))).toBe('connection');
  });

  test('is not read compressed: a small part could become a large one', async () => {
    const { server, port } = await serve();
    server.capabilities += ' COMPRESS=DEFLATE';
    server.script = (command) => (command.startsWith('COMPRESS') ? { end: 'NO' } : undefined);
    await open(port);
    expect(server.commands.filter((command) => command.startsWith('COMPRESS'))).toStrictEqual([]);
  });
});

test('one question ends after its time, however often the server sends a part', async () => {
  const server = await new ImapServer().start();
  const session = mailboxSession(await openImap({ ...server.settings(), credentials }), 300);
  server.script = () => ({ say: '* 1 FETCH (UID 5 FLAGS ())\r\n', end: 'silence' });
  const began = performance.now();
  expect(await faultOf(session.mailsOf([5]))).toBe('connection');
  expect(performance.now() - began).toBeLessThan(10_000);
});

test('of the fields of a large mail no more stays in memory than is read', async () => {
  const { server, port } = await serve();
  server.add(5, personMail('friend@home.example', 'x'.repeat(1_000_000), ''));
  const session = await open(port);
  const [found] = await session.fieldsOf([5]);
  expect(found?.fields.buffer.byteLength).toBe(16 * 1024);
});
