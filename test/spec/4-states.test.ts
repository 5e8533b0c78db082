import { beforeAll, describe, expect, test } from 'vitest';
import { nextCandidate } from '#domain/sending/candidate-dates.ts';
import { defaultSendAt } from '#domain/sending/reservation-window.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import type { SystemMail } from '#server/platform/mail/system-mail.ts';
import { type Client, clientAt, PUBLIC_URL, serve } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { addProspects, completeLegalProfiles } from '#test/prospects.ts';
import { NOW, reservationBody, SEND_AT } from '#test/reservations.ts';
import { companies, listPath, openScene, type Scene, targets } from './scene.ts';

/** Section 4: the server's states and transitions, each tested by the client's calls for it. */

const PERSON = { email: 'taro@example.com', name: '太郎', company: '会社', password: '正しい馬 電池 ホチキス' };

interface LoggedIn {
  readonly token: string;
  readonly account_id: number;
}

const logIn = (api: string, email: string, password = PERSON.password) =>
  clientAt(api, '').post('/auth/login', { email, password });

type Row = Record<string, unknown> & { readonly id: number };
const rowsOf = async (client: Client, path: string) => {
  const { status, body } = await client.get(path);
  expect(status).toBe(200);
  return body as Row[];
};

describe('login', () => {
  let api: string;
  let loggedIn: LoggedIn;
  let prospectIds: number[];

  beforeAll(async () => {
    const database = await emptyDatabase();
    const accountId = (await createAccount(database.db, PERSON)) as number;
    await confirmAddress(database.db, accountId, PERSON.email);
    await completeLegalProfiles(database.db, accountId);
    prospectIds = await addProspects(database.db, accountId, companies(2));
    api = await serve(database, () => NOW);
    loggedIn = (await logIn(api, PERSON.email)).body as LoggedIn;
  });

  test('§4.3 status 200 gives a token and the account_id; any other status gives a message', async () => {
    expect(loggedIn).toMatchObject({ token: expect.any(String), account_id: expect.any(Number) });
    expect(await logIn(api, PERSON.email, 'wrong')).toMatchObject({
      status: 401,
      body: { message: 'メールアドレスまたはパスワードが違います' },
    });
  });

  test('§4.5 after login: each call works with the ids that the calls before it answered', async () => {
    const client = clientAt(api, `Bearer ${loggedIn.token}`);
    expect((await rowsOf(client, '/prospect/list')).map(({ id }) => id)).toStrictEqual(prospectIds);
    const account = await client.get(`/account/${loggedIn.account_id}`);
    expect(account).toMatchObject({ status: 200, body: { id: loggedIn.account_id, email: PERSON.email } });

    const [group] = await rowsOf(client, listPath('/sender_group/list', { account_id: loggedIn.account_id }));
    const sender_group_id = group?.id ?? 0;
    const ofGroup = { sender_group_id };
    const [prospect_id = 0, reserved = 0] = prospectIds;
    const inactive = { prospect_id, sender_group_id, active: 0 };
    await client.post('/active_prospect/', { add_info: inactive, duplicate_key_update_info: { active: 0 } });
    await client.post('/send_log', { ...ofGroup, attack_list: [prospect_id], sent_at: '2026/11/01 10:00:00' });
    expect(await rowsOf(client, listPath('/active_prospect/list', ofGroup))).toMatchObject([inactive]);
    expect(await rowsOf(client, listPath('/send_log/list', { ...ofGroup, test_send_mode: 0 }))).toMatchObject([
      { ...ofGroup, attack_list: [prospect_id] },
    ]);

    const [sender] = await rowsOf(client, listPath('/sender/list', { ...ofGroup, active: 1 }));
    const sender_id = sender?.id ?? 0;
    const asked = reservationBody({ sender_id, attack_list: targets([reserved]) });
    expect(await client.post('/reservation', asked)).toMatchObject({ status: 200 });
    const pending = { sender_id, send_at: { gt: formatSecond(NOW) }, is_sent: 0, test_send_mode: 0, active: 1 };
    expect(await rowsOf(client, listPath('/reservation/list', pending))).toMatchObject([
      { sender_id, send_at: SEND_AT, attack_list: [{ prospect_id: reserved }] },
    ]);
  });

  test('§4.1 logging out releases the session: its token is invalid', async () => {
    const { body } = await logIn(api, PERSON.email);
    const client = clientAt(api, `Bearer ${(body as LoggedIn).token}`);
    expect((await client.get('/prospect/list')).status).toBe(200);
    expect((await client.post('/auth/logout', {})).status).toBe(200);
    expect((await client.get('/prospect/list')).status).toBe(401);
  });
});

test('§4.7 the active flag of a prospect is toggled off and on again', async () => {
  const { client, tenant, ids } = await openScene();
  const key = { prospect_id: ids[0], sender_group_id: tenant.senderGroupId };
  const toggle = (active: 0 | 1) =>
    client.post('/active_prospect/', { add_info: { ...key, active }, duplicate_key_update_info: { active } });
  const shown = async () => (await rowsOf(client, listPath('/active_prospect/list', key))).map(({ active }) => active);
  expect((await toggle(0)).body).toMatchObject({ status: 'added' });
  expect(await shown()).toStrictEqual([0]);
  expect((await toggle(1)).body).toMatchObject({ status: 'updated' });
  expect(await shown()).toStrictEqual([1]);
});

