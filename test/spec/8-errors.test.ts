import { describe, expect, test } from 'vitest';
import { createAccount } from '#server/features/account/account.command.ts';
import { clientAt, clientOf, serve } from '#test/client.ts';
import { emptyDatabase } from '#test/db.ts';
import { reservationBody } from '#test/reservations.ts';
import { openScene, targets } from './scene.ts';

/**
 * Section 8: users read the server's messages, so they are Japanese and, if the specification fixes them, exactly
 * these.
 */

const PASSWORD = '正しい馬 電池 ホチキス';
const NEXT = '次の次の馬 電池 ホチキス';

async function person() {
  const database = await emptyDatabase();
  const account = { email: 'taro@example.com', name: '太郎', company: '会社', password: PASSWORD };
  const id = (await createAccount(database.db, account)) as number;
  return { database, id };
}

test('§8.8 login status not 200: a message for the user', async () => {
  const { database } = await person();
  const visitor = clientAt(await serve(database), '');
  expect(await visitor.post('/auth/login', { email: 'taro@example.com', password: 'wrong' })).toMatchObject({
    status: 401,
    body: { message: 'メールアドレスまたはパスワードが違います' },
  });
});

test('§8.9 attack list empty: アタックリストが0件です, at a send and at a reservation', async () => {
  const { client, tenant } = await openScene();
  const empty = { status: 400, body: { message: 'アタックリストが0件です' } };
  expect(await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list: '[]' })).toMatchObject(
    empty,
  );
  expect(
    await client.post('/reservation', reservationBody({ sender_id: tenant.senderId, attack_list: [] })),
  ).toMatchObject(empty);
});

test('§8.17 password rules: the two messages of section 5', async () => {
  const { database, id } = await person();
  const client = await clientOf(database, id);
  const message = async (new_password: string, new_password_confirmation: string) => {
    const body = { current_password: PASSWORD, new_password, new_password_confirmation };
    return (await client.put(`/auth/password/${id}`, body)).body;
  };
  expect(await message(PASSWORD, PASSWORD)).toMatchObject({
    message: '現在のパスワードと新規パスワードは違うものにしてください',
  });
  expect(await message(NEXT, `${NEXT}?`)).toMatchObject({ message: '新規パスワードと確認用のパスワードが違います' });
});

test('§2.26, 8.18 confirmation token check not 200: not activated, the URL is incorrect or expired', async () => {
  const { client, tenant } = await openScene();
  const path = `/auth/confirmation_token/${tenant.accountId}/confirm`;
  expect(await client.post(path, { confirmation_token: 'unknown' })).toMatchObject({
    status: 400,
    body: { message: 'メールアドレスを確認できませんでした。URLが正しくないか、有効期限が切れています。' },
  });
});

test('§2.28, 8.19 account update fails on confirmation: a message for the user', async () => {
  const { client, tenant } = await openScene();
  const update_info = { email: 'new@example.com', email_before_confirmation: '', hashed_confirmation_token: '' };
  expect(await client.put(`/account/${tenant.accountId}`, { update_info })).toMatchObject({
    status: 400,
    body: { code: 'not_confirmed', message: expect.stringMatching(/^メールアドレスを変更できませんでした。/) },
  });
});

describe('a reservation', () => {
  test('§8.20 an already reserved company is distinguished from a change: no-added and updated', async () => {
    const { client, tenant, ids } = await openScene();
    const reserve = async (count: number) => {
      const attack_list = targets(ids.slice(0, count));
      const { status, body } = await client.post(
        '/reservation',
        reservationBody({ sender_id: tenant.senderId, attack_list }),
      );
      return [status, (body as { status: string }).status];
    };
    expect(await reserve(1)).toStrictEqual([200, 'added']);
    expect(await reserve(1)).toStrictEqual([200, 'no-added']);
    expect(await reserve(2)).toStrictEqual([200, 'updated']);
  });
});

test('§8.1 401, 404 and 400 carry a Japanese message and a stable code', async () => {
  const { client, database, tenant } = await openScene();
  const visitor = clientAt(await serve(database), 'Bearer dead');
  const refused = (status: number, code: string) => ({
    status,
    body: { code, message: expect.stringMatching(/[ぁ-ん]/) },
  });
  expect(await visitor.get('/prospect/list')).toMatchObject(refused(401, 'unauthorized'));
  expect(await client.get(`/account/${tenant.accountId + 1}`)).toMatchObject(refused(404, 'not_found'));
  expect(await client.get('/no/such/call')).toMatchObject(refused(404, 'not_found'));
  expect(await client.get('/account/x')).toMatchObject(refused(400, 'invalid_input'));
});
