import PostalMime, { type Email } from 'postal-mime';
import { openSessionOf, updateMember } from './accounts.ts';
import { type Answer, type Client, clientAt, serveApp } from './client.ts';
import type { TestDatabase } from './db.ts';
import { addProspects, addTenant, type Tenant } from './prospects.ts';
import { testSink } from './sending.ts';
import type { SmtpSink } from './smtp-sink.ts';
import { testMailer } from './system-mail.ts';

export interface SenderScene {
  readonly tenant: Tenant;
  readonly templateId: number;
  readonly client: Client;
  /** Receives the system mails. */
  readonly sink: SmtpSink;
  /** The address of the API. */
  readonly api: string;
  /** Epoch milliseconds; a test advances it. */
  now: number;
  /** Adds a sender with valid fields, or those given. */
  addSender(fields?: object): Promise<Answer>;
  /** Changes a sender in its current version. */
  change(id: number, update_info: object): Promise<Answer>;
  /** Requests a confirmation mail, and returns its secret. */
  secretFor(id: number, address: string): Promise<string>;
  /** Confirms as a visitor, or with an Authorization header. */
  confirm(key: string, authorization?: string): Promise<Answer>;
  mailsTo(address: string): Promise<Email[]>;
  /** Adds another account. @returns it with its Authorization header */
  addStranger(): Promise<Tenant & { readonly authorization: string }>;
}

/** Serves an account with one confirmed sender, for one test. */
export async function senderScene(database: TestDatabase): Promise<SenderScene> {
  const sink = await testSink();
  const tenant = await addTenant(database.db);
  await updateMember(database.db, tenant.accountId, { email: `taro${tenant.accountId}@example.jp`, name: '山田 太郎' });
  const { template_id: templateId } = await database.db
    .selectFrom('sender')
    .select('template_id')
    .where('id', '=', tenant.senderId)
    .executeTakeFirstOrThrow();
  const scene = { tenant, templateId, sink, now: Date.UTC(2026, 10, 24, 3) };
  const { address: api } = await serveApp({ ...database, mailer: testMailer(sink) }, () => scene.now);
  const authorizationOf = async (accountId: number) =>
    `Bearer ${await openSessionOf(database.login, accountId, scene.now)}`;
  const client = clientAt(api, await authorizationOf(tenant.accountId));

  const mailsTo = (address: string) =>
    Promise.all(sink.mails.filter(({ to }) => to.includes(address)).map(({ source }) => PostalMime.parse(source)));

  return Object.assign(scene, {
    client,
    api,
    mailsTo,
    addSender: (fields: object = {}) => client.post('/sender', { add_info: { ...newSender(scene), ...fields } }),
    change: async (id: number, update_info: object) => {
      const { body } = await client.get(`/sender/${id}`);
      return client.put(`/sender/${id}`, { version: (body as { version: string }).version, update_info });
    },
    secretFor: async (id: number, address: string) => {
      await client.post(`/sender/${id}/confirmation`, {});
      return senderSecretIn((await mailsTo(address)).at(-1));
    },
    confirm: async (key: string, authorization?: string) => {
      const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
      const body = JSON.stringify({ key });
      const response = await fetch(`${api}/sender_confirmation`, { method: 'POST', headers, body });
      return { status: response.status, body: await response.json() };
    },
    addStranger: async () => {
      const stranger = await addTenant(database.db);
      return { ...stranger, authorization: await authorizationOf(stranger.accountId) };
    },
  });
}

/** The fields of a new sender. */
export const newSender = ({ tenant, templateId }: Pick<SenderScene, 'tenant' | 'templateId'>) => ({
  sender_group_id: tenant.senderGroupId,
  template_id: templateId,
  person_in_charge: '佐藤 花',
  email: 'hana@example.jp',
  subject: 'ご提案',
});

/** Returns the last part of the link in a confirmation mail. */
export const senderSecretIn = (mail: Email | undefined): string =>
  /^https:\/\/kaitaku\.example\.jp\/sender-confirmation\/([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? '';

/** Returns the body of a send to one new company. */
export async function sendOrder(database: TestDatabase, { accountId }: Tenant, test_send_mode: 0 | 1) {
  const [prospect_id] = await addProspects(database.db, accountId, [
    { company_name: '株式会社花', company_email: `info${crypto.randomUUID()}@hana.example` },
  ]);
  return { test_send_mode, attack_list: [{ prospect_id, company_email: 'test@example.com' }], days_from_lastday: 7 };
}
