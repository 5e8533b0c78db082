import { useQuery } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import { deferred, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderPart, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import { queryClient } from '#web/lib/api/query-client.ts';
import { listTime } from '#web/lib/screen-time.ts';
import { disclosureCsv, disclosureRows } from './disclosure-file.ts';
import { PersonalData } from './personal-data.tsx';
import type { PersonalData as Data } from './personal-data-query.ts';

const NOTHING: Data = {
  companies: [],
  people: [],
  changes: [],
  mails: [],
  bounces: [],
  replies: [],
  suppressions: [],
  invitations: [],
  files: 0,
  erased: 0,
};
const STORED: Data = {
  ...NOTHING,
  companies: [
    {
      id: 1,
      company_name: '株式会社花',
      company_email: 'info@hana.example.jp',
      ceo: '=HYPERLINK("x")',
      corporate_number: null,
      major_industry_type: null,
      included_industry_type: null,
      address: null,
      number_of_employees: 12,
      amount_of_sales: null,
      ordinary_profit: null,
      capital: null,
      year_of_establishment: null,
      company_url: null,
      contact_url: null,
      phone: null,
      published_at_url: null,
      published_seen_on: '2026-11-20',
      publication_notice: 'refused',
      archived: 0,
      created_at: '2026/11/20 10:00:00',
      updated_at: '2026/11/20 10:00:00',
      remarks: [{ group_name: '営業部', remarks: '名刺交換' }],
      external_id: null,
      tags: ['重点', '秋'],
      custom: [{ label: 'ランク', value: 'A' }],
    },
  ],
  people: [
    {
      id: 5,
      prospect_id: 2,
      company_name: '株式会社月',
      name: '佐藤 花子',
      department: '購買部',
      title: '部長',
      email: 'info@hana.example.jp',
      phone: '090-1111-0000',
      met_on: '2026-11-20',
      is_primary: 1,
      archived: 0,
      created_at: '2026/11/20 10:00:00',
      updated_at: '2026/11/21 10:00:00',
    },
  ],
  changes: [
    { prospect_id: 1, at: '2026/11/21 10:00:00', field: 'ceo', old: null, new: '花子' },
    { prospect_id: 2, at: '2026/11/21 10:00:00', field: 'person.5.title', old: '課長', new: '部長' },
  ],
  bounces: [{ delivery_id: 1, at: '2026/11/22 09:00:00', class: 'soft', reply: '552 full' }],
  replies: [
    {
      prospect_id: 1,
      at: '2026/11/22 09:30:00',
      kind: 'auto_reply',
      from: 'hanako@hana.example.jp',
      subject: '不在です',
      excerpt: '月曜に戻ります',
    },
  ],
  suppressions: [
    {
      kind: 'address',
      value: 'info@hana.example.jp',
      class: 'refused',
      source: 'link',
      reason: '',
      note: '電話',
      created_at: '2026/11/22 10:00:00',
      lifted_at: null,
    },
  ],
  invitations: [{ created_at: '2026/11/22 11:00:00', invited_by: '田中 直樹' }],
  files: 2,
};

const show = () => userEvent.click(screen.getByRole('button', { name: '保存している内容を表示' }));
const erase = async () => {
  await userEvent.click(await screen.findByRole('button', { name: '消去' }));
  await userEvent.click((await screen.findAllByRole('button', { name: '消去' })).at(-1) as HTMLElement);
};
async function open(answers: Parameters<typeof fakeApi>[0]) {
  const requests = fakeApi(answers);
  renderPart(<PersonalData />);
  await userEvent.type(screen.getByLabelText('本人のメールアドレス'), ' info@hana.example.jp ');
  await show();
  return requests;
}

beforeEach(() => logInAs());

it('shows what is stored, and erases it while keeping the opt-out unless unticked', async () => {
  let stored = STORED;
  const requests = await open({
    'POST /personal_data/view': () => ok(stored),
    'POST /personal_data/erase': () => {
      stored = { ...NOTHING, erased: 1 };
      return ok({ status: 'erased', companies: 1, people: 1, companies_kept: 1, mails: 0, cancelled: 0, files: 2 });
    },
  });
  await screen.findByRole('heading', { name: 'info@hana.example.jp について保存している内容' });
  expect(screen.getByText('名刺交換')).toBeTruthy();
  // As in lists, without seconds.
  expect(screen.getAllByText(listTime('2026/11/21 10:00:00'))).not.toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: '消去' }));
  const choice = await screen.findByRole('checkbox', { name: /配信停止を照合用の値で残す/ });
  expect(choice).toHaveProperty('checked', true);
  await userEvent.click(choice);
  await userEvent.click(screen.getAllByRole('button', { name: '消去' }).at(-1) as HTMLElement);
  expect(await toastText('status')).toBe(
    '消去しました（会社 1社、相手の人 1人、メール 0通、ファイル 2件）。1社は残し、備考は消していません',
  );
  expect(await screen.findByText(/^以前に消去したアドレスです/)).toBeTruthy();
  expect(screen.queryByText('名刺交換')).toBeNull();
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    ['/personal_data/view', { email: 'info@hana.example.jp' }],
    ['/personal_data/erase', { email: 'info@hana.example.jp', record_refusal: 0 }],
    ['/personal_data/view', { email: 'info@hana.example.jp' }],
  ]);
});

