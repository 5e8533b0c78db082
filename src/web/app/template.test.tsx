import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs, prospect } from '#test/web/samples.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { setDraft, useSession } from '#web/lib/session/session-store.ts';

const TEMPLATE: MailTemplate = {
  id: 5,
  name: 'ご提案',
  text_body: '一行目\r\n二行目',
  html_body: '<p>本文</p>',
  subject: '共通の件名',
  editor: 'html',
  text_follows: 0,
  folder_id: null,
  archived: 0,
  version: 'v1',
  number: 3,
  updated_at: '2026/11/20 12:00:00',
  updated_by: '田中 直樹',
  reservations: 0,
  asks_for_reply: 0,
  sendgrid_template_id: null,
  sendgrid_footer_confirmed: 0,
  senders: [
    {
      id: 11,
      sender_group_id: 1,
      group: '営業部',
      profile_id: 1,
      person_in_charge: '田中',
      email: 'tanaka@example.jp',
      subject: '件名一',
      own_subject: '件名一',
      active: 1,
    },
    {
      id: 12,
      sender_group_id: 2,
      group: '広報部',
      profile_id: 2,
      person_in_charge: '鈴木',
      email: 'suzuki@example.jp',
      subject: '件名二',
      own_subject: '件名二',
      active: 1,
    },
  ],
  sender_profile_ids: [1, 2],
  merge_fields: ['company_name', 'candidate_dates', 'candidate_date_lines'],
  faults: [],
};
const PROFILES = [
  { id: 1, group: '営業部', person_in_charge: '田中', email: 'tanaka@example.jp', is_confirmed: 1 },
  {
    id: 2,
    group: '広報部',
    person_in_charge: '鈴木',
    email: 'suzuki@example.jp',
    is_confirmed: 0,
    confirmation_sent_at: '2026/11/23 09:00:00',
  },
];
const MAIL = {
  subject: '見本の件名',
  from: { name: '田中', address: 'a@example.jp' },
  text: '本文',
  html: '',
  warnings: [],
};
const UPDATED = {
  status: 'updated',
  id: 5,
  version: 'v2',
  number: 4,
  updated_at: '2026/11/21 09:00:00',
  reservations: 0,
};

/** Selects the textarea: the panel of its tab has the same name. */
const AREA = { selector: 'textarea' };

/** Opens the editor. @param save returns the answers to saves, in order */
async function openEditor(
  save: (FakeAnswer | Promise<FakeAnswer>)[] = [],
  stored = { now: TEMPLATE },
  others: Parameters<typeof fakeApi>[0] = {},
) {
  logInAs();
  const requests = fakeApi({
    'GET /mail_template/5': () => ok(stored.now),
    'PUT /mail_template/5': () => save.shift() ?? ok(UPDATED),
    'POST /mail_template/5/preview': () => ok(MAIL),
    'GET /sender_group/list': () => ok([]),
    'GET /sender_profile/list': () => ok(PROFILES),
    'GET /mail_template/list': () => ok([]),
    'GET /mail_template_folder/list': () => ok([]),
    'POST /auth/logout': () => ok({ status: 'logged-out' }),
    ...others,
  });
  const view = await renderApp('/template/5');
  await screen.findByRole('tab', { name: 'かんたん' });
  const label = { rich: '本文（かんたん）', html: '本文（HTML）', text: '本文（テキスト）' }[stored.now.editor];
  await screen.findByLabelText(label, AREA);
  return { ...view, saves: () => requests.filter(({ method }) => method === 'PUT'), requests };
}

const html = () => screen.getByLabelText<HTMLTextAreaElement>('本文（HTML）', AREA);
const text = () => screen.getByLabelText<HTMLTextAreaElement>('本文（テキスト）', AREA);
const rich = () => screen.getByLabelText<HTMLTextAreaElement>('本文（かんたん）', AREA);
/** Returns a tab of the editor; the preview has tabs of the same names. */
const mode = (name: string) =>
  within(screen.getByRole('region', { name: 'テンプレートの編集' })).getByRole('tab', { name });
