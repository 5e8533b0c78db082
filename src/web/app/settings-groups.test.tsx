import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeRequest, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp, showsTheirChanges, theirChanges } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
// Loaded here, not within a test that waits for them.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings-groups.tsx';

const GROUP = {
  id: 1,
  group_name: '営業部',
  account_id: 7,
  active: 1,
  senders: 1,
  active_senders: 1,
  sent_this_month: 0,
  version: 'v1',
};
const SENDER = {
  id: 2,
  sender_group_id: 1,
  subject: 'ご提案',
  own_subject: null,
  person_in_charge: '田中 直樹',
  email: 'tanaka@example.jp',
  reply_to: null,
  bcc: null,
  template_id: 3,
  template_name: 'ご提案',
  sendgrid_template_id: null,
  signature: '',
  mails_per_minute: null,
  max_mails_per_minute: null,
  active: 1,
  group: '営業部',
  is_confirmed: 1,
  confirmed_at: null,
  confirmation_sent_at: null,
  reservations: 0,
  version: 'v1',
  updated_at: '2026/11/20 12:00:00',
  updated_by: null,
};
const TEMPLATE = { id: 3, name: 'ご提案', subject: 'ご提案', sendgrid_template_id: null, archived: 0 };

let group = GROUP;
let sender = SENDER;
let requests: FakeRequest[];

/** Refuses a save of a version that is not stored. */
function saved(stored: { version: string }, body: unknown, [code, path]: [string, string?], message: string) {
  const details = path === undefined ? undefined : [{ path, message }];
  if ((body as { version: string }).version !== stored.version)
    return { status: 409, body: { message, code, details } };
  return ok({ status: 'updated', id: 2, version: 'v3', is_confirmed: 1 });
}

const TOLD = '佐藤 花子さんが2026/11/27 10:02に変更しました。';

beforeEach(async () => {
  [group, sender] = [GROUP, SENDER];
  logInAs();
  requests = fakeApi({
    'GET /sender_group/list': () => ok([group]),
    'GET /sender/list': () => ok([sender]),
    'GET /sender/2': () => ok(sender),
    'GET /mail_template/list': () => ok([TEMPLATE]),
    'GET /domain_health/list': () => ok([]),
    'GET /legal_profile/list': () => ok([]),
    'PUT /sender_group/1': ({ body }) => saved(group, body, ['group_changed', 'update_info.group_name'], TOLD),
    'PUT /sender/2': ({ body }) => saved(sender, body, ['sender_changed'], TOLD),
  });
  await renderApp('/settings/groups');
});

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
const fill = async (label: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });
const notice = async () => within(await theirChanges());
const puts = () => requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);

describe('what another member has saved meanwhile is shown before it is saved over', () => {
  it('the name of a group, at its field', async () => {
    await press('名前を変更');
    await fill('グループ名', '西日本営業部');
    group = { ...GROUP, group_name: '関西営業部', version: 'v2' };
    await press('保存');
    expect(await (await notice()).findByText('関西営業部')).toBeDefined();
    expect(screen.getByText(TOLD.slice(0, -1))).toBeDefined();
    expect(screen.getByLabelText('グループ名')).toHaveProperty('value', '西日本営業部');
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const update_info = { group_name: '西日本営業部' };
    expect(puts()).toEqual([
      { version: 'v1', update_info },
      { version: 'v2', update_info },
    ]);
  });

  it('the fields of a sender: those that only the other changed keep their value', async () => {
    await press('田中 直樹を編集');
    await fill('返信先', 'b@example.jp');
    await fill('署名', '営業部');
    sender = {
      ...SENDER,
      reply_to: 'a@example.jp' as unknown as null,
      bcc: 'c@example.jp' as unknown as null,
      version: 'v2',
    };
    await press('保存');
    const shown = await notice();
    expect(await shown.findByText('a@example.jp')).toBeDefined();
    expect(shown.getByText('c@example.jp')).toBeDefined();
    expect(shown.getByText(TOLD.slice(0, -1))).toBeDefined();
    const values = ['返信先', 'Bcc', '署名'].map((label) => (screen.getByLabelText(label) as HTMLInputElement).value);
    expect(values).toEqual(['b@example.jp', 'c@example.jp', '営業部']);
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(puts()).toMatchObject([
      { version: 'v1', update_info: { bcc: '' } },
      { version: 'v2', update_info: { bcc: 'c@example.jp', reply_to: 'b@example.jp', signature: '営業部' } },
    ]);
  });

  it('and takes the place of what was typed, if the member wants so', async () => {
    await press('田中 直樹を編集');
    await fill('返信先', 'b@example.jp');
    sender = { ...SENDER, reply_to: 'a@example.jp' as unknown as null, version: 'v2' };
    await press('保存');
    await (await notice()).findByText('a@example.jp');
    await press('相手の内容を読み込む');
    expect(screen.getByLabelText('返信先')).toHaveProperty('value', 'a@example.jp');
    expect(showsTheirChanges()).toBe(false);
  });
});
