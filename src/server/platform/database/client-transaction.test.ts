import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { BEGIN_READING, inClientTransaction } from './client-transaction.ts';
import { openDatabase } from './db.ts';

test('a transaction in which a file is read may be idle for longer than others', async () => {
  const url = new URL((await emptyDatabase()).url);
  url.searchParams.set('options', '-c idle_in_transaction_session_timeout=100ms');
  const { pool, close } = openDatabase(url.href);
  onTestFinished(close);
  const idle = async () => {
    await sleep(500);
    return { commit: true, result: 'committed' };
  };
  await expect(inClientTransaction(pool, idle)).rejects.toThrow();
  expect(await inClientTransaction(pool, idle, BEGIN_READING)).toBe('committed');
});
