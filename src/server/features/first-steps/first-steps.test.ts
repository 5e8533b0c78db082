import { beforeEach, expect, test } from 'vitest';
import { openSession } from '#server/features/auth/session.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, LEGAL_PROFILE } from '#test/prospects.ts';
import { type SenderScene, senderScene } from '#test/senders.ts';

let database: TestDatabase;
let scene: SenderScene;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
});

const read = async (client: Client = scene.client) =>
  (await client.get('/first_steps')).body as { dismissed: 0 | 1; steps: object };
const NONE = {
  sender_confirmed: 0,
  legal_profile_ready: 0,
  companies_imported: 0,
  template_edited: 0,
  test_sent: 0,
  mail_sent: 0,
};

test('each step follows from a fact of the account', async () => {
  const { tenant, templateId } = scene;
  // Another account has done everything.
  const stranger = await scene.addStranger();
  const [theirs = 0] = await addProspects(database.db, stranger.accountId, [{}]);
  await addDelivery(database.db, stranger, theirs, { state: 'sent' });
  await database.db.deleteFrom('confirmed_address').where('account_id', '=', tenant.accountId).execute();
  await database.db.deleteFrom('legal_profile').where('account_id', '=', tenant.accountId).execute();
  await scene.client.post('/prospect/samples', {});
  const sender = { id: tenant.senderId, email: 'sender@example.com', template_id: templateId, is_asked: 0 };
  expect(await read()).toStrictEqual({
    dismissed: 0,
    sample_companies: 10,
    is_empty: 0,
    steps: NONE,
    companies: 0,
    sender,
  });
  await scene.client.post('/prospect/samples/remove', {});

  const [id = 0] = await addProspects(database.db, tenant.accountId, [{}]);
  expect(await read()).toMatchObject({ steps: { ...NONE, companies_imported: 1 }, companies: 1 });

  const { body } = await scene.client.get(`/mail_template/${templateId}`);
  const { version, senders } = body as { version: string; senders: { id: number }[] };
  const texts = { name: '名前', text_body: '本文', html_body: '<p>本文</p>' };
  const update_info = { ...texts, senders: senders.map((sender) => ({ id: sender.id, subject: '件名' })) };
  await scene.client.put(`/mail_template/${templateId}`, { version, update_info });
  expect((await read()).steps).toStrictEqual({ ...NONE, companies_imported: 1, template_edited: 1 });

  const deliver = async (mail: { state: string; test?: boolean }) => {
    await addDelivery(database.db, tenant, id, mail);
    await database.db.updateTable('delivery').set({ finished_at: new Date() }).execute();
  };
  await deliver({ state: 'sent', test: true });
  expect((await read()).steps).toMatchObject({ test_sent: 1, mail_sent: 0 });

  await deliver({ state: 'failed' });
  expect((await read()).steps).toMatchObject({ mail_sent: 0 });
  await deliver({ state: 'sent' });
  expect((await read()).steps).toMatchObject({ mail_sent: 1, sender_confirmed: 0 });

  const added = await scene.addSender({ email: 'new@example.jp' });
  const key = await scene.secretFor((added.body as { id: number }).id, 'new@example.jp');
  await scene.confirm(key);
  expect((await read()).steps).toMatchObject({ sender_confirmed: 1, legal_profile_ready: 0 });

  await scene.client.put(`/legal_profile/${tenant.senderGroupId}`, { update_info: { ...LEGAL_PROFILE, confirmed: 1 } });
  expect((await read()).steps).toMatchObject({ legal_profile_ready: 1 });
});

test('a test mail of a template is a test, without a run', async () => {
  const { accountId: account_id, memberId: member_id } = scene.tenant;
  const event = { account_id, member_id, kind: 'template_test_sent', detail: '{}' };
  await database.db.insertInto('audit_event').values(event).execute();
  expect((await read()).steps).toMatchObject({ test_sent: 1 });
});

