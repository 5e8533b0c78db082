import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/mailboxes.tsx';
import '#web/app/routes/visitors/oauth-callback.tsx';
import '#web/app/mailboxes/consent-return.tsx';
import '#web/features/mailboxes/consent/oauth-app-form.tsx';
import '#web/features/mailboxes/mailbox-dialog.tsx';

const BOX = {
  id: 8,
  kind: 'microsoft',
  name: '鈴木 彩',
  address: 'aya@haru.example',
  owner_id: 1,
  owner: '鈴木 彩',
  is_mine: 1,
  may_change: 1,
  smtp_host: 'smtp.office365.com',
  smtp_port: 587,
  security: 'starttls',
  username: 'aya@haru.example',
  imap_host: 'outlook.office365.com',
  reads_replies: 0,
  takes_refusals: 0,
  other_from: [],
  ids: 'unknown',
  state: 'reconnect',
  checked_at: null,
  paused_until: null,
  why: null,
  last_fault: 'invalid_grant',
  read_at: null,
  read_fault: null,
  per_day: 300,
  per_minute: 20,
  used_today: 0,
  senders: [],
  version: 1,
};
const URL_THERE = 'https://login.microsoftonline.com/haru.example/oauth2/v2.0/authorize?client_id=c&state=the-state';
const RETURN = '/oauth/callback?code=the-code&state=the-state';
const REGISTRATION = {
  registration: { client_id: 'the-client', tenant: null, fault: null },
  redirect_uri: 'https://kaitaku.example.jp/oauth/callback',
  log_in: null,
  mailboxes: 2,
  version: 'v1',
};

let requests: FakeRequest[];
let rows: object[];
let authorize: () => FakeAnswer;
let authorized: () => FakeAnswer;
let registration: object;
const assign = vi.fn();
const user = userEvent.setup();

beforeEach(() => {
  rows = [BOX];
  assign.mockReset();
  authorize = () => ok({ url: URL_THERE });
  authorized = () => ok({ status: 'connected', id: 8, address: BOX.address, version: 2 });
  registration = REGISTRATION;
  const steps = [{ step: 'login', state: 'ok', text: 'ログインできました。' }];
  requests = fakeApi({
    'GET /mailbox/list': () => ok(rows),
    'POST /mailbox': () => {
      rows = [BOX];
      return ok({ status: 'added', id: 8, version: 1 });
    },
    'POST /mailbox/8/authorize': () => authorize(),
    'POST /mailbox/authorized': () => authorized(),
    'POST /mailbox/8/check': () => ok({ state: 'ok', steps, version: 3 }),
    'GET /oauth_app/google': () => ok(registration),
    'GET /oauth_app/microsoft': () => ok({ ...REGISTRATION, registration: null, mailboxes: 0 }),
    'PUT /oauth_app/google': () => ok({ status: 'updated' }),
    'PUT /oauth_app/microsoft': () => ok({ status: 'updated' }),
    'GET /sender_group/list': () => ok([]),
    'GET /sender/list': () => ok([]),
    'GET /sender_profile/list': () => ok([]),
    'GET /prospect/view': () => ok({ rows: [], total: 0 }),
  });
});

const asked = (method: string, path: string) =>
  requests.filter((request) => request.method === method && request.path === path).map(({ body }) => body);
async function open(path: string, role: Role = 'admin') {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 } });
  const app = await renderApp(path);
  vi.stubGlobal('location', { ...window.location, assign });
  return app;
}
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
const kept = () => sessionStorage.getItem('kaitaku-mailbox-consent');

describe('on the way to the provider', () => {
  it('a new mailbox of Microsoft asks for no server and no password, and leaves for its page', async () => {
    rows = [];
    await open('/settings/mailboxes');
    await press('メールボックスを追加');
    const dialog = within(await screen.findByRole('dialog'));
    await user.selectOptions(dialog.getByLabelText('種類'), 'Microsoft 365');
    expect(dialog.queryByLabelText(/SMTPサーバー/)).toBeNull();
    expect(dialog.queryByLabelText(/パスワード/)).toBeNull();
    await user.clear(dialog.getByLabelText(/メールアドレス/));
    await user.type(dialog.getByLabelText(/メールアドレス/), BOX.address);
    await press('Microsoftでサインイン');
    await waitFor(() => expect(assign).toHaveBeenCalledWith(URL_THERE));
    expect(asked('POST', '/mailbox')).toMatchObject([{ add_info: { kind: 'microsoft', address: BOX.address } }]);
    expect(asked('POST', '/mailbox')).not.toMatchObject([{ add_info: { smtp_host: expect.anything() } }]);
    expect(asked('POST', '/mailbox/8/check')).toEqual([]);
    expect(kept()).toBe('the-state');
  });

  it('a lost one is connected again in the same way', async () => {
    await open('/settings/mailboxes?reconnect=8');
    expect(within(await screen.findByRole('dialog')).queryByLabelText(/SMTPサーバー/)).toBeNull();
    await press('Microsoftでサインイン');
    await waitFor(() => expect(assign).toHaveBeenCalledWith(URL_THERE));
    expect(asked('PUT', '/mailbox/8')).toEqual([]);
  });

  it('a refusal stays in the dialog, and a second press adds no second mailbox', async () => {
    rows = [];
    authorize = () => refused(409, 'Microsoftに登録していません。', 'app_missing');
    await open('/settings/mailboxes');
    await press('メールボックスを追加');
    await user.selectOptions(await screen.findByLabelText('種類'), 'Microsoft 365');
    await press('Microsoftでサインイン');
    await waitFor(() => expect(screen.getByRole('dialog').textContent).toContain('Microsoftに登録していません'));
    authorize = () => ok({ url: URL_THERE });
    await press('Microsoftでサインイン');
    await waitFor(() => expect(assign).toHaveBeenCalled());
    expect(asked('POST', '/mailbox')).toHaveLength(1);
  });
});