const subject = () => screen.getByLabelText<HTMLInputElement>('件名（営業部・田中）');
const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
/** Chooses a merge field in the menu. */
async function insert(name: string): Promise<void> {
  await userEvent.click(screen.getByRole('button', { name: '差し込み' }));
  await userEvent.click(screen.getByRole('button', { name }));
}
const saveButton = () => screen.getByRole<HTMLButtonElement>('button', { name: '保存' });
const infoOf = (request: FakeRequest | undefined) =>
  (request?.body as { version: string; update_info: { name: string; senders: object[] } }) ?? null;
const drafts = () => useSession.getState().drafts;

it('shows the faults of a stored template at their fields, until it is saved', async () => {
  const message = '1行目：「{% assign %}」というタグは使えません';
  const faults = [
    { path: 'html_body', message },
    { path: 'senders.1.subject', message: '件名に改行が入る場合があります' },
  ];
  await openEditor([], { now: { ...TEMPLATE, faults } });
  screen.getByText(/^保存されている内容では送信できません/);
  screen.getByText(message);
  screen.getByText('件名に改行が入る場合があります');
  type(html(), '<p>直した本文</p>');
  expect(screen.queryByText(message)).toBeNull();
  press('保存');
  await waitFor(() => expect(screen.queryByText(/^保存されている内容では送信できません/)).toBeNull());
});

it('offers the own fields by their labels, and the fields of a person', async () => {
  const merge_fields = ['company_name', 'person.name', 'person.department', 'custom.rank', 'custom.gone'];
  const field = { id: 4, key: 'rank', label: 'ランク', type: 'choice', archived: 0, options: [] };
  await openEditor([], { now: { ...TEMPLATE, merge_fields } }, { 'GET /custom_field/list': () => ok([field]) });
  await userEvent.click(screen.getByRole('button', { name: '差し込み' }));
  const own = within(screen.getByRole('group', { name: '自社の項目' }));
  expect(own.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['ランク', 'custom.gone']);
  const person = within(screen.getByRole('group', { name: '相手の人' }));
  expect(person.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
    '相手の人の部署',
    '相手の人の氏名',
  ]);
  await userEvent.click(own.getByRole('button', { name: 'ランク' }));
  expect(html().value).toContain('{{ custom.rank }}');
});

