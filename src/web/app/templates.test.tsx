import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { deferred, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import type { TemplateRow } from '#web/features/mail-templates/list/list-templates.ts';

const row = (id: number, name: string, values: Partial<TemplateRow> = {}): TemplateRow => ({
  id,
  name,
  subject: `${name}の件名`,
  folder_id: null,
  archived: 0,
  sendgrid_template_id: null,
  updated_at: '2026/11/20 12:00:00',
  updated_by: '田中 直樹',
  senders: [],
  ...values,
});

const ROWS = [row(1, 'ご提案'), row(2, 'お礼', { folder_id: 8 }), row(3, '古いご案内', { archived: 1 })];
const SENT = [
  { id: 1, sent: 3, replied: 2 },
  { id: 2, sent: 12, replied: 3 },
];
const asksSent = ({ query }: FakeRequest) => query.getAll('columns[]').includes('sent');
const SAMPLES = [
  {
    key: 'first_greeting',
    name: '初めてのご挨拶',
    description: '最初に。',
    subject: 'ご挨拶',
    text_body: '拝啓',
    html_body: '',
  },
  {
    key: 'send_material',
    name: '資料の送付',
    description: '次に。',
    subject: '資料',
    text_body: '資料です',
    html_body: '',
  },
];

/** Returns the requests that the cards make: the content of each template, and its mail. */
const thumbnailCalls = (rows: readonly TemplateRow[]): Parameters<typeof fakeApi>[0] =>
  Object.fromEntries(
    rows.flatMap(({ id, subject }) => [
      [`GET /mail_template/${id}`, () => ok({ id, subject, text_body: '{{ company_name }}', html_body: '' })],
      [`POST /mail_template/${id}/preview`, () => ok({ subject, text: `${subject}の本文`, html: '' })],
    ]),
  );

async function openList(others: Parameters<typeof fakeApi>[0] = {}, rows: readonly TemplateRow[] = ROWS) {
  logInAs();
  const requests = fakeApi({
    'GET /mail_template/list': (request) => ok(asksSent(request) ? SENT : rows),
    'GET /mail_template_folder/list': () => ok([{ id: 8, name: '展示会', templates: 1, version: 'v1' }]),
    'GET /mail_template/samples': () => ok(SAMPLES),
    ...thumbnailCalls(rows),
    'GET /sender_profile/list': () => ok([{ id: 4 }, { id: 6 }]),
    ...others,
  });
  const view = await renderApp('/templates');
  await screen.findByRole('navigation', { name: 'フォルダー' });
  return { ...view, requests };
}

const cards = () => within(screen.getByRole('list', { name: 'テンプレート' })).getAllByRole('heading');
const shown = () => cards().map(({ textContent }) => textContent);
const folders = () => within(screen.getByRole('navigation', { name: 'フォルダー' }));
const open = (folder: string) => fireEvent.click(folders().getByRole('button', { name: folder }));
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const choose = (label: string, value: string) =>
  fireEvent.change(screen.getByRole('combobox', { name: label }), { target: { value } });
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

describe('the templates', () => {
  it('are shown by folder, search and order, with archived ones apart', async () => {
    const { router } = await openList();
    await waitFor(() => expect(shown()).toEqual(['ご提案', 'お礼']));
    expect(
      folders()
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['すべて（2）', '展示会（1）', 'フォルダーなし（1）', 'アーカイブ（1）', 'フォルダーを整理']);
    await screen.findByText('90日間に12通・返信率 25.0%');
    choose('並べ替え', 'sent');
    expect(shown()).toEqual(['お礼', 'ご提案']);
    choose('並べ替え', 'reply_rate');
    expect(shown()).toEqual(['ご提案', 'お礼']);
    open('展示会（1）');
    await waitFor(() => expect(shown()).toEqual(['お礼']));
    open('アーカイブ（1）');
    await waitFor(() => expect(shown()).toEqual(['古いご案内']));
    expect(router.state.location.search).toBe('?folder=archived');
    type('名前・件名で探す', 'ﾃｲｱﾝ');
    expect(await screen.findByText('条件に合うテンプレートがありません')).toBeDefined();
    press('条件をクリア');
    await waitFor(() => expect(shown()).toHaveLength(2));
    type('名前・件名で探す', '提案 件名');
    await waitFor(() => expect(shown()).toEqual(['ご提案']));
  });

  it('are searched after the end of an IME composition; typed text is shown at once', async () => {
    const { router } = await openList();
    await waitFor(() => expect(shown()).toHaveLength(2));
    const search = screen.getByLabelText<HTMLInputElement>('名前・件名で探す');
    fireEvent.compositionStart(search);
    type('名前・件名で探す', 'おr');
    expect(search.value).toBe('おr');
    open('展示会（1）');
    await waitFor(() => expect(router.state.location.search).toBe('?folder=8'));
    expect(search.value).toBe('おr');
    type('名前・件名で探す', 'お礼');
    fireEvent.compositionEnd(search);
    await waitFor(() => expect(new URLSearchParams(router.state.location.search).get('search')).toBe('お礼'));
    expect(new URLSearchParams(router.state.location.search).get('folder')).toBe('8');
    expect(shown()).toEqual(['お礼']);
  });

  it('are shown before their mails are counted, and the count is not repeated after an action', async () => {
    const counting = deferred();
    const { requests } = await openList({
      'GET /mail_template/list': (request) => (asksSent(request) ? counting.answer : ok(ROWS)),
      'POST /mail_template/1/archive': () => ok({ status: 'updated', id: 1 }),
    });
    await waitFor(() => expect(shown()).toEqual(['ご提案', 'お礼']));
    expect(screen.queryByText(/^90日間に/)).toBeNull();
    counting.resolve(ok(SENT));
    expect(await screen.findByText('90日間に12通・返信率 25.0%')).toBeDefined();
    press('「ご提案」の操作');
    press('アーカイブ');
    await screen.findByText('「ご提案」をアーカイブしました');
    const lists = () => requests.filter(({ path }) => path === '/mail_template/list');
    await waitFor(() => expect(lists().filter((request) => !asksSent(request))).toHaveLength(2));
    expect(lists().filter(asksSent)).toHaveLength(1);
  });

  it('show a small picture of their mail, or that it cannot be rendered; people and figures beside it', async () => {
    const people = ['森 花子', '佐藤 学', '林 一'].map((person_in_charge, at) => ({
      id: at + 1,
      person_in_charge,
      group: '営業部',
      active: 1 as const,
    }));
    await openList(
      {
        'POST /mail_template/2/preview': () => refused(400, '1行目：「sort」というフィルターは使えません'),
      },
      [row(1, 'ご提案', { senders: people }), row(2, 'お礼')],
    );
    expect(await screen.findByText('ご提案の件名の本文')).toBeDefined();
    expect(
      await screen.findByText('このテンプレートからは、メールを作れません。開いて、誤りを直してください'),
    ).toBeDefined();
    const senders = within(screen.getByRole('list', { name: '使う差出人' }));
    expect(senders.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '森 花子',
      '佐藤 学',
      'ほか1人',
    ]);
    expect(screen.getByText('使う差出人はまだいません')).toBeDefined();
  });

  it('that do not exist yet offer a sample', async () => {
    await openList({}, []);
    expect(await screen.findByText('テンプレートがまだありません')).toBeDefined();
    press('見本から作成');
    expect(await screen.findByRole('radio', { name: /初めてのご挨拶/ })).toBeDefined();
  });

  it('are archived after their senders were named', async () => {
    const sender = (id: number, person_in_charge: string, active: 0 | 1 = 1) => ({
      id,
      person_in_charge,
      group: '営業部',
      active,
    });
    const senders = [sender(1, '森 花子'), sender(2, '森 花子'), sender(3, '佐藤 学'), sender(4, '林 一', 0)];
    const { requests } = await openList({ 'POST /mail_template/1/archive': () => ok({ status: 'updated', id: 1 }) }, [
      row(1, 'ご提案', { senders }),
    ]);
    fireEvent.click(await screen.findByRole('button', { name: '「ご提案」の操作' }));
    press('アーカイブ');
    const question = within(await screen.findByRole('dialog', { name: 'テンプレートのアーカイブ' }));
    expect(question.getByText(/^差出人2人が、このテンプレートで送れなくなります。/)).toBeDefined();
    expect(question.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['森 花子', '佐藤 学']);
    const archives = () => requests.filter(({ path }) => path.endsWith('/archive'));
    expect(archives()).toEqual([]);
    fireEvent.click(question.getByRole('button', { name: 'アーカイブ' }));
    expect(await screen.findByText('「ご提案」をアーカイブしました')).toBeDefined();
    expect(archives()).toHaveLength(1);
  });

  it('are moved; a failed archiving shows why', async () => {
    const { requests } = await openList({
      'PUT /mail_template/1/folder': () => ok({ status: 'updated', id: 1 }),
      'POST /mail_template/1/archive': () => refused(404, '対象が見つかりません', 'not_found'),
    });
    fireEvent.click(await screen.findByRole('button', { name: '「ご提案」の操作' }));
    press('アーカイブ');
    expect(await screen.findByText('対象が見つかりません')).toBeDefined();
    choose('移動先', '8');
    expect(await screen.findByText('「ご提案」を移動しました')).toBeDefined();
    expect(requests.find(({ method }) => method === 'PUT')?.body).toEqual({ update_info: { folder_id: 8 } });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('with reservations are not archived: the refusal leads to these', async () => {
    await openList({
      'POST /mail_template/1/archive': () => refused(409, '予約が1件あるため、アーカイブできません', 'template_in_use'),
    });
    fireEvent.click(await screen.findByRole('button', { name: '「ご提案」の操作' }));
    press('アーカイブ');
    const refusal = within(await screen.findByRole('dialog', { name: 'テンプレートのアーカイブ' }));
    expect(refusal.getByText('予約が1件あるため、アーカイブできません')).toBeDefined();
    expect(refusal.getByRole('link', { name: '予約を見る' }).getAttribute('href')).toBe('/reservations?mode=all');
    expect(refusal.queryByRole('button', { name: 'アーカイブ' })).toBeNull();
    fireEvent.click(refusal.getAllByRole('button', { name: '閉じる' })[0] as HTMLElement);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

describe('a new template', () => {
  const created = (answers = [ok({ status: 'added', id: 9 })]) => ({
    'POST /mail_template': () => answers.shift() ?? 'network',
    'GET /mail_template/9': () => refused(404, '対象が見つかりません', 'not_found'),
  });
  const posts = (requests: Awaited<ReturnType<typeof openList>>['requests']) =>
    requests.filter(({ method, path }) => method === 'POST' && !path.endsWith('/preview'));

  it('from a sample has its name and subject until the user types others, and opens', async () => {
    const { router, requests } = await openList(created());
    press('テンプレートを作成');
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(await dialog.findByRole('radio', { name: /資料の送付/ }));
    expect(screen.getByLabelText<HTMLInputElement>('名前（必須）').value).toBe('資料の送付');
    type('件名（必須）', '自社の資料');
    press('作成');
    await waitFor(() => expect(router.state.location.pathname).toBe('/template/9'));
    expect(posts(requests)[0]?.body).toEqual({
      add_info: { name: '資料の送付', subject: '自社の資料', sample: 'send_material' },
    });
  });

  it('is assigned to the only person who sends in the account', async () => {
    const { requests } = await openList({ ...created(), 'GET /sender_profile/list': () => ok([{ id: 4 }]) });
    press('テンプレートを作成');
    fireEvent.click(await screen.findByRole('radio', { name: /資料の送付/ }));
    press('作成');
    await waitFor(() => expect(posts(requests)).toHaveLength(1));
    expect(posts(requests)[0]?.body).toMatchObject({ add_info: { sender_profile_ids: [4] } });
  });

  it('waits for the samples, can be changed meanwhile, and is not created if the dialog was closed', async () => {
    const samples = deferred();
    const { requests } = await openList({ ...created(), 'GET /mail_template/samples': () => samples.answer });
    const open = async () => {
      press('テンプレートを作成');
      await screen.findByRole('dialog');
      press('作成');
    };
    await open();
    press('キャンセル');
    await open();
    type('名前（必須）', '待つ間に変えた名前');
    samples.resolve(ok(SAMPLES));
    await waitFor(() => expect(posts(requests)).toHaveLength(1));
    expect(posts(requests)[0]?.body).toEqual({
      add_info: { name: '待つ間に変えた名前', subject: 'ご挨拶', sample: 'first_greeting' },
    });
  });

  it('is validated before it is sent; the same request repeats its key, another one has its own', async () => {
    const { requests } = await openList(created([]));
    press('テンプレートを作成');
    fireEvent.click(await screen.findByRole('radio', { name: '白紙から作成' }));
    press('作成');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('名前（必須）')));
    expect(posts(requests)).toHaveLength(0);
    type('名前（必須）', '新しい名前');
    type('件名（必須）', '新しい件名');
    for (const times of [1, 2]) {
      press('作成');
      await waitFor(() => expect(posts(requests)).toHaveLength(times));
      await screen.findByText(/サーバーに接続できませんでした/);
    }
    type('件名（必須）', '別の件名');
    press('作成');
    await waitFor(() => expect(posts(requests)).toHaveLength(3));
    const keys = posts(requests).map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[1]);
  });

  it('as a copy gets a name made from the first', async () => {
    const { requests } = await openList(created());
    fireEvent.click(await screen.findByRole('button', { name: '「お礼」の操作' }));
    press('複製');
    expect(screen.getByLabelText<HTMLInputElement>('名前（必須）').value).toBe('お礼のコピー');
    press('作成');
    await waitFor(() => expect(posts(requests)).toHaveLength(1));
    expect(posts(requests)[0]?.body).toEqual({
      add_info: { name: 'お礼のコピー', subject: 'お礼の件名', copy_of: 2 },
    });
  });
});

it('a folder of another name has another key; a folder is deleted once for two clicks', async () => {
  const removal = deferred();
  const { requests } = await openList({
    'POST /mail_template_folder': () => 'network',
    'POST /mail_template_folder/8/remove': () => removal.answer,
  });
  const posts = (path: string) => requests.filter((request) => request.method === 'POST' && request.path === path);
  press('フォルダーを整理');
  for (const [place, name] of ['一', '一', '二'].entries()) {
    type('新しいフォルダー', name);
    press('フォルダーを作成');
    await waitFor(() => expect(posts('/mail_template_folder')).toHaveLength(place + 1));
    await screen.findByText(/サーバーに接続できませんでした/);
  }
  const keys = posts('/mail_template_folder').map(({ headers }) => headers.get('Idempotency-Key'));
  expect(keys[0]).toBe(keys[1]);
  expect(keys[2]).not.toBe(keys[1]);
  press('フォルダー「展示会」を削除');
  press('フォルダー「展示会」を削除');
  removal.resolve(ok({ status: 'removed' }));
  expect(await screen.findByText('フォルダー「展示会」を削除しました')).toBeDefined();
  expect(posts('/mail_template_folder/8/remove')).toHaveLength(1);
});

it('folders are created, renamed and deleted; a refusal is shown at its folder', async () => {
  const { requests } = await openList({
    'POST /mail_template_folder': () => ok({ status: 'added', id: 9 }),
    'PUT /mail_template_folder/8': () => ok({ status: 'updated' }),
    'POST /mail_template_folder/8/remove': () => refused(409, 'フォルダーが空ではありません', 'folder_not_empty'),
  });
  press('フォルダーを整理');
  type('新しいフォルダー', '新規開拓');
  press('フォルダーを作成');
  expect(await screen.findByText('フォルダー「新規開拓」を作成しました')).toBeDefined();
  press('フォルダー「展示会」を削除');
  expect(await screen.findByText('フォルダーが空ではありません')).toBeDefined();
  type('「展示会」の名前', '展示会2026');
  press('名前を変更');
  expect(await screen.findByText('フォルダーの名前を「展示会2026」に変更しました')).toBeDefined();
  expect(requests.find(({ method }) => method === 'PUT')?.body).toEqual({
    version: 'v1',
    update_info: { name: '展示会2026' },
  });
});

it('shows the name that another member has saved meanwhile, before it overwrites it', async () => {
  const message = 'ほかの人が名前を変更しました。内容を確かめてから、保存してください。';
  let folder = { id: 8, name: '展示会', templates: 1, version: 'v1' };
  const { requests } = await openList({
    'GET /mail_template_folder/list': () => ok([folder]),
    'PUT /mail_template_folder/8': ({ body }) => {
      const { version, update_info } = body as { version: string; update_info: { name: string } };
      const details = [{ path: 'update_info.name', message }];
      if (version !== folder.version) return { status: 409, body: { message, code: 'folder_changed', details } };
      folder = { ...folder, ...update_info, version: 'v3' };
      return ok({ status: 'updated' });
    },
  });
  press('フォルダーを整理');
  type('「展示会」の名前', '春の展示会');
  folder = { ...folder, name: '秋の展示会', version: 'v2' };
  press('名前を変更');
  expect(await screen.findByText(message.slice(0, -1))).toBeDefined();
  expect(await screen.findByText('秋の展示会', { selector: 'bdi' })).toBeDefined();
  expect(screen.getByLabelText('「秋の展示会」の名前')).toHaveProperty('value', '春の展示会');
  press('名前を変更');
  expect(await screen.findByText('フォルダーの名前を「春の展示会」に変更しました')).toBeDefined();
  await waitFor(() => expect(screen.queryByText('秋の展示会', { selector: 'bdi' })).toBeNull());
  const puts = requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  expect(puts).toMatchObject([{ version: 'v1' }, { version: 'v2' }]);
});
