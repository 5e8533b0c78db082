import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { BLANK_PROFILE, type LegalFault } from '#domain/law/profile.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, showsTheirChanges, theirChanges, toastText, toastTextNow } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/legal.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';

const FULL = {
  ...BLANK_PROFILE,
  official_name: '株式会社サンプル',
  department: '営業部',
  postal_code: '100-0001',
  postal_address: '東京都千代田区千代田1-1',
  contact_phone: '03-0000-0000',
  refusal_email: 'stop@example.jp',
};

const row = (id: number, group_name: string, values: object = {}) => ({
  ...FULL,
  sender_group_id: id,
  group_name,
  active: 1,
  confirmed: 1,
  confirmed_at: '2026/11/20 12:00:00',
  confirmed_by: '田中 直樹',
  has_public_url: 1,
  refusal_mailbox: null,
  version: 'v1',
  ready: 1,
  faults: [] as LegalFault[],
  ...values,
});

const error = (code: LegalFault['code'], field: string, message: string): LegalFault => ({
  code,
  level: 'error',
  path: `legal_profile.${field}`,
  message,
});
const NO_ADDRESS = error('L2', 'postal_address', '住所を入力してください。');
const UNCONFIRMED = error('L4', 'confirmed', '内容を確認してください。');
const INCOMPLETE = {
  postal_address: '',
  confirmed: 0,
  confirmed_at: null,
  confirmed_by: null,
  ready: 0,
  faults: [NO_ADDRESS, UNCONFIRMED],
};

const served = { rows: [row(1, '営業部')], answer: null as FakeAnswer | Promise<FakeAnswer> | null };

function serve(): FakeRequest[] {
  return fakeApi({
    'GET /legal_profile/list': () => ok(served.rows),
    'PUT /legal_profile/2': ({ body }) => {
      if (served.answer !== null) return served.answer;
      const { confirmed, ...info } = (body as { update_info: { confirmed: number } }).update_info;
      served.rows = served.rows.map((one) =>
        one.sender_group_id === 2 ? row(2, one.group_name, { ...info, confirmed }) : one,
      );
      return ok({ status: 'updated', ready: 1, faults: [] });
    },
  });
}

