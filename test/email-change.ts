import PostalMime, { type Email } from 'postal-mime';
import { openSessionOf, updateMember } from './accounts.ts';
import { type Answer, type Client, clientAt, serveApp } from './client.ts';
import type { TestDatabase } from './db.ts';
import { addTenant } from './prospects.ts';
import { testSink } from './sending.ts';
import type { SmtpSink } from './smtp-sink.ts';
import { testMailer } from './system-mail.ts';

/** A member who changes the address: each method is one call, as in the web client. */
export interface Mover {
  readonly id: number;
  /** The current address. */
  readonly email: string;
  readonly client: Client;
  setPending(address: string): Promise<Answer>;
  ticket(): Promise<string>;
  send(address: string, ticket: string): Promise<Answer>;
  /** Requests a ticket and a mail, and returns the secret in the received mail. */
  secretFor(address: string): Promise<string>;
  confirm(secret: string): Promise<Answer>;
  /** Makes the last call: the confirmed address becomes the member's. */
  move(address: string): Promise<Answer>;
}

export const SENT = { status: 200, body: { status: 'sent' } };
export const CONFIRMED = { status: 200, body: { status: 'confirmed' } };

export interface EmailChangeScene {
  readonly sink: SmtpSink;
  /** A member, and an unused address; both are new in each scene. */
  readonly mover: Mover;
  readonly target: string;
  /** Epoch milliseconds; a test advances it. */
  now: number;
  addMover(email: string): Promise<Mover>;
  /** Returns the mails to an address, oldest first. */
  mailsTo(address: string): Promise<Email[]>;
}

let serial = 0;

/** Creates an application that mails into a sink, with a stopped clock, for one test. */
export async function emailChangeScene(database: TestDatabase): Promise<EmailChangeScene> {
  serial += 1;
  const sink = await testSink();
  const scene = { sink, target: `new${serial}@example.jp`, now: Date.UTC(2026, 10, 21) };
  const clock = () => scene.now;
  const { address: api } = await serveApp({ ...database, mailer: testMailer(sink) }, clock);

  const mailsTo = (address: string) =>
    Promise.all(sink.mails.filter(({ to }) => to.includes(address)).map(({ source }) => PostalMime.parse(source)));

  const addMover = async (email: string): Promise<Mover> => {
    const { accountId: id } = await addTenant(database.db);
    await updateMember(database.db, id, { email });
    const client = clientAt(api, `Bearer ${await openSessionOf(database.login, id, scene.now)}`);
    const mover: Mover = {
      id,
      email,
      client,
      setPending: (address) => client.put(`/account/${id}`, { update_info: { email_before_confirmation: address } }),
      ticket: async () => {
        const { body } = await client.put(`/auth/confirmation_token/${id}`);
        return (body as { confirmation_token: string }).confirmation_token;
      },
      send: (address, ticket) =>
        client.post(`/mail/send/confirmation/${id}`, {
          email_before_confirmation: address,
          confirmation_token: ticket,
        }),
      secretFor: async (address) => {
        await mover.send(address, await mover.ticket());
        return secretIn((await mailsTo(address)).at(-1));
      },
      confirm: (secret) => client.post(`/auth/confirmation_token/${id}/confirm`, { confirmation_token: secret }),
      move: (address) =>
        client.put(`/account/${id}`, {
          update_info: { email: address, email_before_confirmation: '', hashed_confirmation_token: '' },
        }),
    };
    return mover;
  };
  return Object.assign(scene, { mover: await addMover(`old${serial}@example.jp`), addMover, mailsTo });
}

/** Returns the last part of the link in a confirmation mail. */
export const secretIn = (mail: Email | undefined): string =>
  /^https:\/\/kaitaku\.example\.jp\/confirmation\/([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? '';