describe('the way back', () => {
  beforeEach(() => sessionStorage.setItem('kaitaku-mailbox-consent', 'the-state'));

  it('takes the code out of the address, stores the tokens, and checks the mailbox', async () => {
    const { router } = await open(RETURN);
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/mailboxes'));
    expect(asked('POST', '/mailbox/authorized')).toEqual([{ state: 'the-state', code: 'the-code' }]);
    expect(await screen.findByText('つながりました')).toBeTruthy();
    expect(asked('POST', '/mailbox/8/check')).toHaveLength(1);
    await press('完了');
    await waitFor(() => expect(router.state.location.search).toBe(''));
    expect(kept()).toBeNull();
    expect(asked('POST', '/auth/oidc/finish')).toEqual([]);
  });

  it('says whose address was wrong, and leads back', async () => {
    authorized = () => refused(409, 'private@gmail.com の許可を受け取りました。', 'other_address');
    const { router } = await open(RETURN);
    expect(await screen.findByText(/private@gmail.com/)).toBeTruthy();
    expect(router.state.location.search).toBe('');
    await user.click(screen.getByRole('link', { name: 'メールボックスに戻る' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/mailboxes'));
  });

  it('without a consent asks the server nothing', async () => {
    await open('/oauth/callback?error=access_denied&state=the-state');
    expect(await screen.findByText(/許可されなかったため/)).toBeTruthy();
    expect(asked('POST', '/mailbox/authorized')).toEqual([]);
  });

  it('of another state is no consent of this tab', async () => {
    await open('/oauth/callback?code=the-code&state=another');
    await waitFor(() => expect(screen.queryByText('メールボックスをつないでいます')).toBeNull());
    expect(asked('POST', '/mailbox/authorized')).toEqual([]);
    expect(kept()).toBe('the-state');
  });

  it('is taken once: the code leads to no second consent', async () => {
    const { router } = await open(RETURN);
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/mailboxes'));
    await router.navigate(RETURN);
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
    expect(asked('POST', '/mailbox/authorized')).toHaveLength(1);
  });
});

describe('the registration at a provider', () => {
  const part = async () => within(await screen.findByRole('region', { name: 'GoogleとMicrosoftの登録' }));

  it('is for admins', async () => {
    await open('/settings/mailboxes', 'sales');
    await screen.findByText(BOX.address);
    expect(screen.queryByRole('region', { name: 'GoogleとMicrosoftの登録' })).toBeNull();
    expect(asked('GET', '/oauth_app/google')).toEqual([]);
  });

  it('says what another client ends, keeps an empty secret, and names what is missing', async () => {
    await open('/settings/mailboxes');
    const client = await (await part()).findByLabelText('クライアントID（必須）');
    expect(client.closest('details')?.open).toBe(false);
    expect((await part()).queryByText(/2件のメールボックス/)).toBeNull();
    await user.clear(client);
    await press('登録を保存');
    expect(await (await part()).findByText('クライアントIDを入力してください')).toBeTruthy();
    await user.type(client, ' next ');
    expect((await part()).getByText(/2件のメールボックス/)).toBeTruthy();
    await press('登録を保存');
    expect(await toastText('status')).toContain('登録を保存しました');
    expect(asked('PUT', '/oauth_app/google')).toEqual([{ version: 'v1', update_info: { client_id: 'next' } }]);
  });

  it('of Microsoft names its tenant', async () => {
    await open('/settings/mailboxes');
    await user.selectOptions(await (await part()).findByLabelText('提供元'), 'Microsoft 365');
    await user.type(await (await part()).findByLabelText('テナントIDか、テナントのドメイン（必須）'), 'haru.example');
    await user.type((await part()).getByLabelText('クライアントID（必須）'), 'c');
    await user.type((await part()).getByLabelText('クライアントシークレット（必須）'), 's');
    await press('登録を保存');
    await waitFor(() => expect(asked('PUT', '/oauth_app/microsoft')).toHaveLength(1));
    expect(asked('PUT', '/oauth_app/microsoft')).toMatchObject([
      { update_info: { client_id: 'c', tenant: 'haru.example', secret: 's' } },
    ]);
  });

  it('shows why the provider refuses it, and takes that of the log-in', async () => {
    registration = {
      ...REGISTRATION,
      registration: { client_id: 'the-client', tenant: null, fault: 'invalid_client AADSTS7000222' },
      log_in: { client_id: 'log-in', tenant: null },
    };
    await open('/settings/mailboxes');
    const fault = await (await part()).findByText(/AADSTS7000222/);
    expect(fault.closest('details')?.open).toBe(true);
    await press('ログインの設定と同じ登録を使う');
    await waitFor(() => expect(asked('PUT', '/oauth_app/google')).toHaveLength(1));
    expect(asked('PUT', '/oauth_app/google')).toMatchObject([{ update_info: { as_log_in: 1 } }]);
  });
});
