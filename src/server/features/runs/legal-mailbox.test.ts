import PostalMime from 'postal-mime';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { attackList } from '#test/reservations.ts';
import { composeRunMail, type RunMail, renderMail } from '../mail-content/run-mail.ts';

/** Runs of a program without a public address: a mailbox that is read takes refusals (decisions/mailbox-reading). */

const ADDRESS = 'sender@example.com';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp({ ...database, publicUrl: 'http://127.0.0.1:3000' });
  client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
  ids = await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社花', company_email: 'a@a.example' },
  ]);
  await setPlace('');
});

const setPlace = (refusal_email: string) => database.db.updateTable('legal_profile').set({ refusal_email }).execute();
const setTemplate = (text_body: string, html_body: string) =>
  database.db.updateTable('mail_template').set({ text_body, html_body }).execute();

/** Adds a mailbox that is read, through which the sender's mails leave. */
async function addBox(more: Parameters<typeof addTestMailbox>[2] = {}): Promise<number> {
  const read = { address: ADDRESS, imap_host: 'imap.example.com', reads_replies: true };
  const mailbox_id = await addTestMailbox(database.db, tenant.accountId, { ...read, ...more });
  await database.db.updateTable('sender_profile').set({ mailbox_id }).execute();
  return mailbox_id;
}

const send = (test_send_mode: 0 | 1 = 0) =>
  client.post(`/mail/send/${tenant.senderId}`, {
    test_send_mode,
    attack_list: attackList(ids, 'test@example.com'),
  });
const faults = async () =>
  (
    (await client.get(`/legal_check/${tenant.senderId}`)).body as { faults: { code: string; level: string }[] }
  ).faults.map(({ code, level }) => `${code} ${level}`);
const profile = async () =>
  (
    (await client.get('/legal_profile/list')).body as {
      ready: number;
      refusal_mailbox: string | null;
      faults: object[];
    }[]
  )[0];
const reliedOn = async () =>
  (await database.db.selectFrom('mailbox').select('takes_refusals').execute()).map((row) => row.takes_refusals);

/** Returns the accepted mail as it is sent. */
async function sentMail() {
  const row = await database.db
    .selectFrom('delivery')
    .innerJoin('send_log', 'send_log.id', 'delivery.send_log_id')
    .select(['send_log.mail', 'delivery.mail_key'])
    .executeTakeFirstOrThrow();
  const mail = row.mail as unknown as RunMail;
  const key = row.mail_key.replaceAll('-', '');
  const rendered = renderMail(mail, { company_name: '株式会社花', person_in_charge: '', mail_key: key });
  const own = { to: 'a@a.example', messageId: '<a@b>', date: new Date(0), mailKey: key };
  const { headers } = await PostalMime.parse(composeRunMail(mail, rendered, own));
  const field = (name: string) => headers.find((header) => header.key === name)?.value;
  return { ...rendered, key, field };
}

const ANSWER = 'このメールに「配信停止」と書いて返信していただいても、停止いたします。';

test('L8: the mailbox of the sender is the place of refusals: no fault, its mails name the key', async () => {
  await addBox();
  expect(await faults()).toStrictEqual([]);
  expect(await profile()).toMatchObject({ ready: 1, faults: [], refusal_mailbox: ADDRESS });
  expect(await reliedOn()).toStrictEqual([false]);
  expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
  expect(await reliedOn()).toStrictEqual([true]);
  const { text, html, key, field } = await sentMail();
  const link = `mailto:${ADDRESS}?subject=unsubscribe%20${key}`;
  expect(field('list-unsubscribe')).toBe(`<${link}>`);
  expect(field('list-unsubscribe-post')).toBeUndefined();
  expect(text).toContain(`いたします。\n${ADDRESS}\n${ANSWER}\nこのメールは、貴社が`);
  expect(html).toContain(`<a href="${link}"`);
  expect(html).toContain(`${ANSWER}<br>`);
});

test('answers to a further From may arrive elsewhere: the mailbox is the place, and no answer is promised', async () => {
  await addBox({ address: 'own@example.com', other_from: [ADDRESS] });
  expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
  const { text } = await sentMail();
  expect(text).toContain('own@example.com');
  expect(text).not.toContain(ANSWER);
});

test('a preview shows the same footer', async () => {
  await addBox();
  const asked = { test_send_mode: 0, attack_list: attackList(ids) };
  const { body } = await client.post(`/mail/preview/${tenant.senderId}`, asked);
  expect(JSON.stringify(body)).toContain(ANSWER);
  expect(JSON.stringify(body)).toContain(`subject=unsubscribe%20${'0'.repeat(32)}`);
});

test('a test relies on nothing', async () => {
  await addBox();
  expect(await send(1)).toMatchObject({ status: 200 });
  expect(await reliedOn()).toStrictEqual([false]);
});

