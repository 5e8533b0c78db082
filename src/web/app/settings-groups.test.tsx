import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { type FakeAnswer, type FakeRequest, fakeApi, ok } from '#test/web/fake-api.ts';
import { renderApp, showsTheirChanges, theirChanges } from '#test/web/render.tsx';
import { logInAs, USER } from '#test/web/samples.ts';
import { useSession } from '#web/lib/session/session-store.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/groups.tsx';

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
const PROFILE = {
  id: 2,
  sender_group_id: 1,
  group: '営業部',
  person_in_charge: '田中 直樹',
  email: 'tanaka@example.jp',
  reply_to: null as string | null,
  bcc: null as string | null,
  signature: '',
  mails_per_minute: null,
  max_mails_per_minute: null,
  active: 1,
  is_confirmed: 1,
  confirmation_sent_at: null,
  mailbox_id: null,
  sender_id: 5,
  template_ids: [3],
  version: 'v1',
};
const pair = (id: number, template_id: number, own_subject: string | null = null) => ({
  id,
  profile_id: 2,
  template_id,
  template_name: `文面${template_id}`,
  sendgrid_template_id: null,
  own_subject,
});
const template = (id: number) => ({ id, name: `文面${id}`, subject: `件名${id}`, sendgrid_template_id: null });

let group = GROUP;
let profiles = [PROFILE];
let pairs = [pair(5, 3)];
let templates = [template(3), template(4)];
/** The server's refusal of the next save. */
let refusal: FakeAnswer | undefined;
let requests: FakeRequest[];

/** Refuses a save whose version differs from the stored one. */
function saved(stored: { version: string }, body: unknown, [code, path]: [string, string?], message: string) {
  const details = path === undefined ? undefined : [{ path, message }];
  if ((body as { version: string }).version !== stored.version)
    return { status: 409, body: { message, code, details } };
  return ok({ status: 'updated', id: 2, version: 'v3', is_confirmed: 1 });
}

const TOLD = '佐藤 花子さんが11/27（金）10:02に変更しました。';

beforeEach(async () => {
  [group, profiles, pairs] = [GROUP, [PROFILE], [pair(5, 3)]];
  templates = [template(3), template(4)];
  refusal = undefined;
  logInAs();
  requests = fakeApi({
    'GET /sender_group/list': () => ok([group]),
    'GET /sender_profile/list': () => ok(profiles),
    'GET /sender/list': () => ok(pairs),
    'GET /sender/9': () => ok({ id: 9, profile_id: 2 }),
    'POST /sender': ({ body }) =>
      (body as { add_info: { template_id: number } }).add_info.template_id === 0
        ? { status: 400, body: { message: '', details: [{ path: 'add_info.template_id', message: '小さすぎます' }] } }
        : ok({ status: 'added', id: 9, is_confirmed: 1 }),
    'GET /mail_template/list': () => ok(templates),
    'GET /domain_health/list': () => ok([]),
    'GET /legal_profile/list': () => ok([]),
    'PUT /sender_group/1': ({ body }) => saved(group, body, ['group_changed', 'update_info.group_name'], TOLD),
    'PUT /sender_profile/2': ({ body }) => {
      const answer = refusal ?? saved(profiles[0] ?? PROFILE, body, ['profile_changed'], TOLD);
      refusal = undefined;
      return answer;
    },
  });
});

const open = () => renderApp('/settings/groups');

const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));
const fill = async (label: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(label), { target: { value } });
const notice = async () => within(await theirChanges());
const puts = () => requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);

it('start with what is complete, what is not, and what is unknown', async () => {
  profiles = [{ ...PROFILE, is_confirmed: 0 }];
  await open();
  const state = within(await screen.findByRole('list', { name: '送信の準備' }));
  await state.findByText('要対応');
  expect(state.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '法定表示未確認',
    '差出人要対応',
    'ドメイン未確認',
  ]);
});

it('show no button of a call that the role of the member does not permit', async () => {
  const named = ['名前を変更', '無効にする', '差出人を追加'];
  const drawn = async () => {
    const { unmount } = await open();
    await screen.findByRole('heading', { name: '営業部' });
    const buttons = screen.getAllByRole('button').map(({ textContent }) => textContent);
    unmount();
    return named.filter((name) => buttons.some((text) => text.includes(name)));
  };
  expect(await drawn()).toEqual(named);
  useSession.setState({ current_user: { ...USER, member: { id: 1, role: 'sales', sender_group_ids: null } } });
  expect(await drawn()).toEqual([]);
});

