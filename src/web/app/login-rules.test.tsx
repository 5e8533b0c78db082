import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { accountRuleWith, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastTextNow } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/login-rules.tsx';
import '#web/features/company-log-in/registration-panel.tsx';
import '#web/components/owner-password/owner-password.tsx';

const OWN_MISSING = '先に、アカウントの「セキュリティ」で、自分の二段階認証を設定してください。';
const member = (id: number, two_factor: 0 | 1, active: 0 | 1 = 1) => ({ id, name: `m${id}`, active, two_factor });

const NOT_REGISTERED = {
  registration: null,
  redirect_uri: 'https://kaitaku.example/oauth/callback',
  login_link: null,
  version: 'v1',
};

let registered: object;
let rule: Parameters<typeof accountRuleWith>[0];
let requests: FakeRequest[];
/** The answers to changes, in order; then they succeed. */
let next: FakeAnswer[];

beforeEach(() => {
  rule = {};
  registered = NOT_REGISTERED;
  next = [];
});

const user = userEvent.setup();
const saved = () => requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);

async function open(role: Role = 'admin') {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 } });
  requests = fakeApi({
    'GET /member/list': () => ok([member(1, 1), member(2, 0), member(3, 0), member(4, 0, 0)]),
    'PUT /account_rule': ({ body }) => {
      const answer = next.shift();
      if (answer === undefined) rule = (body as { update_info: typeof rule }).update_info;
      return answer ?? ok({ status: 'updated' });
    },
    'GET /account_rule': () => ok(accountRuleWith(rule)),
    'GET /oidc': () => ok(registered),
    'GET /audit/view': () => ok({ rows: [], next: null, kinds: [], members: [] }),
    'PUT /oidc': () => next.shift() ?? ok({ status: 'updated' }),
  });
  await renderApp('/settings/login-rules');
  await screen.findByRole('heading', { level: 1, name: 'ログインの決まり' });
}

const tick = async () => (await screen.findByLabelText('全員に二段階認証を求める（未設定 2人）')) as HTMLInputElement;

describe('the second step of all members', () => {
  it('names how many active members have none, what happens, and is saved at once', async () => {
    await open();
    expect((await tick()).checked).toBe(false);
    expect(screen.getByText(/未設定の人は、自分の二段階認証を設定するまで、ほかの操作ができません。/)).toBeTruthy();
    await user.click(await tick());
    await waitFor(() => expect(saved()).toEqual([{ update_info: { two_factor_required: 1 } }]));
    await screen.findByText('保存済み');
    expect((await tick()).checked).toBe(true);
  });

  it('shows at the control that the own one must be set up first, with the way there', async () => {
    await open();
    next = [refused(409, OWN_MISSING, 'own_two_factor_missing')];
    await user.click(await tick());
    const fault = await screen.findByText(OWN_MISSING.slice(0, -1));
    await waitFor(async () => expect((await tick()).checked).toBe(false));
    expect((await tick()).getAttribute('aria-describedby')).toBe(fault.id);
    expect(screen.getByRole('link', { name: 'アカウントを開く' }).getAttribute('href')).toBe('/account');
    expect(toastTextNow('alert')).toBe('');
  });
});

describe('a log-in of more than 15 minutes ago', () => {
  const NEEDED = refused(400, 'もう一度ログインしてから、変更してください。', 'password_needed');
  const WRONG = '現在のパスワードが違います';
  const details = [{ path: 'current_password', message: WRONG }];
  const wrong = { status: 400, body: { code: 'wrong_password', message: WRONG, details } };
  const field = () => screen.findByLabelText<HTMLInputElement>('現在のパスワード');
  /** Types a wrong password, which stays, and then the right one. */
  async function prove(): Promise<void> {
    await user.type(await field(), 'my');
    await user.click(screen.getByRole('button', { name: '確かめて変更' }));
    await screen.findByText(WRONG);
    expect((await field()).value).toBe('my');
    await user.type(await field(), ' password');
    await user.click(screen.getByRole('button', { name: '確かめて変更' }));
    await waitFor(() => expect(screen.queryByLabelText('現在のパスワード')).toBeNull());
    expect(toastTextNow('alert')).toBe('');
  }
  const thrice = (update_info: object) => [
    { update_info },
    { update_info, current_password: 'my' },
    { update_info, current_password: 'my password' },
  ];

  it('asks the password to end the second step of all', async () => {
    rule = { two_factor_required: 1 };
    await open();
    next = [NEEDED, wrong];
    await user.click(await tick());
    await prove();
    expect(saved()).toEqual(thrice({ two_factor_required: 0 }));
    expect((await tick()).checked).toBe(false);
  });

  it('asks the password for the networks, whose typed lines stay', async () => {
    rule = { login_networks: [], current_address: '203.0.113.7' };
    await open();
    next = [NEEDED, wrong];
    await user.type(await screen.findByLabelText('許可するネットワーク'), '203.0.113.7');
    await user.click(screen.getByRole('button', { name: 'ネットワークを保存' }));
    await prove();
    expect(saved()).toEqual(thrice({ login_networks: ['203.0.113.7'] }));
    await screen.findByText('ネットワークを保存しました');
  });

  it('asks the password to switch passwords off', async () => {
    const registration = { provider: 'other', issuer: 'https://idp.example', client_id: 'c', domains: ['a.example'] };
    registered = { ...NOT_REGISTERED, registration: { ...registration, active: 1 }, login_link: 'https://a.example' };
    await open();
    next = [NEEDED, wrong];
    await user.click(await screen.findByLabelText(/^パスワードでのログインを止める/));
    await prove();
    expect(saved()).toEqual(thrice({ password_off: 1 }));
  });
});