describe('a template', () => {
  it('has nothing to save until it is changed, or once the change is undone', async () => {
    await openEditor();
    expect(saveButton().disabled).toBe(true);
    expect(screen.getByText(`最終更新 ${sentenceTime('2026/11/20 12:00')} 田中 直樹`)).toBeDefined();
    type(html(), '<p>新しい</p>');
    expect(screen.getByText('保存していない変更があります')).toBeDefined();
    type(html(), '<p>本文</p>');
    expect(saveButton().disabled).toBe(true);
    await waitFor(() => expect(drafts()).toEqual({}));
  });

  it('is saved once for two clicks, in full, with the version it was opened with', async () => {
    const answer = deferred();
    const { saves } = await openEditor([answer.answer]);
    type(subject(), ' 新しい件名 ');
    press('保存');
    press('保存');
    answer.resolve(ok(UPDATED));
    expect(await screen.findByText('テンプレートを保存しました')).toBeDefined();
    expect(saves().map(({ body }) => body)).toEqual([
      {
        version: 'v1',
        update_info: {
          name: 'ご提案',
          subject: '共通の件名',
          text_body: '一行目\n二行目',
          html_body: '<p>本文</p>',
          editor: 'html',
          text_follows: 0,
          senders: [
            { id: 11, subject: '新しい件名' },
            { id: 12, subject: '件名二' },
          ],
        },
      },
    ]);
    expect(await screen.findByText(new RegExp(`^最終更新 ${sentenceTime('2026/11/21 09:00')}`))).toBeDefined();
    expect(subject().value).toBe('新しい件名');
    expect(drafts()).toEqual({});
  });

  it('is saved by Ctrl+S', async () => {
    const { saves } = await openEditor();
    fireEvent.keyDown(html(), { key: 's', ctrlKey: true });
    type(html(), '<p>新しい</p>');
    fireEvent.keyDown(html(), { key: 's', ctrlKey: true });
    expect(await screen.findByText('テンプレートを保存しました')).toBeDefined();
    expect(saves()).toHaveLength(1);
  });

  it('keeps text typed during a save, without a conflict', async () => {
    const answer = deferred();
    const { saves } = await openEditor([answer.answer]);
    type(html(), '<p>一</p>');
    press('保存');
    type(html(), '<p>一二</p>');
    answer.resolve(ok(UPDATED));
    expect(await screen.findByText('テンプレートを保存しました')).toBeDefined();
    await waitFor(() => expect(drafts()['template.5']).toContain('"version":"v2"'));
    expect(html().value).toBe('<p>一二</p>');
    expect(screen.queryByText(/ほかの画面で/)).toBeNull();
    press('保存');
    await waitFor(() => expect(saves()).toHaveLength(2));
    expect(infoOf(saves()[1]).version).toBe('v2');
  });

  it('that is refused shows the reasons at its fields, focuses the first, and keeps the text', async () => {
    const details = [
      { path: 'update_info.text_body', message: '2行目：「x」という差し込み項目はありません' },
      { path: 'update_info.senders.1.subject', message: '入力してください' },
    ];
    const fault = { status: 400, body: { message: '直してください', code: 'invalid_template', details } };
    await openEditor([fault]);
    type(html(), '<p>新しい</p>');
    press('保存');
    expect(await screen.findByText(details[0]?.message ?? '')).toBeDefined();
    await waitFor(() => expect(document.activeElement).toBe(text()));
    expect(mode('テキスト（誤りあり）').getAttribute('aria-selected')).toBe('true');
    const field = screen.getByRole('textbox', { name: '件名（広報部・鈴木）', description: '入力してください' });
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(html().value).toBe('<p>新しい</p>');
  });

  it('inserts merge fields into the last edited field, in its form', async () => {
    await openEditor();
    const user = userEvent.setup();
    await user.click(subject());
    await user.keyboard('{Home}');
    await insert('会社名');
    expect(subject().value).toBe('{{ company_name }}件名一');
    expect(document.activeElement).toBe(subject());
    // A subject is one line, so the candidate dates can be inserted into the body only.
    await insert('候補日');
    expect(html().value).toMatch(/<p>\{% for line in candidate_date_lines %\}/);
    expect(subject().value).toBe('{{ company_name }}件名一');
    await user.click(mode('テキスト'));
    await user.click(await screen.findByLabelText('本文（テキスト）', AREA));
    await insert('候補日');
    expect(text().value).toContain('\n{{ candidate_dates }}\n');
  });

  it('that does not exist shows a message and leads to the list', async () => {
    logInAs();
    fakeApi({ 'GET /mail_template/9': () => refused(404, '対象が見つかりません', 'not_found') });
    await renderApp('/template/9');
    expect(await screen.findByText('テンプレートが見つかりません')).toBeDefined();
    const ways = screen.getAllByRole('link', { name: 'テンプレートの一覧へ戻る' });
    expect(ways.map((way) => way.getAttribute('href'))).toEqual(['/templates', '/templates']);
  });

  it('that is refused for another reason is not shown as missing', async () => {
    logInAs();
    fakeApi({ 'GET /mail_template/9': () => refused(429, 'リクエストが多すぎます') });
    await renderApp('/template/9');
    expect(await screen.findByRole('button', { name: '再読み込み' })).toBeDefined();
    expect(screen.queryByText('テンプレートが見つかりません')).toBeNull();
  });
});

