import { afterAll, beforeAll, expect, test } from 'vitest';
import { PUBLIC_URL, withoutFooter } from '../mailing.ts';
import { decodeMails } from './decode.ts';
import { type Postfix, startPostfix } from './postfix.ts';
import { relayScene } from './scene.ts';

/** Sends real mail through a real relay, Debian's Postfix, and reads it with Python's email package. */

let postfix: Postfix;

beforeAll(async () => {
  postfix = await startPostfix();
});
afterAll(() => postfix.stop());

const SUBJECT = `${'採用のご担当者様へ、①㈱髙﨑 𠮷野家 👨‍👩‍👧 のご提案 '.repeat(4)}完`;
const TEXT = [
  '{{ company_name }}',
  '{{ person_in_charge }}',
  '.',
  '..始まりの点',
  '長い行'.repeat(700),
  '',
  'ガ行（結合文字）ｶﾞｷﾞ',
  '~〜～―－',
  'From 行頭',
];
const HTML = '<p>{{ company_name }}</p>\n<p>.</p>\n<p style="color:#222">é=E9=\t=20</p>';

test('100 Japanese mails arrive at a mailbox unchanged', async () => {
  const { database, tenant, sendTo } = await relayScene(postfix);
  await database.db
    .updateTable('mail_template')
    .set({ text_body: TEXT.join('\n'), html_body: HTML })
    .execute();
  await database.db.updateTable('sender').set({ subject: SUBJECT }).execute();
  await database.db.updateTable('sender_profile').set({ person_in_charge: '髙﨑 "花子", (営業)' }).execute();
  const companies = Array.from({ length: 100 }, (_, n) => ({
    company_name: `株式会社${'ー'.repeat(n % 30)}𠮷${n} & Söhne <co>`,
    ceo: `山田 ${n}郎`,
    company_email: `info+${n}@example${n % 3}.co.jp`,
  }));
  const files = await sendTo(tenant.senderId, companies);
  const rows = await database.db
    .selectFrom('delivery')
    .select(['mail_to', 'message_id', 'mail_date', 'mail_key'])
    .execute();
  const asked = companies.map(({ company_name, ceo, company_email }) => {
    const row = rows.find(({ mail_to }) => mail_to === company_email);
    const escaped = company_name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return {
      subject: SUBJECT,
      fromName: '髙﨑 "花子", (営業)',
      from: 'sender@example.com',
      to: [company_email],
      messageId: row?.message_id,
      date: Math.floor((row?.mail_date.getTime() ?? 0) / 1000),
      envelopeTo: company_email,
      listUnsubscribe: `<${PUBLIC_URL}/u/${row?.mail_key?.replaceAll('-', '')}>`,
      listUnsubscribePost: 'List-Unsubscribe=One-Click',
      signed: null,
      text: TEXT.join('\n').replace('{{ company_name }}', company_name).replace('{{ person_in_charge }}', `${ceo} 様`),
      html: HTML.replace('{{ company_name }}', escaped),
      defects: [],
    };
  });
  const byAddress = (a: { to: readonly string[] }, b: { to: readonly string[] }) =>
    a.to.join() < b.to.join() ? -1 : 1;
  const arrived = decodeMails(files).map(({ date, text, html, ...mail }) => ({
    ...mail,
    date: Date.parse(date) / 1000,
    // Removes the last line break, which ends a part and does not belong to its text.
    text: withoutFooter(text.replace(/\n+$/, '')),
    html: withoutFooter(html.replace(/\n$/, '')),
  }));
  expect(arrived.toSorted(byAddress)).toStrictEqual(asked.toSorted(byAddress));
});