const field = (label: string) => screen.findByLabelText<HTMLInputElement>(label);
const state = () => screen.findByRole('status', { name: '法定表示の状態' });
const confirmed = () => screen.getByLabelText<HTMLInputElement>('内容を確認しました');
const note = (element: HTMLElement) =>
  document.getElementById(element.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;
const preview = () => within(screen.getByRole('region', { name: 'メールの末尾の見本' }));
const save = () => userEvent.click(screen.getByRole('button', { name: '保存' }));

beforeEach(() => {
  logInAs();
  served.rows = [row(1, '営業部'), row(2, '首都圏営業部', INCOMPLETE), row(3, '旧営業部', { active: 0, ready: 0 })];
  served.answer = null;
});

describe('what the mails of a group show by law', () => {
  it('shows what another member has saved meanwhile, and asks to confirm the whole again', async () => {
    const told = '佐藤 花子さんが11/27（金）10:02に法定表示を変更しました。内容を確かめてから、保存してください';
    const requests = serve();
    await renderApp('/settings/legal?group=2');
    await userEvent.type(await field('部署名'), '2課');
    await userEvent.click(confirmed());
    served.rows = served.rows.map((one) =>
      one.sender_group_id === 2
        ? row(2, '首都圏営業部', { ...INCOMPLETE, postal_address: '大阪府大阪市北区1-1', version: 'v2' })
        : one,
    );
    served.answer = refused(409, `${told}。`, 'legal_profile_changed');
    await save();
    const notice = within(await theirChanges());
    expect(notice.getByText(told)).toBeDefined();
    expect(await notice.findByText('大阪府大阪市北区1-1')).toBeDefined();
    expect([await field('部署名'), await field('住所（必須）')].map(({ value }) => value)).toEqual([
      '営業部2課',
      '大阪府大阪市北区1-1',
    ]);
    // Nobody has confirmed both fields together.
    expect(confirmed().checked).toBe(false);
    await userEvent.click(confirmed());
    expect(confirmed().checked).toBe(true);
    served.answer = null;
    await save();
    await waitFor(() => expect(showsTheirChanges()).toBe(false));
    const bodies = requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    expect(bodies).toMatchObject([
      { version: 'v1', update_info: { postal_address: '', department: '営業部2課', confirmed: 1 } },
      { version: 'v2', update_info: { postal_address: '大阪府大阪市北区1-1', department: '営業部2課', confirmed: 1 } },
    ]);
  });

  it('opens at the first group that lacks something, and names what is missing and where', async () => {
    serve();
    await renderApp('/settings/legal');
    const group = await field('送信者グループ');
    expect(group.value).toBe('2');
    expect([...group.querySelectorAll('option')].map(({ textContent }) => textContent)).toEqual([
      '営業部',
      '首都圏営業部（不足あり）',
      '旧営業部（無効）',
    ]);
    expect((await state()).textContent).toBe('あと2項目：住所、内容の確認会社にはまだ送れません。テスト送信はできます');
    const address = await field('住所（必須）');
    expect([address.getAttribute('aria-invalid'), note(address)]).toEqual(['true', '住所を入力してください']);
    expect(note(confirmed())).toBe('内容を確認してください');
    expect((await field('正式名称（会社名・個人名）（必須）')).getAttribute('aria-invalid')).toBeNull();
  });

  it('counts what the form lacks, field by field, while it is filled in', async () => {
    served.rows = [row(2, '首都圏営業部', { ...INCOMPLETE, postal_code: '' })];
    serve();
    await renderApp('/settings/legal');
    // The server names one fault of the address.
    expect((await state()).textContent).toMatch(/^あと3項目：郵便番号、住所、内容の確認/);
    await userEvent.type(await field('郵便番号（必須）'), '100-0001');
    expect((await state()).textContent).toMatch(/^あと2項目：住所、内容の確認/);
    await userEvent.clear(await field('電話番号'));
    expect((await state()).textContent).toMatch(/^あと3項目：住所、苦情・お問い合わせ先、内容の確認/);
    await userEvent.type(await field('お問い合わせページのURL'), 'https://example.jp/');
    await userEvent.type(await field('住所（必須）'), ' ');
    expect((await state()).textContent).toMatch(/^あと2項目：住所、内容の確認/);
    await userEvent.type(await field('住所（必須）'), '東京都千代田区1-1');
    await userEvent.click(confirmed());
    expect((await state()).textContent).toMatch(/^保存すると、法定表示がそろいます会社にはまだ送れません/);
  });

  it('is shown for the group in the address, and choosing another changes the address', async () => {
    serve();
    const { router } = await renderApp('/settings/legal?group=1');
    expect((await state()).textContent).toBe(
      `法定表示はそろいました確認 田中 直樹 ${sentenceTime('2026/11/20 12:00:00')}`,
    );
    await userEvent.selectOptions(await field('送信者グループ'), '首都圏営業部（不足あり）');
    expect(router.state.location.search).toBe('?group=2');
    await waitFor(async () => expect((await field('住所（必須）')).value).toBe(''));
  });

  it('previews the footer while the user types, as text and as HTML', async () => {
    serve();
    await renderApp('/settings/legal');
    await userEvent.type(await field('住所（必須）'), '大阪府大阪市北区1-2');
    expect(preview().getByText('住所: 〒100-0001 大阪府大阪市北区1-2')).toBeDefined();
    const text = preview().getByText(/^-{60}\n送信者: 株式会社サンプル 営業部\n住所: /, {
      normalizer: (shown) => shown,
    });
    expect(text.textContent).toContain('次のURLから配信を停止（受信を拒否）できます。\nhttps://');
    await userEvent.selectOptions(await field('送信の根拠（必須）'), '取引先');
    expect(text.textContent).not.toContain('公開されているメールアドレス');
  });

  it('without a public address requires an address for opt-outs, and shows it in place of the link', async () => {
    const noLink: LegalFault = {
      code: 'L8',
      level: 'warning',
      path: 'public_url',
      message: 'このサーバーの設定が必要です。',
    };
    served.rows = [row(2, '首都圏営業部', { has_public_url: 0, refusal_email: '', faults: [noLink] })];
    serve();
    await renderApp('/settings/legal');
    expect(await screen.findByText('このサーバーの設定が必要です。')).toBeDefined();
    expect(preview().getByText('配信停止の受付先がないため、このままでは送れません')).toBeDefined();
    await userEvent.type(await field('配信停止の受付先メール（必須）'), 'teishi@example.jp');
    expect(preview().getByText('teishi@example.jp')).toBeDefined();
    expect(preview().queryByText(/次のURL/)).toBeNull();
  });

  it('needs a new confirmation after each change, and is saved whole', async () => {
    const requests = serve();
    await renderApp('/settings/legal?group=2');
    await userEvent.click(await screen.findByLabelText('内容を確認しました'));
    await userEvent.type(await field('住所（必須）'), '大阪府大阪市北区1-2');
    expect(confirmed().checked).toBe(false);
    await userEvent.click(confirmed());
    await save();
    expect(await toastText('status')).toBe('「首都圏営業部」の法定表示を保存しました。法定表示はそろいました');
    const put = requests.find(({ method }) => method === 'PUT');
    const { official_name, basis } = FULL;
    expect(put?.body).toEqual({
      version: 'v1',
      update_info: { ...FULL, official_name, basis, postal_address: '大阪府大阪市北区1-2', confirmed: 1 },
    });
    await waitFor(async () => expect((await state()).textContent).toMatch(/^法定表示はそろいました/));
    expect(screen.getByRole('option', { name: '首都圏営業部' })).toBeDefined();
  });

  it('keeps text typed during a save', async () => {
    const { answer, resolve } = deferred();
    served.answer = answer;
    const requests = serve();
    await renderApp('/settings/legal?group=2');
    await userEvent.type(await field('住所（必須）'), '大阪府大阪市北区1-2');
    await save();
    await waitFor(() => expect(requests.some(({ method }) => method === 'PUT')).toBe(true));
    await userEvent.type(await field('部署名'), '課');
    resolve(ok({ status: 'updated', ready: 0, faults: [] }));
    await waitFor(() => expect(screen.getByRole('button', { name: '保存' }).getAttribute('aria-disabled')).toBeNull());
    expect((await field('部署名')).value).toBe('営業部課');
    expect((await state()).textContent).toContain('保存していない変更があります');
  });

  it('says beside 保存 that a save left fields incomplete, and covers them with no toast', async () => {
    serve();
    await renderApp('/settings/legal?group=2');
    await userEvent.type(await field('部署名'), '課');
    served.answer = new Promise((resolve) => {
      served.rows = served.rows.map((one) =>
        one.sender_group_id === 2
          ? row(2, one.group_name, { ...INCOMPLETE, department: '営業部課', version: 'v2' })
          : one,
      );
      resolve(ok({ status: 'updated', ready: 0, faults: [], version: 'v2' }));
    });
    await save();
    expect(
      await screen.findByText('「首都圏営業部」の法定表示を保存しました。まだ足りない項目があります'),
    ).toBeDefined();
    expect(toastTextNow('alert')).toBe('');
    expect(document.activeElement).toBe(await field('住所（必須）'));
  });

  it('a change that is typed back needs no new confirmation', async () => {
    serve();
    await renderApp('/settings/legal?group=1');
    await userEvent.type(await field('部署名'), '課');
    expect(confirmed().checked).toBe(false);
    expect((await state()).textContent).toContain('保存していない変更があります');
    await userEvent.type(await field('部署名'), '{Backspace}');
    expect(confirmed().checked).toBe(true);
    expect(screen.queryByText('保存していない変更があります')).toBeNull();
  });

  it('shows a refusal at its field, which gets the focus and keeps its text', async () => {
    const details = [{ path: 'update_info.contact_phone', message: '電話番号を確かめてください。' }];
    served.answer = { status: 400, body: { message: '入力を確かめてください。', code: 'invalid_request', details } };
    serve();
    await renderApp('/settings/legal');
    const phone = await field('電話番号');
    await userEvent.clear(phone);
    await userEvent.type(phone, '３');
    await userEvent.type(await field('住所（必須）'), '大阪府大阪市北区1-2');
    await save();
    await waitFor(() => expect(note(phone)).toBe('電話番号を確かめてください'));
    await waitFor(() => expect(document.activeElement).toBe(phone));
    expect(phone.value).toBe('３');
    await userEvent.type(phone, '3');
    expect(phone.getAttribute('aria-invalid')).toBeNull();
  });

  it('keeps unsaved text while another group is shown, and asks before the screen is left', async () => {
    serve();
    const { router } = await renderApp('/settings/legal?group=2');
    await userEvent.type(await field('住所（必須）'), '大阪府');
    await userEvent.selectOptions(await field('送信者グループ'), '営業部');
    await userEvent.selectOptions(await field('送信者グループ'), '首都圏営業部（不足あり）');
    await waitFor(async () => expect((await field('住所（必須）')).value).toBe('大阪府'));
    await userEvent.click(screen.getByRole('link', { name: '送信者グループ' }));
    await userEvent.click(await screen.findByRole('button', { name: '編集を続ける' }));
    expect(router.state.location.pathname).toBe('/settings/legal');
    await userEvent.click(screen.getByRole('button', { name: '変更を破棄' }));
    expect((await field('住所（必須）')).value).toBe('');
  });
});

describe('the strip of every screen', () => {
  it('names the active groups that lack something, and links to the screen', async () => {
    serve();
    await renderApp('/sends');
    const link = await screen.findByRole('link', { name: '法定表示を入力' });
    expect(link.closest('p')?.textContent).toContain(
      '「首都圏営業部」の法定表示が未入力のため、まだ会社には送れません法定表示を入力',
    );
    expect(link.getAttribute('href')).toBe('/settings/legal');
  });
});