describe('a second tab', () => {
  const CHANGED = refused(409, 'ほかの画面で変更されています', 'template_changed');
  const by = { updated_by: '山田 花子', updated_at: '2026/11/21 10:02:00' };
  const newer = { ...TEMPLATE, ...by, version: 'v9', html_body: '<p>別のタブ</p>' };

  it('bad-inputs 244: that saved first is shown with its time, and its version can be overwritten', async () => {
    const stored = { now: TEMPLATE };
    const { saves } = await openEditor([CHANGED], stored);
    type(html(), '<p>このタブ</p>');
    stored.now = newer;
    press('保存');
    expect(await screen.findByText(`山田 花子さんが${sentenceTime('2026/11/21 10:02')}に保存しました`)).toBeDefined();
    expect(html().value).toBe('<p>このタブ</p>');
    press('入力した内容で上書き');
    expect(await screen.findByText('テンプレートを保存しました')).toBeDefined();
    expect(saves().map((request) => infoOf(request).version)).toEqual(['v1', 'v9']);
    expect(screen.queryByText(`山田 花子さんが${sentenceTime('2026/11/21 10:02')}に保存しました`)).toBeNull();
    expect(html().value).toBe('<p>このタブ</p>');
  });

  it('that moved a sender to another template leaves a draft that can be saved', async () => {
    const stored = { now: TEMPLATE };
    const { saves } = await openEditor([refused(404, '対象が見つかりません', 'not_found')], stored);
    type(html(), '<p>このタブ</p>');
    stored.now = { ...newer, senders: TEMPLATE.senders.slice(0, 1) };
    press('保存');
    fireEvent.click(await screen.findByRole('button', { name: '入力した内容で上書き' }));
    expect(await screen.findByText('テンプレートを保存しました')).toBeDefined();
    expect(saves().map((request) => infoOf(request).update_info.senders.length)).toEqual([2, 1]);
    expect(html().value).toBe('<p>このタブ</p>');
  });

  it('that saved first has a version that can be loaded', async () => {
    const stored = { now: TEMPLATE };
    await openEditor([CHANGED], stored);
    type(html(), '<p>このタブ</p>');
    stored.now = newer;
    press('保存');
    fireEvent.click(await screen.findByRole('button', { name: '最新の内容を読み込む' }));
    expect(html().value).toBe('<p>別のタブ</p>');
    expect(saveButton().disabled).toBe(true);
    expect(drafts()).toEqual({});
  });
});

describe('a draft', () => {
  it('of an older program version lacks fields, and names the version that it is based on', async () => {
    await openEditor();
    act(() => setDraft('template.5', JSON.stringify({ version: 'v0', html_body: '<p>下書き</p>' })));
    expect([html().value, subject().value]).toEqual(['<p>下書き</p>', '件名一']);
    expect(screen.getByRole('button', { name: '入力した内容で上書き' })).toBeDefined();
  });
});