it('keeps the shown data if the erasure is refused', async () => {
  const message = 'このアドレスへのメールを送信しています。';
  await open({
    'POST /personal_data/view': () => ok(STORED),
    'POST /personal_data/erase': () => refused(409, message, 'mail_underway'),
  });
  await erase();
  expect(await toastText('alert')).toContain('送信しています');
  expect(screen.getByText('名刺交換')).toBeTruthy();
});

let reads = 0;
/** Renders a part of the same screen that shows how often it was loaded. */
const Beside = () => useQuery({ queryKey: ['beside'], queryFn: () => `${++reads}回` }).data;
const ERASED = ok({ status: 'erased', companies: 1, people: 0, companies_kept: 0, mails: 0, cancelled: 0, files: 2 });

it('leaves no cached answer of another screen with erased data, and reloads those of this one', async () => {
  queryClient.setQueryData(['company', 1], { company_name: '株式会社花' });
  renderPart(<Beside />);
  await open({ 'POST /personal_data/view': () => ok(STORED), 'POST /personal_data/erase': () => ERASED });
  await erase();
  await waitFor(() => expect(queryClient.getQueryData(['company', 1])).toBeUndefined());
  expect(await screen.findByText('2回')).toBeTruthy();
});

it('keeps the dialog open while it erases', async () => {
  const { answer, resolve } = deferred();
  const requests = await open({
    'POST /personal_data/view': () => ok(STORED),
    'POST /personal_data/erase': () => answer,
  });
  await erase();
  await waitFor(() => expect(requests).toHaveLength(2));
  await userEvent.keyboard('{Escape}');
  await userEvent.click(screen.getByRole('button', { name: 'キャンセル' }));
  await userEvent.click(screen.getByRole('button', { name: '閉じる' }));
  expect(screen.getByRole('dialog')).toBeTruthy();
  resolve(ERASED);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('requires an address', async () => {
  const requests = fakeApi({});
  renderPart(<PersonalData />);
  await show();
  expect(await screen.findByText('メールアドレスを入力してください')).toBeTruthy();
  expect(requests).toEqual([]);
});

it('writes the stored data as rows for the person, without formulas', () => {
  expect(disclosureRows(STORED)).toEqual([
    ['会社', '2026/11/20 10:00:00', '会社名', '株式会社花'],
    ['会社', '2026/11/20 10:00:00', '代表メール', 'info@hana.example.jp'],
    ['会社', '2026/11/20 10:00:00', '代表者', '=HYPERLINK("x")'],
    ['会社', '2026/11/20 10:00:00', '従業員数', '12'],
    ['会社', '2026/11/20 10:00:00', '確認日', '2026/11/20'],
    ['会社', '2026/11/20 10:00:00', '営業お断り', 'お断りの表示あり'],
    ['会社', '2026/11/20 10:00:00', 'タグ', '重点、秋'],
    ['会社', '2026/11/20 10:00:00', 'ランク', 'A'],
    ['備考', '', '営業部', '名刺交換'],
    ['相手の人', '2026/11/21 10:00:00', '会社名', '株式会社月'],
    ['相手の人', '2026/11/21 10:00:00', '氏名', '佐藤 花子'],
    ['相手の人', '2026/11/21 10:00:00', '部署', '購買部'],
    ['相手の人', '2026/11/21 10:00:00', '役職', '部長'],
    ['相手の人', '2026/11/21 10:00:00', '担当者メール', 'info@hana.example.jp'],
    ['相手の人', '2026/11/21 10:00:00', '電話番号（携帯・直通）', '090-1111-0000'],
    ['相手の人', '2026/11/21 10:00:00', '名刺交換日', '2026/11/20'],
    ['相手の人', '2026/11/21 10:00:00', '主担当', 'はい'],
    ['変更の履歴', '2026/11/21 10:00:00', '代表者', '（なし） → 花子'],
    ['変更の履歴', '2026/11/21 10:00:00', '相手の人の役職', '課長 → 部長'],
    ['届かなかった知らせ', '2026/11/22 09:00:00', '一時的な失敗', '552 full'],
    ['返信', '2026/11/22 09:30:00', '自動返信 hanako@hana.example.jp', '不在です'],
    ['返信', '2026/11/22 09:30:00', '自動返信 hanako@hana.example.jp', '月曜に戻ります'],
    ['配信停止', '2026/11/22 10:00:00', '本人の希望', 'info@hana.example.jp 電話'],
    ['メンバーへの招待', '2026/11/22 11:00:00', '招待した人', '田中 直樹'],
  ]);
  const lines = disclosureCsv(STORED).split('\r\n');
  expect(lines[0]).toBe('\uFEFF"区分","日時","項目","値"');
  expect(lines[3]).toBe(`"会社","2026/11/20 10:00:00","代表者","'=HYPERLINK(""x"")"`);
});

it('files and an erasure, which can record a refusal, are offered where nothing is stored', async () => {
  await open({ 'POST /personal_data/view': () => ok(NOTHING) });
  await screen.findByText('このアドレスについて保存している内容はありません。');
  for (const name of ['CSVで保存', 'JSONで保存', '消去']) expect(screen.getByRole('button', { name })).toBeDefined();
});
