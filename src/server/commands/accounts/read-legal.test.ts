import { expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { readLegal } from './read-legal.ts';

test('options are read as the API reads them', async () => {
  const given = {
    postalCode: '１０００００１',
    address: '東京都千代田区1-1',
    phone: '03-0000-0000',
    refusalEmail: 'STOP@Example.JP',
  };
  expect(await readLegal(given)).toStrictEqual({
    postal_code: '100-0001',
    postal_address: '東京都千代田区1-1',
    contact_phone: '03-0000-0000',
    refusal_email: 'STOP@example.jp',
  });
});

test('without a terminal no field is asked for', async () => expect(await readLegal({})).toStrictEqual({}));

test.each([
  [{ postalCode: '100' }, '郵便番号'],
  [{ address: '千代田区' }, '住所'],
  [{ phone: 'なし' }, '電話番号'],
  [{ refusalEmail: 'stop' }, '配信停止の受付先メール'],
])('%j is refused with the name of its field', async (given, name) => {
  await expect(readLegal(given)).rejects.toThrow(UsageError);
  await expect(readLegal(given)).rejects.toThrow(name);
});