describe('unsaved changes', () => {
  const at = (router: Awaited<ReturnType<typeof openEditor>>['router']) => router.state.location.pathname;

  it('are asked about before the screen changes, and stay', async () => {
    const { router } = await openEditor();
    type(html(), '<p>新しい</p>');
    fireEvent.click(screen.getByRole('link', { name: 'テンプレートの一覧へ戻る' }));
    fireEvent.click(await screen.findByRole('button', { name: '編集を続ける' }));
    expect([at(router), html().value]).toEqual(['/template/5', '<p>新しい</p>']);
    fireEvent.click(screen.getByRole('link', { name: 'テンプレートの一覧へ戻る' }));
    fireEvent.click(await screen.findByRole('button', { name: '破棄して移動' }));
    await waitFor(() => expect(at(router)).toBe('/templates'));
    expect(drafts()).toEqual({});
  });

  it('are asked about once by a log-out, which discards them', async () => {
    const { router } = await openEditor();
    type(html(), '<p>新しい</p>');
    press('ログアウト');
    fireEvent.click(await screen.findByRole('button', { name: '破棄してログアウト' }));
    await waitFor(() => expect(at(router)).toBe('/login'));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(drafts()).toEqual({});
  });

  it('are not asked about by a log-out when there are none', async () => {
    const { router } = await openEditor();
    press('ログアウト');
    await waitFor(() => expect(at(router)).toBe('/login'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('make the browser ask before the page closes', async () => {
    await openEditor();
    const leaves = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(leaves()).toBe(true);
    type(html(), '<p>新しい</p>');
    expect(leaves()).toBe(false);
  });

  it('are discarded after a confirmation', async () => {
    await openEditor();
    type(html(), '<p>新しい</p>');
    press('変更を破棄');
    fireEvent.click(await screen.findByRole('button', { name: '破棄' }));
    expect(html().value).toBe('<p>本文</p>');
    expect(saveButton().disabled).toBe(true);
  });
});

describe('the preview', () => {
  const asked = (requests: readonly FakeRequest[]) =>
    requests.filter(({ path }) => path.endsWith('/preview')).map(({ body }) => body as Record<string, unknown>);

  it('is requested when typing pauses, with or without a person and dates, and for another sender', async () => {
    const { requests } = await openEditor();
    expect(await screen.findByText('見本の件名')).toBeDefined();
    press('表示の設定');
    fireEvent.click(screen.getByRole('switch', { name: '担当者がいない会社で見る' }));
    fireEvent.click(screen.getByRole('switch', { name: '候補日を入れる' }));
    fireEvent.change(screen.getByLabelText('差出人'), { target: { value: '12' } });
    type(html(), '<p>新しい</p>');
    await waitFor(() => expect(asked(requests)).toHaveLength(2));
    expect(asked(requests)).toMatchObject([
      { sender_id: 11, subject: '件名一', person_in_charge: '緑川 花子', has_candidate_dates: 1 },
      { sender_id: 12, subject: '件名二', person_in_charge: '', has_candidate_dates: 0, html_body: '<p>新しい</p>' },
    ]);
  });
});

describe('the three editors', () => {
  const RICH: MailTemplate = {
    ...TEMPLATE,
    editor: 'rich',
    text_follows: 1,
    html_body: '<p>本文</p>',
    text_body: '本文\n',
  };

  it('open in the one used last; the simple one writes both bodies', async () => {
    const { saves } = await openEditor([], { now: RICH });
    expect(screen.queryByLabelText('本文（HTML）', AREA)).toBeNull();
    type(rich(), '<p>一</p><p><a href="https://example.jp/">二</a></p>');
    press('保存');
    await waitFor(() => expect(saves()).toHaveLength(1));
    expect(infoOf(saves()[0]).update_info).toMatchObject({
      editor: 'rich',
      text_follows: 1,
      text_body: '一\n\n二（https://example.jp/）\n',
      html_body: expect.stringContaining('<p style="margin:0 0 1em">一</p>'),
    });
  });

  it('ask before the simple one loses content of the HTML, and list the losses', async () => {
    await openEditor([], { now: { ...TEMPLATE, html_body: '<h1>題</h1><p style="color:red"><img src="x">赤</p>' } });
    fireEvent.click(mode('かんたん'));
    const question = await screen.findByRole('dialog', { name: '「かんたん」への切り替え' });
    expect(
      within(question)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent),
    ).toEqual([
      '見出し（太字になります）',
      '文字の色・大きさ・飾りと配置',
      '画像',
      'テキスト版（この内容から作り直します）',
    ]);
    press('このまま編集');
    expect(saveButton().disabled).toBe(true);
    fireEvent.click(mode('かんたん'));
    fireEvent.click(await screen.findByRole('button', { name: '切り替える' }));
    expect(rich().value).toContain('<strong>題</strong>');
    press('変更を破棄');
    fireEvent.click(await screen.findByRole('button', { name: '破棄' }));
    expect(html().value).toContain('<h1>題</h1>');
    expect(mode('HTML').getAttribute('aria-selected')).toBe('true');
  });

  it('ask before a text-only mail becomes one with HTML', async () => {
    await openEditor([], { now: { ...TEMPLATE, editor: 'text', html_body: '', text_body: '一\n二' } });
    fireEvent.keyDown(mode('テキスト'), { key: 'ArrowLeft' });
    fireEvent.keyDown(mode('HTML'), { key: 'ArrowLeft' });
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.click(mode('かんたん'));
    const question = await screen.findByRole('dialog', { name: '「かんたん」への切り替え' });
    expect(within(question).getByRole('listitem').textContent).toBe('テキストだけのメール（HTMLのメールになります）');
    press('切り替える');
    expect((await screen.findByLabelText<HTMLTextAreaElement>('本文（かんたん）', AREA)).value).toContain('一<br>二');
  });

  it('let the text part be edited separately, and after a confirmation follow the simple one again', async () => {
    const { saves } = await openEditor([], { now: RICH });
    fireEvent.click(mode('テキスト'));
    expect(screen.queryByLabelText('本文（テキスト）', AREA)).toBeNull();
    press('テキスト版を自分で編集');
    type(await screen.findByLabelText('本文（テキスト）', AREA), '自分で書いた本文');
    type(rich(), '<p>新しい</p>');
    expect(text().value).toBe('自分で書いた本文');
    press('テキスト版を自動で作る');
    fireEvent.click(await screen.findByRole('button', { name: '作り直す' }));
    press('保存');
    await waitFor(() => expect(saves()).toHaveLength(1));
    expect(infoOf(saves()[0]).update_info).toMatchObject({ text_follows: 1, text_body: '新しい\n' });
  });

  it('switch from the simple one when its HTML is edited by hand', async () => {
    const { saves } = await openEditor([], { now: RICH });
    fireEvent.click(mode('HTML'));
    type(await screen.findByLabelText('本文（HTML）', AREA), '<table></table>');
    press('保存');
    await waitFor(() => expect(saves()).toHaveLength(1));
    expect(infoOf(saves()[0]).update_info).toMatchObject({ editor: 'html', text_follows: 0, text_body: '本文\n' });
  });

  it('show the errors of the simple one in the simple one', async () => {
    const details = [{ path: 'update_info.text_body', message: '1行目：入力してください' }];
    const fault = { status: 400, body: { message: '直してください', code: 'invalid_template', details } };
    await openEditor([fault], { now: RICH });
    fireEvent.click(mode('テキスト'));
    type(rich(), '');
    press('保存');
    expect(await screen.findByText('入力してください')).toBeDefined();
    expect(mode('かんたん（誤りあり）').getAttribute('aria-selected')).toBe('true');
    expect(document.activeElement).toBe(rich());
  });
});

it('a sender uses the subject of the template, or its own', async () => {
  const senders = TEMPLATE.senders.map((sender) => ({ ...sender, own_subject: null, subject: '共通の件名' }));
  const { saves } = await openEditor([], { now: { ...TEMPLATE, senders } });
  press('別の件名にする');
  press('営業部・田中を別の件名にする');
  expect(subject().value).toBe('共通の件名');
  type(subject(), '田中の件名');
  type(screen.getByLabelText('件名'), '新しい共通の件名');
  press('保存');
  await waitFor(() => expect(saves()).toHaveLength(1));
  expect(saves()[0]?.body).toMatchObject({
    update_info: {
      subject: '新しい共通の件名',
      senders: [
        { id: 11, subject: '田中の件名' },
        { id: 12, subject: null },
      ],
    },
  });
});

describe('the people who send a template', () => {
  const ticks = () => within(screen.getByRole('group', { name: '使う差出人' })).findAllByRole('checkbox');
  const SEND = { name: 'このテンプレートで送る' };

  it('are ticked and saved; the saved template links to the attack list of the previewed sender', async () => {
    const stored = { now: { ...TEMPLATE, senders: TEMPLATE.senders.slice(0, 1), sender_profile_ids: [1] } };
    const { saves } = await openEditor([], stored);
    const [first, second] = await ticks();
    expect([first, second].map((box) => (box as HTMLInputElement).checked)).toEqual([true, false]);
    expect(screen.getByRole('link', SEND)).toBeDefined();
    fireEvent.click(screen.getByLabelText('鈴木（確認待ち）'));
    expect(screen.queryByRole('link', SEND)).toBeNull();
    stored.now = { ...TEMPLATE, version: 'v2' };
    press('保存');
    const link = await screen.findByRole('link', SEND);
    expect(infoOf(saves()[0]).update_info).toMatchObject({ sender_profile_ids: [1, 2] });
    press('表示の設定');
    fireEvent.change(await screen.findByLabelText('差出人'), { target: { value: '12' } });
    fireEvent.click(link);
    expect(useSession.getState()).toMatchObject({ current_sender_group: 2, current_sender: 12 });
  });

  it('are sent only if they were changed: ticks that others changed meanwhile stay', async () => {
    const { saves } = await openEditor();
    type(html(), '<p>新しい</p>');
    press('保存');
    await waitFor(() => expect(saves()).toHaveLength(1));
    expect(infoOf(saves()[0]).update_info).not.toHaveProperty('sender_profile_ids');
  });

  it('cannot be unticked while they have reservations: the reason is at the ticks, and is no conflict', async () => {
    const message = '予約が2件あります';
    await openEditor([refused(409, message, 'has_reservations')]);
    fireEvent.click((await ticks())[1] as HTMLElement);
    press('保存');
    const group = screen.getByRole('group', { name: '使う差出人' });
    expect(await within(group).findByText(message)).toBeDefined();
    await waitFor(async () => expect(document.activeElement).toBe((await ticks())[0]));
    expect(screen.queryByRole('button', { name: '入力した内容で上書き' })).toBeNull();
  });

  it('are missing if the account has none: one sentence with the remedy', async () => {
    const none = { 'GET /sender_profile/list': () => ok([]) };
    await openEditor([], { now: { ...TEMPLATE, senders: [], sender_profile_ids: [] } }, none);
    expect(await screen.findByText(/^差出人がまだ登録されていません。/)).toBeDefined();
    expect(screen.getByRole('link', { name: '差出人を追加' }).getAttribute('href')).toBe('/settings/groups');
    expect(screen.getByRole<HTMLButtonElement>('button', SEND).disabled).toBe(true);
  });

  it('are many: the ticked ones are shown, the others on demand', async () => {
    const many = [1, 2, 3, 4].map((id) => ({ ...PROFILES[0], id, person_in_charge: `人${id}` }));
    await openEditor([], { now: TEMPLATE }, { 'GET /sender_profile/list': () => ok(many) });
    expect(await ticks()).toHaveLength(2);
    press('ほか2人を表示');
    expect(await ticks()).toHaveLength(4);
  });
});

describe('a company of the list', () => {
  const COMPANIES = { rows: [prospect(3), prospect(4)], total: 2 };

  it('is found by its name; the preview and the test mail are rendered for it', async () => {
    let lacking: object | null = null;
    const { requests } = await openEditor(
      [],
      { now: TEMPLATE },
      {
        'GET /sender_group/list': () => ok([{ id: 2 }]),
        'GET /prospect/view': () => ok(COMPANIES),
        'POST /mail_template/5/test': () =>
          ok({ status: 'sent', to: 'tanaka@example.com', ...(lacking && { legal_faults: [lacking] }) }),
      },
    );
    const user = userEvent.setup();
    await user.click(screen.getByRole('combobox', { name: '会社' }));
    await user.keyboard('第');
    await screen.findByRole('option', { name: /第4商事/ });
    // The sample must not be offered for typed words.
    const offered = () => within(screen.getByRole('listbox', { name: '会社' })).getAllByRole('option');
    expect(offered()).toHaveLength(2);
    await user.keyboard('{ArrowDown}{Enter}');
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: '会社' }).value).toBe('第4商事');
    expect(screen.queryByRole('switch', { name: '担当者がいない会社で見る' })).toBeNull();
    press('自分にテスト送信');
    expect(await screen.findByText('テスト送信しました（tanaka@example.com）')).toBeDefined();
    lacking = { code: 'L2', level: 'error', path: 'legal_profile.postal_address', message: '住所を入力してください。' };
    press('自分にテスト送信');
    expect(
      await screen.findByText(
        'テスト送信しました（tanaka@example.com）。このままでは、実際の送信と予約はできません：住所を入力してください',
      ),
    ).toBeDefined();
    const sent = requests.find(({ path }) => path.endsWith('/test'))?.body;
    expect(sent).toMatchObject({ prospect_id: 4, subject: '件名一', html_body: '<p>本文</p>' });
    expect(sent).not.toHaveProperty('company_name');
    await user.click(screen.getByRole('combobox', { name: '会社' }));
    expect(offered()).toHaveLength(3);
  });

  it('that does not match says so, and Enter keeps the current company', async () => {
    const none = {
      'GET /sender_group/list': () => ok([{ id: 2 }]),
      'GET /prospect/view': () => ok({ rows: [], total: 0 }),
    };
    await openEditor([], { now: TEMPLATE }, none);
    const user = userEvent.setup();
    const picker = screen.getByRole<HTMLInputElement>('combobox', { name: '会社' });
    await user.click(picker);
    await user.keyboard('無');
    expect(await screen.findByText('会社が見つかりません')).toBeDefined();
    expect(screen.queryByRole('option', { name: /^見本の会社/ })).toBeNull();
    await user.keyboard('{Enter}');
    expect(picker.value).toBe('無');
  });
});

