import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loaded here, not within a test that waits for them.
import '#web/app/workspace.tsx';
import '#web/app/routes/attack-list.tsx';
import './first-steps.tsx';

const NONE = {
  legal_profile_ready: 0,
  sender_confirmed: 0,
  companies_imported: 0,
  template_edited: 0,
  test_sent: 0,
  mail_sent: 0,
};

const ALL = {
  ...NONE,
  legal_profile_ready: 1,
  sender_confirmed: 1,
  companies_imported: 1,
  template_edited: 1,
  test_sent: 1,
};

async function open(first: { dismissed: 0 | 1; steps: object }) {
  let answer = { sample_companies: 0, ...first };
  logInAs();
  const requests = fakeApi({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([{ id: 2, subject: 'ご提案', template_id: 12 }]),
    'GET /prospect/view': () => ok({ rows: [], total: 0 }),
    'GET /first_steps': () => ok(answer),
    'POST /prospect/samples': () => {
      answer = { ...answer, sample_companies: 10 };
      return ok({ status: 'added', companies: 10 });
    },
    'POST /prospect/samples/remove': () => {
      answer = { ...answer, sample_companies: 0 };
      return ok({ status: 'removed', companies: 10 });
    },
    'PUT /first_steps': () => {
      answer = { ...answer, dismissed: 1 };
      return ok({ status: 'updated' });
    },
  });
  const view = await renderApp('/');
  return { ...view, requests };
}

const card = () => screen.findByRole('region', { name: 'はじめかた' });
const rows = async () =>
  within(await card())
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

it('ticks the steps that the facts show, and leads to the screens of the others', async () => {
  await open({ dismissed: 0, steps: { ...NONE, sender_confirmed: 1, template_edited: 1 } });
  expect(await rows()).toEqual([
    '法定表示を入力未完了入力する',
    '差出人のメールアドレスを確認完了',
    '見込み客を取り込む未完了CSVを取り込む',
    'テンプレートを整える完了',
    '自分にテスト送信未完了自分に送ってみる',
    'はじめての送信未完了アタックリストを開く',
  ]);
  const links = within(await card()).getAllByRole('link');
  await waitFor(() =>
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/settings/legal',
      '/imports/new',
      '/template/12',
      '/?tab=attack-list',
    ]),
  );
  expect(within(await card()).getByText('2 / 6 完了')).toBeDefined();
});

it.each([
  [{ mail_sent: 0 }, '準備ができました。アタックリストから送信できます。'],
  [{ mail_sent: 1 }, 'はじめての送信が終わりました'],
])('says what is left after the preparation: %o', async (last, text) => {
  await open({
    dismissed: 0,
    steps: { ...ALL, ...last },
  });
  expect(within(await card()).getByText(text)).toBeDefined();
});

it('is put away until the account screen shows it again', async () => {
  const { requests } = await open({ dismissed: 0, steps: NONE });
  await userEvent.click(within(await card()).getByRole('button', { name: 'あとで表示' }));
  expect(await toastText('status')).toContain('アカウント画面の「はじめかたを表示」');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'はじめかた' })).toBeNull());
  const put = requests.find(({ method }) => method === 'PUT');
  expect(put?.body).toEqual({ update_info: { dismissed: 1 } });
});

it('sample companies fill an empty list, and go in one act', async () => {
  await open({ dismissed: 1, steps: NONE });
  await userEvent.click(await screen.findByRole('button', { name: '見本の会社を入れる' }));
  expect(await toastText('status')).toContain('見本の会社10社を入れました');
  await screen.findByText('見本の会社が10社入っています。テスト送信はできますが、実際の送信からは外れます。');
  await userEvent.click(screen.getByRole('button', { name: '見本の会社を消す' }));
  await waitFor(() => expect(screen.queryByText(/^見本の会社が10社/)).toBeNull());
});
