import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { faultsOf, type Personalization, type SentMail } from './sendgrid-rules.ts';

/** An answer other than the ordinary one, or a fault of the connection. */
export type SendGridFault =
  | { readonly status: number; readonly errors?: readonly object[]; readonly headers?: Record<string, string> }
  /**
   * The server reads the whole request, then closes the connection or does not answer; it may have accepted the
   * request.
   */
  | 'close'
  | 'silence'
  | 'take, close'
  | 'take, silence';

export interface SendGridEvent {
  readonly event: string;
  readonly email: string;
  readonly [more: string]: unknown;
}

export interface FakeSendGrid {
  readonly url: URL;
  readonly apiKey: string;
  /** The key as SendGrid's settings page shows it: base64 of the DER. */
  readonly verificationKey: string;
  readonly publicKey: KeyObject;
  /** Accepted mails, one for each personalization, and their requests. */
  readonly mails: Personalization[];
  readonly requests: SentMail[];
  /** Called at each request; null: the ordinary answer. */
  fault: (mail: SentMail) => SendGridFault | null;
  /** Returns a request of the Event Webhook. @param at epoch seconds */
  signed(events: readonly SendGridEvent[], at?: number): { body: string; headers: Record<string, string> };
  close(): Promise<void>;
}

/**
 * Starts a SendGrid on loopback, as its public reference describes it.
 * It serves /v3/mail/send with its limits and errors, and signs events.
 */
export async function startSendGrid(): Promise<FakeSendGrid> {
  const apiKey = `SG.${randomUUID()}.canary`;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const say = (status: number, errors: readonly object[], headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
        .end(status === 202 ? '' : JSON.stringify({ errors }));
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      const message = 'The provided authorization grant is invalid, expired, or revoked';
      return void say(401, [{ message, field: null, help: null }]);
    }
    if (request.method !== 'POST' || request.url !== '/v3/mail/send') return void say(404, []);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const mail = JSON.parse(body.toString('utf8')) as SentMail;
    const fault = fake.fault(mail);
    if (fault === 'close') return void request.socket.destroy();
    if (fault === 'silence') return;
    if (typeof fault === 'object' && fault !== null) return void say(fault.status, fault.errors ?? [], fault.headers);
    if (body.length > 30 * 1024 * 1024) return void say(413, [{ message: 'Payload too large', field: null }]);
    const faults = faultsOf(mail);
    if (faults.length > 0) return void say(400, faults);
    fake.requests.push(mail);
    fake.mails.push(...mail.personalizations);
    if (fault === 'take, close') return void request.socket.destroy();
    if (fault === 'take, silence') return;
    say(202, [], { 'x-message-id': `id-${fake.requests.length}` });
  }

  const fake: FakeSendGrid = {
    url: new URL(`http://127.0.0.1:${port}`),
    apiKey,
    publicKey,
    verificationKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    mails: [],
    requests: [],
    fault: () => null,
    signed(events, at = Math.floor(Date.now() / 1000)) {
      // In SendGrid's own format: one event per line.
      const body = `[${events.map((event) => JSON.stringify(event)).join(',\r\n')}]\r\n`;
      const signature = sign('sha256', Buffer.from(`${at}${body}`), privateKey).toString('base64');
      return {
        body,
        headers: {
          'content-type': 'application/json',
          'x-twilio-email-event-webhook-signature': signature,
          'x-twilio-email-event-webhook-timestamp': String(at),
        },
      };
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return fake;
}

/** Returns an event about an accepted mail, with that mail's custom arguments as its own fields. */
export const eventOf = (
  { to, custom_args }: Personalization,
  event: string,
  more: Record<string, unknown> = {},
): SendGridEvent => ({
  email: to[0]?.email ?? '',
  timestamp: Math.floor(Date.now() / 1000),
  'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
  event,
  sg_event_id: randomUUID(),
  sg_message_id: `${randomUUID()}.filter0001.16648.5515E0B88.0`,
  ...custom_args,
  ...more,
});

/** Starts a SendGrid that closes with the test. */
export async function testSendGrid(): Promise<FakeSendGrid> {
  const fake = await startSendGrid();
  onTestFinished(() => fake.close());
  return fake;
}
