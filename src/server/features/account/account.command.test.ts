import { beforeAll, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { RUN_LEGAL } from '#test/mailing.ts';
import { Problem } from '../../platform/problem.ts';
import { renderMail } from '../mail-content/run-mail.ts';
import { createAccount, setPassword } from './account.command.ts';

const taro = {
  email: 'Taro@Example.com',
  name: ' 山田 太郎 ',
  company: '株式会社山田',
  password: '十二文字以上のパスワード',
};

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

test('a new account can send at once: one group, one sender with its own address, one template that renders', async () => {
  const id = await createAccount(database.db, taro);
  expect(id).toBeTypeOf('number');
  const sender = await database.db
    .selectFrom('sender')
    .innerJoin('sender_profile', 'sender_profile.id', 'sender.profile_id')
    .innerJoin('mail_template', 'mail_template.id', 'sender.template_id')
    .select(['email', 'person_in_charge', 'sender.subject as own_subject', 'mail_template.subject'])
    .select(['text_body', 'html_body'])
    .where('sender.account_id', '=', id as number)
    .executeTakeFirstOrThrow();
  expect(sender).toMatchObject({ email: 'Taro@example.com', person_in_charge: '山田 太郎', own_subject: null });
  const mail = renderMail(
    {
      ...sender,
      sender: {
        person_in_charge: sender.person_in_charge,
        email: sender.email,
        bcc: [],
        reply_to: null,
        signature: '',
      },
      account: { name: '山田 太郎', company: '株式会社山田' },
      candidate_dates: ['・11月24日(火) 9:00〜18:00'],
      legal: RUN_LEGAL,
    },
    { company_name: '株式会社B', person_in_charge: '' },
  );
  for (const part of [mail.text, mail.html]) {
    for (const words of [
      '株式会社B',
      'ご担当者様',
      '株式会社山田の山田 太郎と申します',
      '・11月24日(火) 9:00〜18:00',
      'Taro@example.com',
    ]) {
      expect(part).toContain(words);
    }
  }
});

test('its group has an unconfirmed legal profile with the company and the fields that the operator gave', async () => {
  const legal = { postal_code: '100-0001', postal_address: '東京都千代田区1-1' };
  const id = await createAccount(database.db, { ...taro, email: 'legal@example.com', legal });
  const profiles = database.db
    .selectFrom('legal_profile')
    .selectAll()
    .where('account_id', '=', id as number);
  expect(await profiles.execute()).toMatchObject([
    { official_name: '株式会社山田', ...legal, contact_phone: '', confirmed_at: null },
  ]);
});

test('an address has one account, whatever its capitals', async () => {
  expect(await createAccount(database.db, { ...taro, email: 'TARO@EXAMPLE.COM' })).toMatchObject({
    code: 'email_taken',
  });
});

test.each([
  [{ email: 'no address' }, 'invalid_email'],
  [{ email: 'a@b.example,c@d.example' }, 'invalid_email'],
  [{ name: '　 ' }, 'invalid_name'],
  [{ company: 'x'.repeat(101) }, 'invalid_name'],
  [{ password: 'x'.repeat(11) }, 'invalid_password'],
  [{ password: 'x'.repeat(129) }, 'invalid_password'],
])('%o is refused', async (wrong, code) => {
  const refusal = await createAccount(database.db, { ...taro, email: 'new@example.com', ...wrong });
  expect(refusal).toBeInstanceOf(Problem);
  expect(refusal).toMatchObject({ code });
});

test('setting a password for an unknown address answers not_found', async () => {
  expect(await setPassword(database.db, 'nobody@example.com', taro.password)).toMatchObject({ code: 'not_found' });
});
