import axios, { type AxiosInstance } from 'axios';
import { beforeAll, describe, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import type { SystemMail } from '#server/platform/mail/system-mail.ts';
import { PUBLIC_URL, serve } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { NOW, reservationBody, SEND_AT } from '#test/reservations.ts';
import { openSessionOf } from '../accounts.ts';
import { SPECIFIED_CALLS } from './calls.ts';
import { COMPANY, openScene, recordSent, type Scene, targets } from './scene.ts';

/**
 * Section 7: every call of its table, written with axios as the table says, and what its answer is used for. In other
 * styles: test/axios.test.ts.
 */

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const axiosAt = (baseURL: string, token?: string): AxiosInstance =>
  axios.create({ baseURL, timeout: 0, validateStatus: () => true, headers: token === undefined ? {} : bearer(token) });

const axiosOf = async ({ database, tenant }: Scene) =>
  axiosAt(await serve(database, () => NOW), await openSessionOf(database.login, tenant.accountId, NOW));

test('§7.1 every call of the table is served under /api/v1, with and without a slash at its end', async () => {
  const { database } = await openScene([]);
  const address = await serve(database);
  expect([API_BASE, SPECIFIED_CALLS.length]).toStrictEqual(['/api/v1', 18]);
  const ask = async (method: string, path: string) => (await fetch(address + path, { method })).status;
  expect(await ask('POST', '/no/such/call')).toBe(404);
  for (const name of SPECIFIED_CALLS) {
    const [method = '', path = ''] = name
      .replaceAll(/\{\w+\}/g, '1')
      .replace(/\/$/, '')
      .split(' ');
    // The call exists, and is refused: without a token, or the login without a body.
    const refused = path === '/auth/login' ? 400 : 401;
    for (const written of [path, `${path}/`]) {
      expect([method, written, await ask(method, written)]).toStrictEqual([method, written, refused]);
    }
  }
});

describe('a person', () => {
  const PERSON = { email: 'taro@example.com', name: '太郎', company: '会社', password: '正しい馬 電池 ホチキス' };
  const mails: SystemMail[] = [];
  let visitor: AxiosInstance;
  let api: AxiosInstance;
  let id: number;

  beforeAll(async () => {
    const database = await emptyDatabase();
    id = (await createAccount(database.db, PERSON)) as number;
    const mailer = async (mail: SystemMail) => {
      mails.push(mail);
      return { kind: 'sent', reply: '250 OK' } as const;
    };
    const address = await serve({ ...database, mailer }, () => NOW);
    visitor = axiosAt(address);
    api = axiosAt(address, await openSessionOf(database.login, id, NOW));
  });

  test('§7.2 POST /auth/login: email, password; answers token, account_id, else a message', async () => {
    const { email, password } = PERSON;
    const { status, data } = await visitor.post('/auth/login', { email, password });
    expect([status, data]).toMatchObject([200, { token: expect.any(String), account_id: id }]);
    const account = await visitor.get(`/account/${id}`, { headers: bearer(data.token) });
    expect(account.status).toBe(200);
    const wrong = await visitor.post('/auth/login', { email, password: 'wrong' });
    expect([wrong.status, wrong.data.message]).toStrictEqual([401, 'メールアドレスまたはパスワードが違います']);
  });

  test('§7.3 GET /account/{id}: the account', async () => {
    const { status, data } = await api.get(`/account/${id}`);
    expect([status, data]).toMatchObject([200, { id, email: PERSON.email, name: '太郎', company: '会社' }]);
  });

  test('§7.4 PUT /account/{id}: update_info with one changed field; answers status updated and id', async () => {
    for (const update_info of [
      { name: '花子' },
      { company: '新会社' },
      { email_before_confirmation: 'n@example.jp' },
    ]) {
      const { status, data } = await api.put(`/account/${id}`, { update_info });
      expect([status, data]).toStrictEqual([200, { status: 'updated', id }]);
      expect((await api.get(`/account/${id}`)).data).toMatchObject(update_info);
    }
  });

  test('§7.5 PUT /auth/password/{account_id}: current_password, new_password', async () => {
    const next = '次の次の馬 電池 ホチキス';
    const change = (current_password: string, new_password: string) =>
      api.put(`/auth/password/${id}`, { current_password, new_password });
    expect(await change(PERSON.password, next)).toMatchObject({ status: 200, data: { status: 'updated' } });
    expect((await visitor.post('/auth/login', { email: PERSON.email, password: next })).status).toBe(200);
    expect((await change(next, PERSON.password)).status).toBe(200);
  });

  test('§7.6, 7.7, 7.8 PUT /auth/confirmation_token/{account id}, POST /mail/send/confirmation/{account id} and the confirm', async () => {
    const email_before_confirmation = 'jiro@example.com';
    await api.put(`/account/${id}`, { update_info: { email_before_confirmation } });
    // Without a payload, in each way that axios has.
    for (const nothing of [undefined, null, {}]) {
      const issued = await api.put(`/auth/confirmation_token/${id}`, nothing);
      expect([nothing, issued.status]).toStrictEqual([nothing, 200]);
    }
    const { confirmation_token } = (await api.put(`/auth/confirmation_token/${id}`)).data;
    const sent = await api.post(`/mail/send/confirmation/${id}`, { email_before_confirmation, confirmation_token });
    expect([sent.status, sent.data]).toStrictEqual([200, { status: 'sent' }]);
    const mailed = mails.filter(({ to }) => to === email_before_confirmation).map(({ text }) => text);
    const secret = new RegExp(`${PUBLIC_URL}/confirmation/(\\S+)`).exec(mailed.join())?.[1];
    const confirm = (token: unknown) =>
      api.post(`auth/confirmation_token/${id}/confirm`, { confirmation_token: token });
    expect((await confirm(confirmation_token)).status).toBe(400);
    expect((await confirm(secret)).status).toBe(200);
  });
});

/** Requests a list in both forms, brackets and JSON, and expects the same rows. */
async function list(api: AxiosInstance, path: string, where_info: object | undefined, columns: readonly string[]) {
  const bracketed = await api.get(path, { params: { where_info, columns } });
  const json = (value: object | undefined) => value && JSON.stringify(value);
  const asJson = await api.get(path, { params: { where_info: json(where_info), columns: json(columns) } });
  expect([bracketed.status, bracketed.data]).toStrictEqual([200, asJson.data]);
  return bracketed.data as unknown;
}

describe('lists', () => {
  test('§7.9 GET /sender_group/list: where_info (account_id), columns', async () => {
    const scene = await openScene();
    const { accountId: account_id, senderGroupId: id } = scene.tenant;
    const rows = await list(await axiosOf(scene), '/sender_group/list', { account_id }, ['id', 'group_name']);
    expect(rows).toStrictEqual([{ id, group_name: 'グループ' }]);
  });

  test('§7.10 GET /sender/list: where_info (sender_group_id, active 1), columns', async () => {
    const scene = await openScene();
    const { senderGroupId: sender_group_id, senderId: id } = scene.tenant;
    const api = await axiosOf(scene);
    const ask = (active: 0 | 1) => list(api, '/sender/list', { sender_group_id, active }, ['id', 'subject']);
    expect([await ask(1), await ask(0)]).toStrictEqual([[{ id, subject: '件名' }], []]);
  });

  test('§7.11 GET /active_prospect/list: where_info (sender_group_id), columns', async () => {
    const scene = await openScene();
    const key = { prospect_id: scene.ids[0], sender_group_id: scene.tenant.senderGroupId };
    const api = await axiosOf(scene);
    await api.post('/active_prospect/', { add_info: { ...key, active: 0 }, duplicate_key_update_info: { active: 0 } });
    const where = { sender_group_id: key.sender_group_id };
    expect(await list(api, '/active_prospect/list', where, ['prospect_id', 'active'])).toStrictEqual([
      { prospect_id: key.prospect_id, active: 0 },
    ]);
  });

  test('§7.12 GET /send_log/list: where_info (sender_group_id, test_send_mode 0), columns attack_list and sent_at', async () => {
    const scene = await openScene();
    await recordSent(scene, scene.ids, '2026/11/01 10:00:00');
    const where = { sender_group_id: scene.tenant.senderGroupId, test_send_mode: 0 };
    expect(await list(await axiosOf(scene), '/send_log/list', where, ['attack_list', 'sent_at'])).toStrictEqual([
      { attack_list: scene.ids, sent_at: '2026/11/01 10:00:00' },
    ]);
  });

  test('§7.13 GET /reservation/list: where_info (sender_id, send_at later than now, is_sent 0, test_send_mode 0, active 1), columns', async () => {
    const scene = await openScene([COMPANY]);
    const { senderId: sender_id } = scene.tenant;
    const api = await axiosOf(scene);
    const made = await api.post('/reservation', reservationBody({ sender_id, attack_list: targets(scene.ids) }));
    const ask = (later: number) => {
      const flags = { is_sent: 0, test_send_mode: 0, active: 1 };
      const where = { sender_id, send_at: { gt: formatSecond(later) }, ...flags };
      return list(api, '/reservation/list', where, ['id', 'attack_list', 'send_at']);
    };
    expect(await ask(NOW)).toMatchObject([
      { id: made.data.id, attack_list: [{ prospect_id: scene.ids[0] }], send_at: SEND_AT },
    ]);
    expect(await ask(Date.parse('2026-11-20T09:00:00+09:00'))).toStrictEqual([]);
  });

  test('§7.15 GET /prospect/list: the columns of a prospect', async () => {
    const scene = await openScene([COMPANY]);
    const columns = ['id', ...Object.keys(COMPANY)];
    const rows = await list(await axiosOf(scene), '/prospect/list', undefined, columns);
    expect(rows).toStrictEqual([{ id: scene.ids[0], ...COMPANY }]);
  });
});

describe('changes', () => {
  test('§7.14 PUT /reservation/{reservation_id}: update_info (active 0 to delete); answers a status', async () => {
    const scene = await openScene();
    const api = await axiosOf(scene);
    const asked = reservationBody({ sender_id: scene.tenant.senderId, attack_list: targets(scene.ids) });
    const { id } = (await api.post('/reservation', asked)).data;
    const { status, data } = await api.put(`/reservation/${id}`, { update_info: { active: 0 } });
    expect([status, data]).toStrictEqual([200, { status: 'updated' }]);
  });

  test('§7.16 POST /send_log: a body including sender_group_id', async () => {
    const scene = await openScene();
    const body = { sender_group_id: scene.tenant.senderGroupId, attack_list: JSON.stringify(scene.ids) };
    const { status, data } = await (await axiosOf(scene)).post('/send_log', body);
    expect([status, data]).toMatchObject([200, { status: 'added', skipped: [] }]);
  });

  test('§7.17 POST /active_prospect/: add_info (prospect_id, sender_group_id, active 0 or 1), duplicate_key_update_info (active)', async () => {
    const scene = await openScene();
    const api = await axiosOf(scene);
    const key = { prospect_id: scene.ids[0], sender_group_id: scene.tenant.senderGroupId };
    for (const [active, answer] of [
      [0, 'added'],
      [1, 'updated'],
    ] as const) {
      const body = { add_info: { ...key, active }, duplicate_key_update_info: { active } };
      const { status, data } = await api.post('/active_prospect/', body);
      expect([active, status, data]).toMatchObject([active, 200, { status: answer }]);
    }
  });

  test('§7.18 POST /reservation: add_info and duplicate_key_update_info with lists as JSON strings; answers no-added or updated', async () => {
    const scene = await openScene();
    const api = await axiosOf(scene);
    const reserve = async (ids: readonly number[], dates: object[] | null = null) => {
      const datetime_list = dates && JSON.stringify(dates);
      const attack_list = JSON.stringify(targets(ids));
      const { data } = await api.post('/reservation', {
        add_info: {
          sender_id: scene.tenant.senderId,
          send_at: SEND_AT,
          test_send_mode: 0,
          datetime_list,
          attack_list,
          active: 1,
        },
        duplicate_key_update_info: { datetime_list, attack_list, active: 1 },
      });
      return data.status as unknown;
    };
    const dates = [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }];
    expect(await reserve(scene.ids.slice(0, 1))).toBe('added');
    expect(await reserve(scene.ids.slice(0, 1))).toBe('no-added');
    expect(await reserve(scene.ids, dates)).toBe('updated');
  });

  test('§7.19 POST /mail/send/{sender_id}: test_send_mode, attack_list, datetime_list; answers a status', async () => {
    const scene = await openScene();
    const body = { test_send_mode: 0, attack_list: JSON.stringify(targets(scene.ids)), datetime_list: null };
    const { status, data } = await (await axiosOf(scene)).post(`/mail/send/${scene.tenant.senderId}`, body);
    expect([status, data]).toMatchObject([200, { status: 'accepted', accepted: 3, skipped: [] }]);
  });
});

test('§7.20 date format: YYYY/MM/DD HH:mm for display, YYYY/MM/DD HH:mm:ss for queries', async () => {
  const scene = await openScene();
  await recordSent(scene, scene.ids, '2026/11/01 10:00:30');
  const api = await axiosOf(scene);
  const params = { sender_group_id: scene.tenant.senderGroupId };
  expect((await api.get('/prospect/view', { params })).data.rows[0]).toMatchObject({ sent_at: '2026/11/01 10:00' });
  const at = (sent_at: string) => list(api, '/send_log/list', { sent_at }, ['sent_at']);
  expect(await at('2026/11/01 10:00:30')).toStrictEqual([{ sent_at: '2026/11/01 10:00:30' }]);
  expect(await at('2026/11/01 10:00:31')).toStrictEqual([]);
});