describe('the one filled button', () => {
  const filled = () => [...document.querySelectorAll('main [data-filled]')].map(({ textContent }) => textContent);
  const TESTED = { 'POST /mail_template/5/test': () => ok({ status: 'sent', to: 'tanaka@example.com' }) };
  const test = async () => {
    press('自分にテスト送信');
    await screen.findByText(/^テスト送信しました/);
  };

  it('is the test until it was sent, then the sending, also when the template is opened again', async () => {
    const { unmount } = await openEditor([], { now: TEMPLATE }, TESTED);
    expect(filled()).toEqual(['自分にテスト送信']);
    expect(screen.getByRole('link', { name: 'このテンプレートで送る' })).toBeDefined();
    await test();
    await waitFor(() => expect(filled()).toEqual(['このテンプレートで送る']));
    type(html(), '<p>新しい</p>');
    expect(filled()).toEqual(['保存']);
    press('保存');
    await waitFor(() => expect(filled()).toEqual(['自分にテスト送信']));
    unmount();
    await renderApp('/template/5');
    await screen.findByLabelText('本文（HTML）', AREA);
    expect(filled()).toEqual(['このテンプレートで送る']);
  });

  it('is the sending after the save of a text that was tested before it, whatever its name', async () => {
    await openEditor([], { now: TEMPLATE }, TESTED);
    type(html(), '<p>新しい</p>');
    await test();
    expect(filled()).toEqual(['保存']);
    type(screen.getByLabelText('テンプレート名'), 'ご案内');
    press('保存');
    await waitFor(() => expect(filled()).toEqual(['このテンプレートで送る']));
  });

  it('is still the test if the tested text was discarded, or the test was refused', async () => {
    const answers = [refused(502, '送れませんでした', 'mail_failed'), TESTED['POST /mail_template/5/test']()];
    await openEditor([], { now: TEMPLATE }, { 'POST /mail_template/5/test': () => answers.shift() ?? ok({}) });
    press('自分にテスト送信');
    expect(await screen.findByText(/^送れませんでした/)).toBeDefined();
    expect(filled()).toEqual(['自分にテスト送信']);
    type(html(), '<p>新しい</p>');
    await test();
    press('変更を破棄');
    fireEvent.click(await screen.findByRole('button', { name: '破棄' }));
    expect(filled()).toEqual(['自分にテスト送信']);
  });

  it('is none while the stored template cannot be sent', async () => {
    await openEditor([], {
      now: { ...TEMPLATE, faults: [{ path: 'html_body', message: '1行目：誤り' }] } as MailTemplate,
    });
    expect(filled()).toEqual([]);
  });
});