describe('what another member has saved meanwhile is shown before it is overwritten', () => {
  it('the name of a group, at its field', async () => {
    await open();
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

  it('the fields of a person: those that only the other member changed show the saved value', async () => {
    await open();
    await press('田中 直樹を編集');
    await fill('返信先', 'b@example.jp');
    await fill('署名', '営業部');
    profiles = [{ ...PROFILE, reply_to: 'a@example.jp', bcc: 'c@example.jp', template_ids: [3, 4], version: 'v2' }];
    await press('保存');
    const shown = await notice();
    expect(await shown.findByText('a@example.jp')).toBeDefined();
    expect(shown.getByText('c@example.jp')).toBeDefined();
    expect(shown.getByText('文面3、文面4')).toBeDefined();
    expect(shown.getByText(TOLD.slice(0, -1))).toBeDefined();
    const values = ['返信先', 'Bcc', '署名'].map((label) => (screen.getByLabelText(label) as HTMLInputElement).value);
    expect(values).toEqual(['b@example.jp', 'c@example.jp', '営業部']);
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(puts()).toMatchObject([
      { version: 'v1', update_info: { bcc: '' } },
      {
        version: 'v2',
        update_info: { bcc: 'c@example.jp', template_ids: [3, 4], reply_to: 'b@example.jp', signature: '営業部' },
      },
    ]);
  });

  it('and replaces the typed values on demand', async () => {
    await open();
    await press('田中 直樹を編集');
    await fill('返信先', 'b@example.jp');
    profiles = [{ ...PROFILE, reply_to: 'a@example.jp', version: 'v2' }];
    await press('保存');
    await (await notice()).findByText('a@example.jp');
    await press('相手の内容を読み込む');
    expect(screen.getByLabelText('返信先')).toHaveProperty('value', 'a@example.jp');
    expect(showsTheirChanges()).toBe(false);
  });
});

const tick = async (name: RegExp) => fireEvent.click(await screen.findByRole('checkbox', { name }));
const conflict = (code: string, message: string): FakeAnswer => {
  const details = [{ path: 'update_info.template_ids', message }];
  return { status: 409, body: { message, code, details } };
};
const posts = () => requests.filter(({ method }) => method === 'POST');

describe('the card of a person', () => {
  it('links to the editors of its templates, names those with their own subject, and counts those beyond 8', async () => {
    pairs = Array.from({ length: 10 }, (_, n) => pair(n + 5, n + 3, n === 1 ? '特別なご提案' : null));
    await open();
    const chips = within(await screen.findByRole('list', { name: '使うテンプレート' }));
    expect(chips.getByRole('link', { name: '文面3' }).getAttribute('href')).toBe('/template/3');
    expect(chips.getByTitle('特別なご提案').textContent).toBe('文面4（別の件名）');
    expect(chips.getAllByRole('listitem').map(({ textContent }) => textContent)).toHaveLength(9);
    expect(chips.getByText('ほか2件')).toBeDefined();
  });

  it('shows an address of two persons once, and none of an inactive one', async () => {
    const other = { ...PROFILE, id: 3, person_in_charge: '森 花子', email: 'Tanaka@example.jp' };
    const off = { ...PROFILE, id: 4, person_in_charge: '林 一', email: 'mori@example.jp', active: 0 };
    profiles = [PROFILE, other, { ...PROFILE, id: 6, email: 'mori@example.jp' }, off];
    await open();
    expect(
      await screen.findByText(
        /^同じアドレスの差出人がいます（tanaka@example.jp）。1分あたりの上限は差出人ごとに数えるため/,
      ),
    ).toBeDefined();
    expect(screen.getByText('無効：林 一 mori@example.jp')).toBeDefined();
  });
});

describe('the templates of a person', () => {
  it('are ticked; the error that a reservation needs one is shown at the ticks', async () => {
    await open();
    await press('田中 直樹を編集');
    await tick(/^文面3/);
    await tick(/^文面4/);
    refusal = conflict('has_reservations', '予約が2件あります。先に予約を削除してください');
    await press('保存');
    const ticks = screen.getByRole('group', { name: 'テンプレート（1件を選択中）' });
    expect(await within(ticks).findByText(/^予約が2件あります/)).toBeDefined();
    expect(puts()).toMatchObject([{ update_info: { template_ids: [4] } }]);
    // Whether a person is active needs a role of its own, so that an unchanged flag is not sent.
    expect(puts()).not.toMatchObject([{ update_info: { active: 1 } }]);
  });

  it('are unticked when the person is made inactive', async () => {
    await open();
    await press('田中 直樹を編集');
    fireEvent.click(await screen.findByRole('switch', { name: '有効' }));
    await press('保存');
    await waitFor(() => expect(puts()).toHaveLength(1));
    const [{ update_info }] = puts() as [{ update_info: object }];
    expect(update_info).toMatchObject({ active: 0 });
    expect(update_info).not.toHaveProperty('template_ids');
  });

  it('of a new person are added once, however often the save is repeated', async () => {
    await open();
    await press('差出人を追加');
    await fill('差出人名（必須）', '森 花子');
    await fill('メールアドレス（必須）', 'mori@example.jp');
    await press('保存');
    expect(await screen.findByText('テンプレートを1つ以上選んでください')).toBeDefined();
    await tick(/^文面3/);
    await tick(/^文面4/);
    // The same person existed already, with a template that was not ticked here.
    profiles = [{ ...PROFILE, template_ids: [3, 8] }];
    refusal = conflict('template_archived', 'このテンプレートはアーカイブされています');
    await press('保存');
    expect(await screen.findByText('このテンプレートはアーカイブされています')).toBeDefined();
    await tick(/^文面3/);
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(posts().map(({ body }) => body)).toMatchObject([
      { add_info: { template_id: 0 } },
      { add_info: { template_id: 3, person_in_charge: '森 花子' } },
    ]);
    expect(puts()).toMatchObject([
      { update_info: { template_ids: [3, 4, 8] } },
      { update_info: { template_ids: [4, 8] } },
    ]);
  });

  it('of an account without any link to the screen that creates one', async () => {
    templates = [];
    await open();
    await press('差出人を追加');
    const link = await screen.findByRole('link', { name: 'テンプレートを作成' });
    expect(link.getAttribute('href')).toBe('/templates');
  });
});

describe('the daily limit of a person', () => {
  const LIMIT = { profile_id: 2, per_day: 200, ramp_from: '2026-11-20', ramp_start: 20, ramp_percent: 30 };
  const TODAY = { limit: 58, used: 38, step: 5, full_on: 10 };
  const serve = (limit: object, answer: FakeAnswer = ok({ status: 'updated', today: null })) => {
    requests = fakeApi({
      'GET /sender_group/list': () => ok([group]),
      'GET /sender_profile/list': () => ok(profiles),
      'GET /sender/list': () => ok(pairs),
      'GET /mail_template/list': () => ok(templates),
      'GET /sender_limit/2': () => ok(limit),
      'PUT /sender_limit/2': () => answer,
      'PUT /sender_profile/2': ({ body }) => saved(profiles[0] ?? PROFILE, body, ['profile_changed'], TOLD),
    });
  };
  const edit = async () => {
    await open();
    await press(`${PROFILE.person_in_charge}を編集`);
  };
  const limits = () => requests.filter(({ method, path }) => method === 'PUT' && path === '/sender_limit/2');

  it('shows how much of today is used, and is not sent if it is unchanged', async () => {
    serve({ ...LIMIT, today: TODAY });
    await edit();
    expect(
      await screen.findByText('今日の上限は58通です（38通送信済み）。いまは5日目で、10日目に200通になります。'),
    ).toBeDefined();
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(limits()).toEqual([]);
    expect(puts()).toHaveLength(1);
  });

  it('starts to grow today, and keeps the typed values when the server refuses it', async () => {
    const told = '管理者の決めた送信速度では、1日に100通までです';
    const details = [{ path: 'update_info.per_day', message: `${told}。` }];
    serve(
      { ...LIMIT, per_day: null, ramp_from: null, today: null },
      { status: 400, body: { message: '', code: 'above_limit', details } },
    );
    await edit();
    await fill('1日の上限（通）', '０');
    await press('保存');
    expect(screen.getByText('1〜1,000,000の整数で入力してください')).toBeDefined();
    await fill('1日の上限（通）', '２００');
    fireEvent.click(screen.getByRole('checkbox', { name: 'ゆっくり増やす' }));
    await fill('開始（通）', '30');
    await press('保存');
    expect(await screen.findByText(told)).toBeDefined();
    expect(screen.getByLabelText('開始（通）')).toHaveProperty('value', '30');
    const ramp_from = dayOf(Date.now());
    expect(limits().map(({ body }) => body)).toEqual([
      { update_info: { per_day: 200, ramp_from, ramp_start: 30, ramp_percent: 30 } },
    ]);
    // The person and its template are saved by one request, so both are saved or neither.
    expect(puts()).toHaveLength(1);
  });
});