describe('the networks', () => {
  const OFFICE = '203.0.113.7';
  const field = async () => (await screen.findByLabelText('許可するネットワーク')) as HTMLTextAreaElement;
  const type = async (text: string) => {
    await user.clear(await field());
    await user.type(await field(), text);
  };
  const press = (name: string) => user.click(screen.getByRole('button', { name }));

  it('are shown with the own address, which a press adds, and are saved by one call', async () => {
    rule = { login_networks: ['10.0.0.0/8'], current_address: OFFICE };
    await open();
    expect((await field()).value).toBe('10.0.0.0/8');
    expect(screen.getByText(`このサーバーから見た現在の接続元：${OFFICE}`)).toBeTruthy();
    await press(`${OFFICE}を追加`);
    expect((await field()).value).toBe(`10.0.0.0/8\n${OFFICE}`);
    expect(screen.queryByRole('button', { name: `${OFFICE}を追加` })).toBeNull();
    expect(
      screen.getByText(
        '保存していない変更があります。保存すると、ほかの場所で開いている人は、すぐに使えなくなります。',
      ),
    ).toBeTruthy();
    await press('ネットワークを保存');
    await waitFor(() => expect(saved()).toEqual([{ update_info: { login_networks: ['10.0.0.0/8', OFFICE] } }]));
    await screen.findByText('ネットワークを保存しました');
  });

  it('an IPv6 address is added by its /64; one that the server does not know, not at all', async () => {
    rule = { login_networks: [], current_address: '2001:db8:0:1::9' };
    await open();
    await press('2001:db8:0:1::/64を追加');
    expect((await field()).value).toBe('2001:db8:0:1::/64');
  });

  it('without a known address there is nothing to add', async () => {
    rule = { login_networks: [], current_address: null };
    await open();
    expect(await screen.findByText('このサーバーからは、現在の接続元が分かりません')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /を追加$/ })).toBeNull();
  });

  it('each wrong line is named with its number and its remedy, before anything is sent', async () => {
    rule = { login_networks: [], current_address: OFFICE };
    await open();
    await type(`${OFFICE}\n\n203.0.113.9/24\nunknown`);
    await press('ネットワークを保存');
    const fault = await screen.findByText(
      /^3行目：ネットワークなら 203\.0\.113\.0\/24、1つのアドレスなら 203\.0\.113\.9/,
    );
    expect(fault.textContent).toContain('\n4行目：203.0.113.7 か');
    expect((await field()).getAttribute('aria-describedby')).toContain(fault.id);
    expect(saved()).toEqual([]);
    await user.clear(await field());
    await press('ネットワークを保存');
    expect(screen.queryByText(/行目：/)).toBeNull();
  });

  it('more than 50 are refused here', async () => {
    rule = { login_networks: [], current_address: OFFICE };
    await open();
    await user.click(await field());
    await user.paste(Array.from({ length: 51 }, (_, n) => `10.0.${n}.0/24`).join('\n'));
    await press('ネットワークを保存');
    expect(await screen.findByText('許可するネットワークは50件までです')).toBeTruthy();
    expect(saved()).toEqual([]);
  });

  it('what the server refuses stands at the field, and what was typed stays', async () => {
    rule = { login_networks: [], current_address: OFFICE };
    await open();
    const message = `いまの接続元（${OFFICE}）が入っていません。追加してから保存してください。`;
    const details = [{ path: 'update_info.login_networks', message }];
    next = [{ status: 409, body: { code: 'own_network_missing', message, details } }];
    await type('192.0.2.0/24');
    await press('ネットワークを保存');
    expect(await screen.findByText(message.slice(0, -1))).toBeTruthy();
    expect((await field()).value).toBe('192.0.2.0/24');
    expect(toastTextNow('alert')).toBe('');
    await press(`${OFFICE}を追加`);
    await press('ネットワークを保存');
    await screen.findByText('ネットワークを保存しました');
    expect(saved().at(-1)).toEqual({ update_info: { login_networks: ['192.0.2.0/24', OFFICE] } });
  });
});

it('only admins see the screen, and its entry', async () => {
  await open('sales');
  expect(await screen.findByText('この画面は管理者だけが使えます')).toBeTruthy();
  const pages = within(screen.getByRole('navigation', { name: '設定' }));
  expect(pages.getByRole('link', { name: 'メンバー' })).toBeTruthy();
  expect(pages.queryByRole('link', { name: 'ログインの決まり' })).toBeNull();
});

