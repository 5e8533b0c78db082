import { expect, test } from 'vitest';
import { addAccount } from '#test/accounts.ts';
import { testDatabase } from '#test/db.ts';
import { setCell } from './cell.ts';
import { ACCOUNT_LOCKS, lockWithin } from './lock-account.ts';

test('a cell gives its accounts ids of its own range, and stays the cell that it is', async () => {
  const database = await testDatabase();
  await setCell(database.pool, 999);
  // Each start does it again.
  await setCell(database.pool, 999);
  const { accountId } = await addAccount(database.db);
  expect(accountId).toBe(999_000_000_001);
  await setCell(database.pool, 999);
  await expect(setCell(database.pool, 0)).rejects.toThrow('CELL=999 の範囲で始まっています。');
  expect((await addAccount(database.db)).accountId).toBe(accountId + 1);
  // The second key of an advisory lock is an integer.
  for (const lock of Object.keys(ACCOUNT_LOCKS) as (keyof typeof ACCOUNT_LOCKS)[]) {
    await database.account(accountId).transaction((tx) => lockWithin(tx, lock, accountId));
  }
});

test('a database with accounts does not become the one of another cell', async () => {
  const database = await testDatabase();
  const { accountId } = await addAccount(database.db);
  await expect(setCell(database.pool, 3)).rejects.toThrow('CELL を 0 に戻すか');
  await setCell(database.pool, 0);
  expect((await addAccount(database.db)).accountId).toBe(accountId + 1);
});
