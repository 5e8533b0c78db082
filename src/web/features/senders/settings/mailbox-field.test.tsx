import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Role } from '#domain/account/role.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { USER } from '#test/web/samples.ts';
import { startSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/groups.tsx';

const PROFILE = {
  id: 2,
  sender_group_id: 1,
  group: '営業部',
  person_in_charge: '田中 直樹',
  email: 'tanaka@example.com',
  reply_to: null,
  bcc: null,
  signature: '',
  mails_per_minute: null,
  max_mails_per_minute: null,
  active: 1,
  is_confirmed: 0,
  confirmation_sent_at: null,
  mailbox_id: null as number | null,
  sender_id: 5,
  template_ids: [3],
  version: 'v1',
};
const mailbox = (id: number, name: string, more: object = {}) => ({
  id,
  name,
  address: `m${id}@example.com`,
  owner_id: 9,
  may_change: 0,
  state: 'ok',
  senders: [],
  ...more,
});
const OWN = mailbox(3, '田中 直樹', { may_change: 1 });
const SHARED = mailbox(4, '営業部', { owner_id: null });
const OTHERS = mailbox(5, '鈴木 彩');
const OFF = mailbox(6, '旧窓口', { may_change: 1, state: 'off' });

let profile: typeof PROFILE;
let requests: FakeRequest[];
let next: FakeAnswer[];

async function open(role: Role = 'sales') {
  startSession('token-1', { ...USER, member: { id: 1, role, sender_group_ids: null, may_export: 1 } });
  requests = fakeApi({
    'GET /mailbox/list': () => ok([OWN, SHARED, OTHERS, OFF]),
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部', active: 1, version: 'v1', sent_this_month: 0 }]),
    'GET /sender_profile/list': () => ok([profile]),
    'GET /sender/list': () => ok([]),
    'GET /mail_template/list': () => ok([{ id: 3, name: '文面', subject: '件名', sendgrid_template_id: null }]),
    'PUT /sender_profile/2': () => next.shift() ?? ok({ status: 'updated', id: 2, version: 'v2', is_confirmed: 1 }),
  });
  await renderApp('/settings/groups');
}

const user = userEvent.setup();
const edit = async () => user.click(await screen.findByRole('button', { name: '田中 直樹を編集' }));
const dialog = async () => within(await screen.findByRole('dialog'));
const select = async () => (await dialog()).findByLabelText<HTMLSelectElement>('メールボックス');
const save = async () => user.click(await (await dialog()).findByRole('button', { name: '保存' }));
const puts = () => requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);
const faultOf = async () => {
  const ids = ((await select()).getAttribute('aria-describedby') ?? '').split(' ');
  return ids
    .filter((id) => id.endsWith('-fault'))
    .map((id) => document.getElementById(id)?.textContent)
    .join('');
};

beforeEach(() => {
  profile = PROFILE;
  next = [];
});

describe('the mailbox of a person', () => {
  it('is chosen among the own and the shared ones that are connected', async () => {
    await open();
    await edit();
    const labels = [...(await select()).options].map(({ text }) => text);
    expect(labels).toEqual(['使わない', '田中 直樹（m3@example.com）', '営業部（m4@example.com）']);
    await user.selectOptions(await select(), '3');
    await save();
    await toastText('status');
    expect(puts()).toEqual([{ version: 'v1', update_info: expect.objectContaining({ mailbox_id: 3 }) }]);
    // The mailbox confirms the address: no mail is requested.
    expect(requests.some(({ path }) => path.startsWith('/sender/5'))).toBe(false);
  });

  it("stays a colleague's where it is chosen, and is not sent unless it changes", async () => {
    profile = { ...PROFILE, mailbox_id: 5, is_confirmed: 1 };
    await open();
    expect(await screen.findByText('メールボックス：鈴木 彩')).toBeDefined();
    await edit();
    expect((await select()).selectedOptions[0]?.text).toBe('鈴木 彩（m5@example.com）');
    await save();
    await waitFor(() => expect(puts()).toHaveLength(1));
    expect(JSON.stringify(puts())).not.toContain('mailbox_id');
  });

  it('shows at its field why it does not allow the address, and keeps the choice', async () => {
    await open();
    await edit();
    await user.selectOptions(await select(), '4');
    const message = 'メールボックス m4@example.com から、tanaka@example.com を差出人にしては送れません。';
    next = [
      {
        status: 409,
        body: { code: 'from_not_allowed', message, details: [{ path: 'update_info.mailbox_id', message }] },
      },
    ];
    await save();
    await waitFor(async () => expect(await faultOf()).toBe(message.replace(/。$/, '')));
    expect((await select()).value).toBe('4');
    expect((await dialog()).getByRole('link', { name: 'メールボックスを見る' }).getAttribute('href')).toBe(
      '/settings/mailboxes',
    );
  });

  it('is changed for mails that wait by a second press only, and asks anew for another choice', async () => {
    await open();
    await edit();
    await user.selectOptions(await select(), '4');
    const question = refused(409, 'まだ送信していない3通も、新しいメールボックスから送信します。', 'has_open_mails');
    next = [question, question];
    await save();
    await waitFor(async () =>
      expect(await faultOf()).toBe(
        'まだ送信していない3通も、新しいメールボックスから送信します。よければ、もう一度「保存」を押してください',
      ),
    );
    await user.selectOptions(await select(), '3');
    await save();
    await waitFor(async () => expect(await faultOf()).not.toBe(''));
    await save();
    await toastText('status');
    expect(puts().map((body) => (body as { confirmed?: 1 }).confirmed)).toEqual([undefined, undefined, 1]);
  });

  it('that may not send leads to the mailboxes, in place of a confirmation mail', async () => {
    profile = { ...PROFILE, mailbox_id: 3 };
    await open();
    await screen.findByText('メールボックス未接続');
    expect(screen.getByRole('link', { name: 'メールボックスを見る' })).toBeDefined();
    expect(screen.queryByRole('button', { name: '確認メールを送る' })).toBeNull();
  });

  it('says where mails without one go', async () => {
    document.head.insertAdjacentHTML('beforeend', '<meta name="mail-catcher" content="yes">');
    onTestFinished(() => document.head.querySelector('meta[name="mail-catcher"]')?.remove());
    await open();
    await edit();
    expect((await select()).options[0]?.text).toBe('使わない（外部に送られません）');
  });
});