describe('reservations', () => {
  const reserve = ({ client, tenant }: Scene, ids: readonly number[], send_at = SEND_AT) =>
    client.post('/reservation', reservationBody({ sender_id: tenant.senderId, attack_list: targets(ids), send_at }));
  const listed = ({ client, tenant }: Scene, where: object = {}) =>
    rowsOf(client, listPath('/reservation/list', { sender_id: tenant.senderId, ...where }));

  test('§4.10 the default reservation time is one hour ahead, on the hour, and is accepted', async () => {
    const sendAt = formatSecond(defaultSendAt(NOW));
    expect([formatSecond(NOW), sendAt]).toStrictEqual(['2026/11/18 12:34:56', '2026/11/18 13:00:00']);
    const scene = await openScene();
    expect((await reserve(scene, scene.ids, sendAt)).body).toMatchObject({ status: 'added' });
  });

  test('§4.13 a new reservation has is_sent 0, which is pending; a sent one is not', async () => {
    const scene = await openScene();
    await reserve(scene, scene.ids);
    expect(await listed(scene, { is_sent: 0 })).toMatchObject([{ is_sent: 0, active: 1 }]);
    await scene.database.db.updateTable('reservation').set({ is_sent: true }).execute();
    expect(await listed(scene, { is_sent: 0 })).toStrictEqual([]);
    expect(await listed(scene, { is_sent: 1 })).toMatchObject([{ is_sent: 1 }]);
  });

  test('§4.14 a reservation is deleted by setting active to 0, and its companies are free again', async () => {
    const scene = await openScene();
    const { id } = (await reserve(scene, scene.ids)).body as { id: number };
    const deleted = await scene.client.put(`/reservation/${id}`, { update_info: { active: 0 } });
    expect(deleted).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(await listed(scene, { active: 1 })).toStrictEqual([]);
    expect(await listed(scene, { active: 0 })).toMatchObject([{ id, active: 0 }]);
    expect((await reserve(scene, scene.ids, '2026/11/24 09:00:00')).body).toMatchObject({ status: 'added' });
  });

  test('§4.15, 4.16 no-added: nothing was added; updated: the existing reservation was changed, as the lists then show', async () => {
    const scene = await openScene();
    const [one = 0, two = 0] = scene.ids;
    const { id } = (await reserve(scene, [one])).body as { id: number };
    expect((await reserve(scene, [one])).body).toMatchObject({ status: 'no-added', id });
    expect(await listed(scene)).toMatchObject([{ id, attack_list: [{ prospect_id: one }] }]);
    expect((await reserve(scene, [one, two])).body).toMatchObject({ status: 'updated', id });
    expect(await listed(scene)).toMatchObject([{ id, attack_list: [{ prospect_id: one }, { prospect_id: two }] }]);
  });
});

test('§4.12 a candidate row that is added is on the day after the previous row', () => {
  const first = nextCandidate([], NOW);
  const second = nextCandidate([first], NOW);
  expect([first.date, second.date]).toStrictEqual(['2026-11-19', '2026-11-20']);
});

test('§4.16, 4.17 an account field is saved, and the account shows it', async () => {
  const { client, tenant } = await openScene();
  const path = `/account/${tenant.accountId}`;
  for (const update_info of [{ name: '花子' }, { company: '株式会社ひまわり' }]) {
    const saved = await client.put(path, { update_info });
    expect(saved).toStrictEqual({ status: 200, body: { status: 'updated', id: tenant.accountId } });
    expect((await client.get(path)).body).toMatchObject(update_info);
  }
});

test('§2.29, 4.18 a changed e-mail is pending in email_before_confirmation until its token is confirmed, then moves to email', async () => {
  const database = await emptyDatabase();
  const id = (await createAccount(database.db, PERSON)) as number;
  const mails: SystemMail[] = [];
  const mailer = async (mail: SystemMail) => {
    mails.push(mail);
    return { kind: 'sent', reply: '250 OK' } as const;
  };
  const api = await serve({ ...database, mailer }, () => NOW);
  const { token } = (await logIn(api, PERSON.email)).body as LoggedIn;
  const client = clientAt(api, `Bearer ${token}`);
  const pending = { email_before_confirmation: 'jiro@example.com' };
  const update = (update_info: object) => client.put(`/account/${id}`, { update_info });
  const moved = {
    email: pending.email_before_confirmation,
    email_before_confirmation: '',
    hashed_confirmation_token: '',
  };

  expect((await update(pending)).body).toStrictEqual({ status: 'updated', id });
  expect((await client.get(`/account/${id}`)).body).toMatchObject({ email: PERSON.email, ...pending });
  const { confirmation_token } = (await client.put(`/auth/confirmation_token/${id}`)).body as {
    confirmation_token: string;
  };
  expect((await client.post(`/mail/send/confirmation/${id}`, { ...pending, confirmation_token })).status).toBe(200);
  expect(mails.map(({ to }) => to)).toStrictEqual([pending.email_before_confirmation]);
  expect((await update(moved)).status).toBe(400);

  const mailed = new RegExp(`${PUBLIC_URL}/confirmation/(\\S+)`).exec(mails[0]?.text ?? '')?.[1];
  const confirm = (written = '') =>
    client.post(`/auth/confirmation_token/${id}/confirm`, { confirmation_token: written });
  expect((await confirm(confirmation_token)).status).toBe(400);
  expect((await confirm(mailed)).status).toBe(200);
  expect((await update(moved)).body).toStrictEqual({ status: 'updated', id });

  expect((await client.get(`/account/${id}`)).status).toBe(401);
  expect((await logIn(api, PERSON.email)).status).toBe(401);
  const again = (await logIn(api, moved.email)).body as LoggedIn;
  const { body } = await clientAt(api, `Bearer ${again.token}`).get(`/account/${id}`);
  expect(body).toMatchObject({ email: moved.email, email_before_confirmation: null });
});