describe('the history', () => {
  const ROW = { name: 'ご提案', subject: '共通の件名', member: '田中 直樹' };
  const OLD = { ...ROW, number: 2, at: '2026/11/19 09:00:00' };
  const VERSION = { ...OLD, text_body: '一行目\n前の行', html_body: '<p>本文</p>', editor: 'html', text_follows: 0 };
  const versions = {
    'GET /mail_template/5/version/list': () => ok([{ ...ROW, number: 3, at: TEMPLATE.updated_at }, OLD]),
    'GET /mail_template/5/version/2': () => ok(VERSION),
    'GET /mail_template/5/version/3': () => ok({ ...VERSION, number: 3 }),
  };

  it('compares a version with the template, and restores it', async () => {
    const stored = { now: TEMPLATE };
    const restored: unknown[] = [];
    await openEditor([], stored, {
      ...versions,
      'POST /mail_template/5/version/2/restore': ({ body }) => {
        restored.push(body);
        stored.now = { ...TEMPLATE, ...UPDATED, text_body: VERSION.text_body } as MailTemplate;
        return ok(UPDATED);
      },
    });
    press('履歴');
    const difference = await screen.findByRole('region', { name: '変更点' });
    expect(within(difference).getByText('前の行').tagName).toBe('DEL');
    expect(within(difference).getByText('二行目').tagName).toBe('INS');
    press('この版に戻す');
    expect(await screen.findByText('第2版の内容に戻しました')).toBeDefined();
    expect(restored).toEqual([{ version: 'v1' }]);
    fireEvent.click(mode('テキスト'));
    expect((await screen.findByLabelText<HTMLTextAreaElement>('本文（テキスト）', AREA)).value).toBe('一行目\n前の行');
  });

  it('restores nothing over unsaved changes', async () => {
    await openEditor([], { now: TEMPLATE }, versions);
    type(html(), '<p>新しい</p>');
    press('履歴');
    fireEvent.click(await screen.findByRole('radio', { name: /^第2版/ }));
    expect((await screen.findByRole<HTMLButtonElement>('button', { name: 'この版に戻す' })).disabled).toBe(true);
  });
});