it('leads to the other pages by a select on phones', async () => {
  const wide = matchMedia;
  vi.stubGlobal('matchMedia', (query: string) => ({ ...wide(query), matches: query.includes('640px') }));
  onTestFinished(() => void vi.stubGlobal('matchMedia', wide));
  await open();
  const pages = within(screen.getByRole('navigation', { name: '設定' }));
  const select = pages.getByLabelText<HTMLSelectElement>('設定');
  expect(select.selectedOptions[0]?.text).toBe('ログインの決まり');
  expect(pages.queryByRole('link')).toBeNull();
  await user.selectOptions(select, within(pages.getByRole('group', { name: 'チーム' })).getByText('操作履歴'));
  expect(await screen.findByRole('heading', { level: 1, name: '操作履歴' })).toBeTruthy();
});

describe('the company’s log-in', () => {
  const box = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
  const type = async (name: string, text: string) => {
    await user.clear(box(name));
    await user.type(box(name), text);
  };
  const choose = (label: string) => user.selectOptions(screen.getByLabelText('提供元'), label);
  const infos = () =>
    requests.filter(({ method, path }) => method === 'PUT' && path === '/oidc').map(({ body }) => body);

  it('is registered with Microsoft by the tenant, and asks for what is missing', async () => {
    await open();
    expect(box('リダイレクトURI').value).toBe('https://kaitaku.example/oauth/callback');
    await choose('Microsoft Entra ID');
    await user.click(screen.getByRole('button', { name: '保存してオンにする' }));
    expect(screen.getByText('ディレクトリ（テナント）IDを入力してください')).toBeTruthy();
    expect(screen.getByText('クライアントシークレットを入力してください')).toBeTruthy();
    await type('ディレクトリ（テナント）ID（必須）', '0B2C4D6E-1111-4222-8333-444455556666');
    await type('クライアントID（必須）', 'client');
    await type('クライアントシークレット（必須）', 'secret');
    await type('メールアドレスのドメイン（必須）', 'haru.example、 natsu.example');
    await user.click(screen.getByRole('button', { name: '保存してオンにする' }));
    await waitFor(() =>
      expect(infos()).toEqual([
        {
          version: 'v1',
          update_info: {
            provider: 'microsoft',
            issuer: 'https://login.microsoftonline.com/0b2c4d6e-1111-4222-8333-444455556666/v2.0',
            client_id: 'client',
            client_secret: 'secret',
            domains: ['haru.example', 'natsu.example'],
            active: 1,
          },
        },
      ]),
    );
  });

  const OTHER = {
    registration: {
      provider: 'other',
      issuer: 'https://idp.example',
      client_id: 'client',
      domains: ['haru.example'],
      active: 1,
    },
    redirect_uri: 'https://kaitaku.example/oauth/callback',
    login_link: 'https://kaitaku.example/login?c=key',
    version: 'v2',
  };

  it('keeps its secret, is switched off, and asks the password where the log-in is old', async () => {
    registered = OTHER;
    await open();
    next = [refused(400, 'もう一度ログインしてから、変更してください。', 'password_needed')];
    await user.click(await screen.findByRole('button', { name: 'オフにする' }));
    await user.type(await screen.findByLabelText('現在のパスワード'), 'my password');
    await user.click(screen.getByRole('button', { name: 'オフにする' }));
    const { login_link: _, redirect_uri: __, ...kept } = OTHER;
    const update_info = { ...kept.registration, active: 0 };
    await waitFor(() =>
      expect(infos()).toEqual([
        { version: 'v2', update_info },
        { version: 'v2', update_info, current_password: 'my password' },
      ]),
    );
  });

  it('shows the server’s faults at the fields', async () => {
    registered = OTHER;
    await open();
    const message = '接続できません。URLと証明書を確かめてください';
    const details = [{ path: 'update_info.issuer', message }];
    next = [{ status: 400, body: { code: 'invalid_issuer', message, details } }];
    await user.click(await screen.findByRole('button', { name: '保存' }));
    await screen.findByText(message);
    expect(box('Issuer（必須）').getAttribute('aria-invalid')).toBe('true');
  });

  it('switches passwords off, and names at the control which admins have no second step', async () => {
    registered = OTHER;
    await open();
    expect(box('ログイン画面のリンク').value).toBe(OTHER.login_link);
    const message = '管理者の全員に、二段階認証が必要です。夏目 太郎さんの設定が終わってから、変更してください。';
    next = [refused(409, message, 'two_factor_missing')];
    const name = /^パスワードでのログインを止める/;
    await user.click(screen.getByLabelText(name));
    await screen.findByText(message.slice(0, -1));
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(name).checked).toBe(false));
    await user.click(screen.getByLabelText(name));
    await waitFor(() => expect(rule).toEqual({ password_off: 1 }));
  });
});
