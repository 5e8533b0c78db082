import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { notFound, Problem } from '../problem.ts';
import type { AccountDb } from './account-db.ts';
import { type CreateRequest, createOnce } from './create-once.ts';

let database: TestDatabase;
let tenant: Tenant;
let account: AccountDb;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  account = database.account(tenant.accountId, tenant.memberId);
});

const request = (given: Partial<CreateRequest> = {}): CreateRequest => ({
  call: { method: 'POST', path: '/sender_group' },
  key: 'key-of-a-dialog',
  input: { group_name: '営業2課' },
  ...given,
});

/** Creates a sender group. @returns its id */
const create = (given?: Partial<CreateRequest>) =>
  createOnce(account, request(given), (tx) =>
    tx
      .insertInto('sender_group')
      .values({ account_id: account.id, group_name: '営業2課' })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );

const groups = async () =>
  (await database.db.selectFrom('sender_group').select('id').where('group_name', '=', '営業2課').execute()).length;

test('twenty requests with one key at a time create one row, and all get its id', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toStrictEqual({ id: expect.any(Number) });
  expect(await groups()).toBe(1);
});

test('a key with another body, or for another call, is refused and creates nothing', async () => {
  await create();
  for (const other of [{ input: { group_name: '営業3課' } }, { call: { method: 'POST', path: '/sender' } as const }]) {
    expect(await create(other)).toMatchObject({ code: 'idempotency_key_reused' });
  }
  expect(await groups()).toBe(1);
});

test('requests without a key, and of another account, create a row each', async () => {
  await create({ key: undefined });
  await create({ key: undefined });
  await create();
  const { accountId, memberId } = await addTenant(database.db);
  account = database.account(accountId, memberId);
  await create();
  expect(await groups()).toBe(4);
});

test('a refusal or an error leaves the key unused', async () => {
  expect(await createOnce(account, request(), () => Promise.resolve(notFound()))).toBeInstanceOf(Problem);
  await expect(createOnce(account, request(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await create()).toStrictEqual({ id: expect.any(Number) });
});

test('a key is deleted after a day', async () => {
  await create();
  await database.db
    .updateTable('create_key')
    .set({ created_at: new Date(Date.now() - 25 * 60 * 60 * 1000) })
    .execute();
  await create();
  expect(await groups()).toBe(2);
});