test('the first sender waits for its link while one is valid', async () => {
  await database.db.deleteFrom('confirmed_address').execute();
  await scene.client.post(`/sender/${scene.tenant.senderId}/confirmation`, {});
  expect(await read()).toMatchObject({ sender: { is_asked: 1 } });
  scene.now += 24 * 60 * 60 * 1000;
  const token = await openSession(database.login, scene.tenant, scene.now);
  expect(await read(clientAt(scene.api, `Bearer ${token}`))).toMatchObject({ sender: { is_asked: 0 } });
});

test('a member hides the bar only for himself, and shows it again', async () => {
  const { accountId } = scene.tenant;
  const memberId = await addMember(database.db, accountId);
  const token = await openSession(database.login, { accountId, memberId }, scene.now);
  const colleague = clientAt(scene.api, `Bearer ${token}`);
  const put = (dismissed: 0 | 1) => scene.client.put('/first_steps', { update_info: { dismissed } });
  expect(await put(1)).toStrictEqual({ status: 200, body: { status: 'updated' } });
  await put(1);
  const steps = { ...NONE, sender_confirmed: 1, legal_profile_ready: 1 };
  expect(await read()).toMatchObject({ dismissed: 1, steps: NONE, companies: 0, sender: null });
  expect(await read(colleague)).toMatchObject({ dismissed: 0, steps });
  await put(0);
  expect(await read()).toMatchObject({ dismissed: 0, steps });
  const { rows } = await database.pool.query(
    `SELECT detail FROM audit_event WHERE kind = 'first_steps_dismissed' ORDER BY id`,
  );
  expect(rows).toStrictEqual([{ detail: { dismissed: true } }, { detail: { dismissed: false } }]);
});

test('an account is empty until its first company, sample or not, and not again by archiving', async () => {
  const stranger = await scene.addStranger();
  await addProspects(database.db, stranger.accountId, [{}]);
  expect(await read()).toMatchObject({ is_empty: 1 });
  await scene.client.put('/first_steps', { update_info: { dismissed: 1 } });
  expect(await read()).toMatchObject({ dismissed: 1, is_empty: 1 });
  await scene.client.put('/first_steps', { update_info: { dismissed: 0 } });

  await scene.client.post('/prospect/samples', {});
  expect(await read()).toMatchObject({ is_empty: 0, companies: 0 });
  await scene.client.post('/prospect/samples/remove', {});
  expect(await read()).toMatchObject({ is_empty: 1 });

  await addProspects(database.db, scene.tenant.accountId, [{}]);
  await database.db.updateTable('prospect').set({ archived_at: new Date() }).execute();
  expect(await read()).toMatchObject({ is_empty: 0, companies: 0 });
});

test('where a catcher keeps all other mails, the sender is done with a mailbox alone', async () => {
  const { tenant } = scene;
  const client = await clientOf({ ...database, domains: { leavesMachine: false } }, tenant.accountId);
  const isDone = async (by: Client) => ((await read(by)).steps as { sender_confirmed: number }).sender_confirmed;
  expect([await isDone(client), await isDone(scene.client)]).toStrictEqual([0, 1]);
  // The demo may have no mailbox.
  const demo = { account_id: tenant.accountId, kind: 'demo_created', detail: '{}' };
  await database.db.insertInto('audit_event').values(demo).execute();
  expect(await isDone(client)).toBe(1);
  await database.db.deleteFrom('audit_event').where('kind', '=', 'demo_created').execute();

  const mailbox_id = await addTestMailbox(database.db, tenant.accountId, { address: 'sender@example.com' });
  await database.db.updateTable('sender_profile').set({ mailbox_id }).execute();
  await database.db.deleteFrom('confirmed_address').execute();
  expect([await isDone(client), await isDone(scene.client)]).toStrictEqual([1, 1]);
  await database.db.updateTable('mailbox').set({ state: 'unchecked' }).execute();
  expect([await isDone(client), await isDone(scene.client)]).toStrictEqual([0, 0]);
});