describe('L8: there is no place', () => {
  test.each([
    ['that is not read', { reads_replies: false }],
    ['of another address, for a sender of the relay', { address: 'other@example.com' }],
    // A member proves it by servers of his own: his address must not get into colleagues' mails.
    [
      'that may send from the address of a sender of the relay',
      { address: 'other@example.com', other_from: [ADDRESS] },
    ],
  ])('with a mailbox %s', async (_, more) => {
    await addBox(more);
    await database.db.updateTable('sender_profile').set({ mailbox_id: null }).execute();
    expect(await faults()).toStrictEqual(['L8 error', 'L8 warning']);
    expect(await profile()).toMatchObject({ ready: 0, refusal_mailbox: null });
    expect(await send()).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
    expect(await reliedOn()).toStrictEqual([false]);
  });

  test.each(['unchecked', 'reconnect', 'off'])('with a mailbox that is %s', async (state) => {
    await addBox({ state });
    expect(await faults()).toContain('L8 error');
    expect(await profile()).toMatchObject({ ready: 0, refusal_mailbox: null });
  });

  test("with another account's mailbox", async () => {
    const foreign = await addTenant(database.db);
    await addTestMailbox(database.db, foreign.accountId, {
      address: ADDRESS,
      imap_host: 'imap.example.com',
      reads_replies: true,
    });
    expect(await faults()).toStrictEqual(['L8 error', 'L8 warning']);
  });
});

describe('an address for refusals in the profile', () => {
  test('that persons read: a warning, no key, and the line on answers below it', async () => {
    await setPlace('stop@example.com');
    await addBox();
    expect(await faults()).toStrictEqual(['L8 warning']);
    await send();
    const { text, field } = await sentMail();
    expect(field('list-unsubscribe')).toBe('<mailto:stop@example.com?subject=unsubscribe>');
    expect(text).toContain(`stop@example.com\n${ANSWER}`);
    expect(await reliedOn()).toStrictEqual([true]);
  });

  test('that is a mailbox which is read, in other case: no warning, and the key', async () => {
    await setPlace('Sender@Example.com');
    await addBox();
    expect(await faults()).toStrictEqual([]);
    await send();
    const { key, field } = await sentMail();
    expect(field('list-unsubscribe')).toBe(`<mailto:Sender@Example.com?subject=unsubscribe%20${key}>`);
  });
});

test('answers to an address that nobody reads: no line, and the place is not the less', async () => {
  await addBox();
  await database.db.updateTable('sender_profile').set({ reply_to: 'desk@example.com' }).execute();
  await send();
  const { text } = await sentMail();
  expect(text).not.toContain(ANSWER);
  expect(text).toContain(ADDRESS);
});

test('with a public address the link is the place, and no mailbox is relied on', async () => {
  const { address } = await serveApp(database);
  client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
  await addBox();
  expect(await profile()).toMatchObject({ refusal_mailbox: null });
  await send();
  const { text, field } = await sentMail();
  expect(text).not.toContain(ANSWER);
  expect(field('list-unsubscribe')).toMatch(/^<https:/);
  expect(await reliedOn()).toStrictEqual([false]);
});

const PARTS = '{{ legal.official_name }}{{ legal.postal_address }}{{ legal.contact }}';
test.each([
  ['48: the footer within {% if false %}', '{% if false %}{{ legal_footer }}{% endif %}本文', ''],
  ['49: the link in a comment', '本文 {{ legal_footer }}', '<p>本文</p><!-- {{ unsubscribe_url }} -->'],
  ['49: a hidden footer', '本文 {{ legal_footer }}', '<div style="display:none">{{ legal_footer }}</div>'],
  ['50: the notice far away', `配信停止\n${'あ'.repeat(2000)}\n{{ unsubscribe_url }}\n${PARTS}`, ''],
  ["51: another company's name", '株式会社別 配信停止: {{ unsubscribe_url }} {{ legal.postal_address }}', ''],
  [
    '52: the HTML has it, the text lacks it',
    '本文{% if false %}{{ legal_footer }}{% endif %}',
    '<p>{{ legal_footer }}</p>',
  ],
])('lawful %s is refused where a mailbox is the place', async (_, text_body, html_body) => {
  await addBox();
  await setTemplate(text_body, html_body);
  expect(await send()).toMatchObject({ status: 409, body: { code: 'legal_incomplete' } });
});

test.each([
  ['53: no HTML part', '本文', ''],
  [
    'a link of its own',
    `配信停止: {{ unsubscribe_url }} ${PARTS}`,
    `<a href="{{ unsubscribe_url }}">配信停止</a>${PARTS}`,
  ],
])('lawful %s is accepted where a mailbox is the place', async (_, text_body, html_body) => {
  await setPlace('sales+stop@example.com');
  await addBox({ address: 'sales+stop@example.com' });
  await database.db.updateTable('sender_profile').set({ email: 'sales+stop@example.com', mailbox_id: null }).execute();
  await database.db.updateTable('confirmed_address').set({ address_key: 'sales+stop@example.com' }).execute();
  await setTemplate(text_body, html_body);
  expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
});
