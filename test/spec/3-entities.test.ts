import { expect, test } from 'vitest';
import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { NOW, reservationBody, SEND_AT } from '#test/reservations.ts';
import { COMPANY, listPath, openScene, recordSent, type Scene, targets } from './scene.ts';

/** Section 3: every entity has its fields, with the specification's names. */

const first = async ({ client }: Scene, path: string) => {
  const { status, body } = await client.get(path);
  expect(status).toBe(200);
  return (body as Record<string, unknown>[])[0];
};

const reserve = ({ client, tenant }: Scene, ids: readonly number[], datetime_list: object[] | null = null) =>
  client.post(
    '/reservation',
    reservationBody({ sender_id: tenant.senderId, attack_list: targets(ids), datetime_list }),
  );

const viewed = async ({ client, tenant }: Scene) => {
  const { body } = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}`);
  return (body as { rows: Record<string, unknown>[] }).rows;
};

test('§3.3, 3.4 account and current user: id, email, name, company, email_before_confirmation, and never a hash', async () => {
  const { client, tenant } = await openScene();
  const { body } = await client.get(`/account/${tenant.accountId}`);
  expect(body).toStrictEqual({
    id: tenant.accountId,
    version: expect.any(String),
    email: expect.stringMatching(/@example\.com$/),
    name: '利用者',
    company: '会社',
    email_before_confirmation: null,
    member: {
      id: expect.any(Number),
      role: 'admin',
      sender_group_ids: null,
      may_export: 1,
      two_factor: 0,
      recovery_codes_left: 0,
      two_factor_required: 0,
    },
  });
});

test('§3.5 sender_group: id, group_name, account_id, active', async () => {
  const scene = await openScene();
  const { accountId: account_id, senderGroupId: id } = scene.tenant;
  const expected = { id, group_name: 'グループ', account_id, active: 1 };
  expect(await first(scene, listPath('/sender_group/list', { account_id }))).toMatchObject(expected);
});

test('§3.6 sender: id, subject, sender_group_id, person_in_charge, email, bcc, template_id, active, and its group', async () => {
  const scene = await openScene();
  const { senderGroupId: sender_group_id, senderId: id } = scene.tenant;
  expect(await first(scene, listPath('/sender/list', { sender_group_id, active: 1 }))).toMatchObject({
    id,
    subject: '件名',
    sender_group_id,
    person_in_charge: '担当',
    email: 'sender@example.com',
    bcc: null,
    template_id: expect.any(Number),
    active: 1,
    group: 'グループ',
  });
});

test('§3.7 prospect: its fourteen fields', async () => {
  const scene = await openScene([COMPANY]);
  expect(await first(scene, '/prospect/list')).toMatchObject({ id: scene.ids[0], ...COMPANY });
  expect(Object.keys({ id: 0, ...COMPANY })).toHaveLength(14);
});

test('§3.8 active_prospect: prospect_id, sender_group_id, active, remarks', async () => {
  const scene = await openScene();
  const row = { prospect_id: scene.ids[0], sender_group_id: scene.tenant.senderGroupId, active: 0, remarks: '休業中' };
  await scene.client.post('/active_prospect/', { add_info: row, duplicate_key_update_info: { active: 0 } });
  const { sender_group_id } = row;
  expect(await first(scene, listPath('/active_prospect/list', { sender_group_id }))).toMatchObject(row);
});

test('§3.9 send_log: sender_group_id, sent_at, attack_list of prospect ids, test_send_mode', async () => {
  const scene = await openScene();
  await recordSent(scene, scene.ids, '2026/11/01 10:00:00');
  const sender_group_id = scene.tenant.senderGroupId;
  const columns = ['sender_group_id', 'sent_at', 'attack_list', 'test_send_mode'];
  const path = listPath('/send_log/list', { sender_group_id, test_send_mode: 0 }, columns);
  expect(await first(scene, path)).toStrictEqual({
    sender_group_id,
    sent_at: '2026/11/01 10:00:00',
    attack_list: scene.ids,
    test_send_mode: 0,
  });
});

test('§3.10 reservation: id, sender_id, attack_list of entries with prospect_id, send_at, is_sent, test_send_mode, active', async () => {
  const scene = await openScene([COMPANY]);
  const { body } = await reserve(scene, scene.ids);
  const sender_id = scene.tenant.senderId;
  const columns = ['id', 'sender_id', 'attack_list', 'send_at', 'is_sent', 'test_send_mode', 'active'];
  expect(await first(scene, listPath('/reservation/list', { sender_id }, columns))).toStrictEqual({
    id: (body as { id: number }).id,
    sender_id,
    attack_list: [expect.objectContaining({ prospect_id: scene.ids[0] })],
    send_at: SEND_AT,
    is_sent: 0,
    test_send_mode: 0,
    active: 1,
  });
});

test('§3.11 derived view: the fields of the prospect, active without an active_prospect row, blank remarks, no times', async () => {
  const scene = await openScene([COMPANY]);
  expect(await viewed(scene)).toMatchObject([
    { id: scene.ids[0], ...COMPANY, active: 1, remarks: '', sent_at: null, send_at: null, reservation_id: null },
  ]);
});

test('§3.12 derived view: sent_at, send_at as YYYY/MM/DD HH:mm, the latest sent time of the send logs, reservation_id', async () => {
  const scene = await openScene([COMPANY]);
  for (const sentAt of ['2026/10/30 23:59:59', '2026/11/01 10:00:30', '2026/10/01 08:00:00']) {
    await recordSent(scene, scene.ids, sentAt);
  }
  const { body } = await reserve(scene, scene.ids);
  expect(await viewed(scene)).toMatchObject([
    { sent_at: '2026/11/01 10:00', send_at: '2026/11/20 09:00', reservation_id: (body as { id: number }).id },
  ]);
});

test('§3.13 attack list item: prospect_id, company_name, company_email, person_in_charge, which is the ceo', async () => {
  const { client, tenant, ids } = await openScene([COMPANY]);
  const { body } = await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}`);
  const { company_name, company_email, ceo: person_in_charge } = COMPANY;
  expect(body).toMatchObject({ rows: [{ prospect_id: ids[0], company_name, company_email, person_in_charge }] });
});

test('§3.14 candidate date entry: date YYYY-MM-DD, start_time 9:00, end_time 18:00, and kept with a reservation', async () => {
  const entry = nextCandidate([], NOW);
  expect(entry).toStrictEqual({ date: '2026-11-19', start_time: '9:00', end_time: '18:00' });
  const scene = await openScene();
  const dates = [nextCandidate([entry, { ...entry, date: '2026-11-20' }], NOW)];
  expect(await reserve(scene, scene.ids, dates)).toMatchObject({ status: 200 });
  const path = listPath('/reservation/list', { sender_id: scene.tenant.senderId }, ['datetime_list']);
  expect(await first(scene, path)).toStrictEqual({ datetime_list: dates });
});
