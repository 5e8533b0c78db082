import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompanyDetail, TimelineEvent } from '#contract/companies/companies.ts';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { alertIn, renderApp, toastText, toastTextNow } from '#test/web/render.tsx';
import { BLOCKED, company, logInAs, prospect, UNKNOWN_ADDRESS } from '#test/web/samples.ts';
import { useAttackList } from '#web/features/attack-list/attack-list-state.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useSession } from '#web/lib/session/session-store.ts';

const NO_MAILS = { reserved: 0, queued: 0, sending: 0, failed: 0 };
const NOTHING = { addressee: '', similar: [], sharing: [], sharing_total: 0, suppressed: null, affected: NO_MAILS };
const SIMILAR = { id: 9, company_name: '㈱甲', address: '東京都', archived: 0, is_same: 0 };
const CHANGED = '鈴木さんが11/22（日）10:00に変更しました。内容を確かめてから、保存してください。';

const event = (values: Partial<TimelineEvent>): TimelineEvent => ({
  kind: 'edited',
  at: '2026/11/22 10:00:00',
  member_name: null,
  sender_group_id: null,
  send_log_id: null,
  delivery_id: null,
  subject: null,
  mail_to: null,
  person: null,
  state: null,
  reason: null,
  cause: null,
  smtp_reply: null,
  test_send_mode: null,
  import_run_id: null,
  file_name: null,
  changes: [],
  ...values,
});

interface Served {
  stored: CompanyDetail;
  timeline: TimelineEvent[];
  check: object;
}

const served: Served = { stored: company(5), timeline: [], check: NOTHING };

type Handlers = Parameters<typeof fakeApi>[0];

const serve = (more: Handlers = {}): FakeRequest[] =>
  fakeApi({
    'GET /sender_group/list': () => ok([{ id: 1, group_name: '営業部' }]),
    'GET /sender/list': () => ok([]),
    'GET /prospect/view': () => ok({ rows: [4, 5, 6].map((id) => prospect(id)), total: 3 }),
    'GET /prospect/check': () => ok(served.check),
    ...Object.fromEntries(
      [4, 5, 6].flatMap((id) => [
        [`GET /prospect/${id}`, () => ok(id === 5 ? served.stored : company(id))],
        [`GET /prospect/${id}/timeline`, () => ok(served.timeline)],
      ]),
    ),
    ...more,
  });

const of = (requests: FakeRequest[], method: string) =>
  requests.filter((request) => request.method === method).map(({ path, body }) => [path, body]);
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
/** Sets the value at once, as a paste does. */
const fill = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const dialog = () => within(screen.getByRole('dialog'));

/** Types into the form's remarks; the page behind it has remarks too. */
const fillRemarks = (value: string) =>
  fireEvent.change(dialog().getByLabelText('備考（営業部）'), { target: { value } });

async function edit(): Promise<void> {
  await screen.findByRole('heading', { name: '第5商事' });
  await press('編集');
  await screen.findByRole('dialog', { name: '会社の編集' });
}

beforeEach(() => {
  Object.assign(served, { stored: company(5), timeline: [], check: NOTHING });
  logInAs();
});

describe('the page of a company', () => {
  it('shows its values, groups and history', async () => {
    served.stored = company(5, { suppressed: BLOCKED, archived: 1 });
    served.timeline = [
      event({ changes: [{ field: 'address', old: '東京都港区', new: null }], member_name: '田中 直樹' }),
      event({ kind: 'mail', state: 'sent', delivery_id: 3, send_log_id: 2, subject: 'ご提案', test_send_mode: 1 }),
      event({ kind: 'added', import_run_id: 1, file_name: 'list.csv' }),
    ];
    serve();
    await renderApp('/prospects/5');
    await screen.findByRole('heading', { name: '第5商事' });
    for (const text of ['100,000,000円', '1985年', '佐藤 花子 様', 'アーカイブ済み', '配信停止（自社で禁止）'])
      expect(screen.getByText(text)).toBeDefined();
    expect(await screen.findByLabelText('備考（営業部）')).toHaveProperty('placeholder', '備考なし');
    expect(await screen.findByText('CSVで登録しました（list.csv）')).toBeDefined();
    expect(screen.getByText(/^住所を変更しました/).textContent).toBe('住所を変更しました：東京都港区 → （なし）');
    expect(screen.getByRole('link', { name: '送信の詳細' }).getAttribute('href')).toBe('/sends/2');
    expect(screen.queryByText('まだ送信していません')).toBeNull();
    await press('その他の操作');
    expect(screen.getByRole('button', { name: 'リストに戻す' })).toBeDefined();
  });

  it('says once that a mail was taken back, and of another mail that did not leave why', async () => {
    const mail = { kind: 'mail', state: 'cancelled', delivery_id: null, subject: 'ご提案' } as const;
    served.timeline = [event({ ...mail, reason: 'run_cancelled' }), event({ ...mail, reason: 'replied' })];
    serve();
    await renderApp('/prospects/5');
    const texts = (await screen.findAllByText('ご提案')).map((subject) => subject.closest('li')?.textContent);
    expect(texts).toEqual([
      expect.stringMatching(/送信前に取り消しましたご提案$/),
      expect.stringMatching(/送信しませんでした返信ありご提案$/),
    ]);
  });

  it('says in one word that a server does not know its address, with the reply of the server behind an ⓘ', async () => {
    served.stored = company(5, { suppressed: UNKNOWN_ADDRESS });
    served.check = { ...NOTHING, suppressed: UNKNOWN_ADDRESS };
    serve();
    await renderApp('/prospects/5');
    const replies = () => screen.getAllByText(UNKNOWN_ADDRESS.reason).map(({ hidden }) => hidden);
    expect(await screen.findByText('宛先不明')).toBeDefined();
    expect(replies()).toEqual([true]);
    await edit();
    expect(await screen.findByText('このアドレスにはメールが届かないため、送信を止めています')).toBeDefined();
    expect(replies()).toEqual([true, true]);
    await userEvent.click(dialog().getByRole('button', { name: 'サーバーの応答' }));
    expect(dialog().getByRole('note', { name: 'サーバーの応答' }).textContent).toBe(UNKNOWN_ADDRESS.reason);
  });

  it('shows the telephone number as a link, and the undo of an import as an undo', async () => {
    served.stored = company(5, { phone: '03-1234-5678（代表）' });
    const ofImport = { import_run_id: 1, file_name: 'list.csv' };
    served.timeline = [
      event({ ...ofImport, kind: 'import_undone', changes: [{ field: 'remarks', old: '後', new: '前' }] }),
      event({ ...ofImport, kind: 'archived' }),
      event({ ...ofImport, kind: 'added', changes: [{ field: 'remarks', old: '', new: '展示会' }] }),
      event({ kind: 'archived', changes: [{ field: 'person.1.met_on', old: null, new: '2026-11-20' }] }),
    ];
    serve();
    await renderApp('/prospects/5');
    const link = await screen.findByRole('link', { name: '03-1234-5678（代表）' });
    expect(link.getAttribute('href')).toBe('tel:0312345678');
    await screen.findByText(/^備考を変更しました/);
    const lines = screen.getAllByText(/しました/, { selector: 'li strong' });
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      '取り込みを取り消して、元に戻しました（list.csv）',
      '取り込みを取り消して、アーカイブしました（list.csv）',
      'CSVで登録しました（list.csv）',
      'アーカイブしました',
    ]);
    expect(screen.getByText(/^備考を変更しました/).textContent).toBe('備考を変更しました：後 → 前');
    expect(screen.getByText(/^備考：/).textContent).toBe('備考：展示会');
    expect(screen.getByText(/名刺交換日/).textContent).toMatch(/→ 2026\/11\/20$/);
  });

  it('loads older events by pages', async () => {
    const offsets: (string | null)[] = [];
    serve({
      'GET /prospect/5/timeline': ({ query }) => {
        offsets.push(query.get('offset'));
        const all = Array.from({ length: 21 }, (_, n) => event({ at: `2026/11/22 10:00:${String(59 - n)}` }));
        return ok(query.get('offset') === '0' ? all : all.slice(20));
      },
    });
    await renderApp('/prospects/5');
    await waitFor(() => expect(screen.getAllByText('編集しました')).toHaveLength(20));
    expect(screen.queryByText('まだ送信していません')).toBeNull();
    await press('以前の履歴を表示');
    await waitFor(() => expect(screen.getAllByText('編集しました')).toHaveLength(21));
    expect(offsets).toEqual(['0', '20']);
    expect(screen.getByText('まだ送信していません')).toBeDefined();
  });

  it('shows that a company does not exist, and reloads one that could not be loaded', async () => {
    serve({ 'GET /prospect/5': () => refused(404, 'ありません', 'not_found') });
    await renderApp('/prospects/5');
    expect(await screen.findByText('この会社は見つかりません')).toBeDefined();
    const ways = screen.getAllByRole('link', { name: '見込み客リストへ戻る' });
    expect(ways.map((way) => way.getAttribute('href'))).toEqual(['/', '/']);
    expect(toastTextNow('alert')).toBe('');
  });

  it('shows the same status as its row', async () => {
    const [group] = company(5).groups;
    if (group === undefined) throw new Error('no group');
    served.stored = company(5, { groups: [{ ...group, status: 'reserved', send_at: '2026/12/01 09:00' }] });
    serve();
    await renderApp('/prospects/5');
    expect(await screen.findByText(`予約中 ${sentenceTime('2026/12/01 09:00')}`)).toBeDefined();
    expect(screen.queryByText('未送信')).toBeNull();
  });

  it('saves the flag of a group', async () => {
    const requests = serve({ 'POST /active_prospect/': () => ok({ status: 'added' }) });
    await renderApp('/prospects/5');
    const active = await screen.findByRole('switch', { name: '第5商事への配信（営業部）' });
    await userEvent.click(active);
    await waitFor(() => expect(active.getAttribute('aria-checked')).toBe('false'));
    expect(of(requests, 'POST')[0]?.[1]).toEqual({
      add_info: { prospect_id: 5, sender_group_id: 1, active: 0 },
      duplicate_key_update_info: { active: 0 },
    });
  });

  it.each([
    [0, 'アーカイブ', 'archive', 'アーカイブしました'],
    [1, 'リストに戻す', 'restore', 'リストに戻しました'],
  ] as const)('archived %i: %s', async (archived, button, path, done) => {
    served.stored = company(5, { archived });
    const requests = serve({ [`POST /prospect/5/${path}`]: () => ok({ status: 'updated', id: 5 }) });
    await renderApp('/prospects/5');
    await press('その他の操作');
    await press(button);
    expect(of(requests, 'POST')).toEqual([]);
    await userEvent.click(dialog().getByRole('button', { name: button }));
    expect(await toastText('status')).toContain(done);
    expect(of(requests, 'POST')).toEqual([[`/prospect/5/${path}`, undefined]]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

it('leads to an attack list of this company alone', async () => {
  serve({ 'GET /attack_list/preview': () => ok({ rows: [], matched: 0, eligible: 0, left_out: {} }) });
  const { router } = await renderApp('/prospects/5');
  await press('この会社に送る');
  await waitFor(() => expect(router.state.location.search).toBe('?tab=attack-list'));
  expect(useAttackList.getState().list_source).toEqual({ companies: [{ id: 5, name: '第5商事' }] });
});

describe('the one filled button of a company', () => {
  const [group] = company(5).groups;
  const DEAD = {
    id: 9,
    kind: 'address',
    class: 'undeliverable',
    source: 'dsn',
    reason: '550',
    created_at: '2026/11/23 04:09:00',
  } as const;
  const filled = () => [...document.querySelectorAll('[data-filled]')].map(({ textContent }) => textContent);
  const ofGroup = (values: Partial<NonNullable<typeof group>>) =>
    company(5, { groups: group ? [{ ...group, ...values }] : [] });

  it('leads to its reservation, and この会社に送る is in the menu', async () => {
    served.stored = ofGroup({ status: 'reserved', send_at: '2026/12/01 09:00', reservation_id: 7 });
    serve();
    await renderApp('/prospects/5');
    expect((await screen.findByRole('link', { name: '予約を見る' })).getAttribute('href')).toBe('/reservations/7');
    expect([filled(), screen.queryByRole('button', { name: 'この会社に送る' })]).toEqual([['予約を見る'], null]);
    await press('その他の操作');
    expect(screen.getByRole('button', { name: 'この会社に送る' })).toBeDefined();
  });

  it('leads to all reservations where a server before this version does not name its own', async () => {
    served.stored = JSON.parse(JSON.stringify(ofGroup({ status: 'reserved', reservation_id: undefined as never })));
    serve();
    await renderApp('/prospects/5');
    expect((await screen.findByRole('link', { name: '予約を見る' })).getAttribute('href')).toBe('/reservations');
  });

  it('mends its dead address: the form opens with the focus in it', async () => {
    served.stored = company(5, { suppressed: DEAD });
    serve();
    await renderApp('/prospects/5');
    await press('アドレスを直す');
    expect(document.activeElement).toBe(dialog().getByLabelText('代表メール'));
  });

  it('handles the first open reply, and only that one', async () => {
    served.stored = company(5, { replied: 1, replies: 3 });
    const reply = (id: number, handled_at: string | null) => ({
      id,
      kind: 'reply',
      at: '2026/11/24 10:00:00',
      from_address: '',
      from_check: 'checked',
      from_company: null,
      folded: 0,
      subject: '',
      excerpt: '',
      is_refusal: 0,
      is_doubtful: 0,
      is_unclear: 0,
      noted_by: null,
      handled_at,
      handled_by: null,
    });
    serve({
      'GET /reply/view': () =>
        ok({ rows: [reply(3, '2026/11/24 11:00:00'), reply(2, null), reply(1, null)], total: 3 }),
    });
    await renderApp('/prospects/5');
    await waitFor(() => expect(screen.getAllByRole('button', { name: /^対応済みにする/ })).toHaveLength(2));
    expect(filled()).toEqual(['対応済みにする']);
    expect(screen.getByRole('button', { name: 'この会社に送る' })).toBeDefined();
  });

  it.each([
    ['archived', company(5, { archived: 1 })],
    ['switched off', ofGroup({ active: 0 })],
  ])('is none where it is %s', async (_what, stored) => {
    served.stored = stored;
    serve();
    await renderApp('/prospects/5');
    await screen.findByRole('button', { name: 'この会社に送る' });
    expect(filled()).toEqual([]);
  });

  it.each(['refused', 'undeliverable'] as const)('sending is not offered to an address that is %s', async (kind) => {
    served.stored = company(5, { suppressed: { ...DEAD, class: kind } });
    serve();
    await renderApp('/prospects/5');
    await press('その他の操作');
    expect(screen.getByRole('button', { name: 'アーカイブ' })).toBeDefined();
    expect(screen.queryByRole('button', { name: 'この会社に送る' })).toBeNull();
  });
});

describe('the remarks beside a company', () => {
  const isSaved = () => ok({ status: 'updated', version: 'r2' });
  const saved = (requests: FakeRequest[]) => of(requests, 'POST').map(([, body]) => body);

  it('are saved by a button that appears once they are changed', async () => {
    const requests = serve({ 'POST /active_prospect/': isSaved });
    await renderApp('/prospects/5');
    await screen.findByLabelText('備考（営業部）');
    expect(screen.queryByRole('button', { name: '備考を保存' })).toBeNull();
    fill('備考（営業部）', ' 電話した ');
    await press('備考を保存');
    expect(await toastText('status')).toContain('備考を保存しました');
    const change = { remarks: '電話した' };
    const add_info = { prospect_id: 5, sender_group_id: 1, ...change };
    expect(saved(requests)).toEqual([{ add_info, duplicate_key_update_info: change, version: 'r1' }]);
  });

  it('show what another member has saved meanwhile, and keep the typed text', async () => {
    const told = '鈴木さんが11/27（金）10:02に備考を変更しました。内容を確かめてから、保存してください。';
    serve({ 'POST /active_prospect/': () => refused(409, told, 'remarks_changed') });
    await renderApp('/prospects/5');
    await screen.findByLabelText('備考（営業部）');
    const [group] = company(5).groups;
    served.stored = company(5, { groups: group ? [{ ...group, remarks: 'Aが電話した', remarks_version: 'r2' }] : [] });
    fill('備考（営業部）', 'Bが資料を送った');
    await press('備考を保存');
    expect(await screen.findByText('Aが電話した')).toBeDefined();
    expect(screen.getByLabelText('備考（営業部）')).toHaveProperty('value', 'Bが資料を送った');
  });
});

describe('editing a company', () => {
  const SAVED = ok({ status: 'updated', id: 5, version: 'v2' });

  it('sends only the changed fields, and can undo them', async () => {
    const requests = serve({
      'PUT /prospect/5': () => SAVED,
      'POST /active_prospect/': () => ok({ status: 'added', version: 'r2' }),
    });
    await renderApp('/prospects/5');
    await edit();
    fill('売上高', '1.2億');
    fillRemarks('展示会');
    await press('保存');
    await press('元に戻す');
    expect(await screen.findByText('元に戻しました')).toBeDefined();
    const remarks = (text: string, version: string) => ({
      add_info: { prospect_id: 5, sender_group_id: 1, remarks: text },
      duplicate_key_update_info: { remarks: text },
      version,
    });
    expect(of(requests, 'PUT').map(([, body]) => body)).toEqual([
      { version: 'v1', update_info: { amount_of_sales: '1.2億' }, acknowledged: 0 },
      { version: 'v2', update_info: { amount_of_sales: 100_000_000 }, acknowledged: 1 },
    ]);
    expect(of(requests, 'POST').map(([, body]) => body)).toEqual([remarks('展示会', 'r1'), remarks('', 'r2')]);
  });

  it('shows before the save which mails a new address affects', async () => {
    served.check = {
      ...NOTHING,
      affected: { reserved: 1, queued: 2, sending: 0, failed: 3 },
      suppressed: BLOCKED,
      sharing: [SIMILAR],
      sharing_total: 3,
    };
    serve();
    await renderApp('/prospects/5');
    await edit();
    expect(await screen.findByText('㈱甲とほか2社も使っています（1通だけ送ります）')).toBeDefined();
    expect(screen.getByText('このアドレスは配信停止に登録されています（自社で禁止）')).toBeDefined();
    expect(screen.queryByText(/^予約中/)).toBeNull();
    fill('代表メール', 'neu@example.jp');
    expect(await screen.findByText('予約中 1件：配信停止のアドレスのため、送りません')).toBeDefined();
    expect(screen.getByText('送信待ち 2通：配信停止のアドレスのため、送りません')).toBeDefined();
    expect(screen.getByText('失敗 3通：配信停止のアドレスのため、送りません')).toBeDefined();
    served.check = { ...served.check, suppressed: null };
    fill('代表メール', 'neuer@example.jp');
    expect(await screen.findByText('予約中 1件：新しいアドレスに送ります')).toBeDefined();
    expect(screen.getByText(/^送信待ち 2通：新しいアドレスに送ります/)).toBeDefined();
    expect(screen.getByText('失敗 3通：再送信すると、新しいアドレスに送ります')).toBeDefined();
    expect(screen.queryByText(/^送信中 0通/)).toBeNull();
  });

  it('shows server errors at their fields until these are changed', async () => {
    const details = [{ path: 'update_info.capital', message: '金額として読めません。' }];
    const body = { message: '金額として読めません。', code: 'invalid_company', details };
    serve({ 'PUT /prospect/5': () => ({ status: 400, body }) });
    await renderApp('/prospects/5');
    await edit();
    fill('資本金', '沢山');
    await press('保存');
    const field = screen.getByLabelText('資本金');
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    await waitFor(() => expect(document.activeElement).toBe(field));
    fill('資本金', '1000万');
    expect(field.getAttribute('aria-invalid')).toBeNull();
  });

  it('keeps the typed text if somebody else has saved, and shows their values before the next save', async () => {
    const answers: FakeAnswer[] = [
      refused(409, CHANGED, 'company_changed'),
      ok({ status: 'updated', id: 5, version: 'v3' }),
    ];
    const requests = serve({ 'PUT /prospect/5': () => answers.shift() ?? 'network' });
    await renderApp('/prospects/5');
    await edit();
    fill('代表者', '鈴木 一郎');
    served.stored = company(5, { version: 'v2', ceo: '高橋 次郎', address: '大阪府' });
    await press('保存');
    const notice = within(await alertIn(dialog()));
    expect(await notice.findByText('高橋 次郎')).toBeDefined();
    expect(notice.getByText(/^鈴木さんが11\/22（日）10:00に変更しました/)).toBeDefined();
    expect(notice.getByText('大阪府')).toBeDefined();
    expect([screen.getByLabelText('代表者'), screen.getByLabelText('住所')]).toEqual([
      expect.objectContaining({ value: '鈴木 一郎' }),
      expect.objectContaining({ value: '大阪府' }),
    ]);
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(of(requests, 'PUT').map(([, body]) => body)).toEqual([
      { version: 'v1', update_info: { ceo: '鈴木 一郎' }, acknowledged: 0 },
      { version: 'v2', update_info: { ceo: '鈴木 一郎' }, acknowledged: 0 },
    ]);
  });

  it('shows the remarks that another member has saved meanwhile, before it overwrites them', async () => {
    const told = '鈴木さんが11/27（金）10:02に備考を変更しました。内容を確かめてから、保存してください。';
    const requests = serve({
      'PUT /prospect/5': () => SAVED,
      'POST /active_prospect/': ({ body }) =>
        (body as { version: string }).version === 'r1'
          ? refused(409, told, 'remarks_changed')
          : ok({ status: 'updated', version: 'r3' }),
    });
    await renderApp('/prospects/5');
    await edit();
    fill('代表者', '鈴木 一郎');
    fillRemarks('Bが資料を送った');
    const [group] = company(5).groups;
    served.stored = company(5, {
      version: 'v2',
      ceo: '鈴木 一郎',
      groups: group ? [{ ...group, remarks: 'Aが電話した', remarks_version: 'r2' }] : [],
    });
    await press('保存');
    const notice = within(await alertIn(dialog()));
    expect(await notice.findByText('Aが電話した')).toBeDefined();
    expect(notice.getByText(/^鈴木さんが11\/27（金）10:02に備考を変更しました/)).toBeDefined();
    expect(dialog().getByLabelText('備考（営業部）')).toHaveProperty('value', 'Bが資料を送った');
    await press('保存');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const versions = of(requests, 'POST').map(([, body]) => (body as { version: string }).version);
    expect([versions, of(requests, 'PUT').length]).toEqual([['r1', 'r2'], 1]);
  });

  it('asks before typed text is discarded, and keeps it as a draft', async () => {
    serve();
    const { router } = await renderApp('/prospects/5');
    await edit();
    fill('代表者', '鈴木 一郎');
    expect(useSession.getState().drafts['company.5']).toContain('鈴木 一郎');
    await userEvent.keyboard('{Escape}');
    await press('編集を続ける');
    expect(screen.getByLabelText('代表者')).toHaveProperty('value', '鈴木 一郎');
    void router.navigate('/sends');
    await press('破棄して移動');
    await waitFor(() => expect(router.state.location.pathname).toBe('/sends'));
    expect(useSession.getState().drafts).toEqual({});
  });
});

describe('adding a company', () => {
  const openForm = async () => {
    await renderApp('/');
    await press('会社を追加');
    await screen.findByRole('dialog', { name: '会社の追加' });
  };

  it('needs a name, shows the addressee, and continues with the next company', async () => {
    const requests = serve({ 'POST /prospect': () => ok({ status: 'added', id: 6, version: 'v1' }) });
    await openForm();
    await press('追加');
    expect(await screen.findByText('会社名が入力されていません')).toBeDefined();
    fill('会社名（必須）', '甲社');
    fill('代表者', '藤田 陽子');
    expect(screen.getByText('宛名：藤田 陽子 様')).toBeDefined();
    await press('追加して続ける');
    expect(await toastText('status')).toContain('甲社を追加しました');
    expect(screen.getByLabelText('会社名（必須）')).toHaveProperty('value', '');
    expect(document.activeElement).toBe(screen.getByLabelText('会社名（必須）'));
    expect(of(requests, 'POST')).toEqual([
      ['/prospect', { add_info: { company_name: '甲社', ceo: '藤田 陽子' }, acknowledged: 0 }],
    ]);
  });

  it('repeats a failed save with the same key, and opens the company', async () => {
    const answers: FakeAnswer[] = ['network', ok({ status: 'added', id: 6, version: 'v1' })];
    const requests = serve({ 'POST /prospect': () => answers.shift() ?? 'network' });
    await openForm();
    fill('会社名（必須）', '甲社');
    await press('追加');
    await toastText('alert');
    await press('追加');
    expect(await screen.findByRole('dialog', { name: '会社の詳細' })).toBeDefined();
    const keys = requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('idempotency-key'));
    expect([new Set(keys).size, keys.length]).toEqual([1, 2]);
  });

  it('names similar companies, and adds another one after a confirmation', async () => {
    served.check = { ...NOTHING, similar: [SIMILAR] };
    const requests = serve({ 'POST /prospect': () => ok({ status: 'added', id: 6, version: 'v1' }) });
    await openForm();
    fill('会社名（必須）', '株式会社甲');
    const similar = await screen.findByText('㈱甲（東京都）');
    const name = screen.getByLabelText('会社名（必須）');
    expect(name.parentElement?.parentElement?.contains(similar)).toBe(true);
    const link = screen.getByRole<HTMLAnchorElement>('link', { name: '㈱甲を新しいタブで開く' });
    // With `noopener` the new tab would have no session, and show the log-in.
    expect([link.pathname, link.target, link.rel]).toEqual(['/prospects/9', '_blank', 'opener']);
    await press('別の会社として追加');
    await waitFor(() => expect(of(requests, 'POST')[0]?.[1]).toHaveProperty('acknowledged', 1));
  });

  it('names nothing that was true of the text before', async () => {
    let answer: ReturnType<typeof deferred>['answer'] = Promise.resolve(ok({ ...NOTHING, similar: [SIMILAR] }));
    serve({ 'GET /prospect/check': () => answer });
    await openForm();
    fill('会社名（必須）', '株式会社甲');
    await screen.findByText('㈱甲（東京都）');
    ({ answer } = deferred());
    fill('会社名（必須）', '株式会社乙');
    await waitFor(() => expect(screen.queryByText('㈱甲（東京都）')).toBeNull());
  });

  it('fills only 別の会社として追加 while 追加 would be refused, and leads a press of 追加 to the notice', async () => {
    served.check = { ...NOTHING, similar: [SIMILAR] };
    const message = '似た会社があります（㈱甲）。同じ会社でないか確かめてください。';
    serve({ 'POST /prospect': () => ({ status: 409, body: { message, code: 'similar_company' } }) });
    await openForm();
    const filled = () =>
      [...document.querySelectorAll('[aria-modal] [data-filled]')].map(({ textContent }) => textContent);
    expect(filled()).toEqual(['追加']);
    fill('会社名（必須）', '株式会社甲');
    await screen.findByText('㈱甲（東京都）');
    expect(filled()).toEqual(['別の会社として追加']);
    await press('追加');
    await waitFor(() => expect(document.activeElement?.textContent).toContain('似た会社があります'));
    served.check = NOTHING;
    fill('会社名（必須）', '株式会社乙');
    await waitFor(() => expect(filled()).toEqual(['追加']));
  });
});

describe('the drawer beside the list', () => {
  const drawer = () => screen.findByRole('dialog', { name: '会社の詳細' });
  const open = async (id: number) => userEvent.click(await screen.findByRole('link', { name: `第${id}商事` }));

  it('follows the list by keys and buttons, and returns the focus to the row', async () => {
    serve();
    const { router } = await renderApp('/?tab=prospects');
    await open(4);
    await drawer();
    // The marked row shows that the drawer has followed the address.
    const shows = (id: number) =>
      waitFor(() => {
        expect(router.state.location.search).toBe(`?tab=prospects&company=${id}`);
        expect(screen.getByRole('link', { name: `第${id}商事` }).closest('tr')?.dataset).toHaveProperty('current');
      });
    await shows(4);
    await userEvent.keyboard('{ArrowDown}');
    await shows(5);
    await press('次の会社');
    await shows(6);
    await waitFor(() =>
      expect(screen.getByRole('button', { name: '次の会社' }).getAttribute('aria-disabled')).toBe('true'),
    );
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(screen.getByRole('link', { name: '第6商事' }));
    await waitFor(() => expect(router.state.location.search).toBe('?tab=prospects'));
  });

  it('stays open when Escape closes a dialog above it', async () => {
    serve();
    await renderApp('/?company=5');
    await press('編集');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: '会社の編集' })).toBeNull());
    expect(await drawer()).toBeDefined();
  });

  it('is shown as a page on a phone', async () => {
    vi.stubGlobal('matchMedia', (media: string) => ({
      matches: media.includes('640px'),
      media,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    serve();
    const { router } = await renderApp('/?company=5');
    await waitFor(() => expect(router.state.location.pathname).toBe('/prospects/5'));
  });
});

describe('the replies of a company', () => {
  const reply = (id: number, values: object = {}) => ({
    id,
    prospect_id: 5,
    company_name: '第5商事',
    kind: 'reply',
    from_address: 'hanako@c5.example.jp',
    from_check: 'checked',
    from_company: null,
    folded: 0,
    subject: 'Re: ご提案',
    excerpt: '資料をください。',
    is_refusal: 0,
    is_doubtful: 0,
    is_unclear: 0,
    at: '2026/11/22 10:00:00',
    handled_at: null,
    handled_by: null,
    noted_by: null,
    delivery_id: 3,
    send_log_id: 2,
    ...values,
  });

  it('are shown with the actions on each', async () => {
    served.stored = company(5, { replied: 1, replies: 3 });
    const rows = [
      reply(3, { is_refusal: 1 }),
      reply(2, { kind: 'auto_reply', at: '2026/11/21 10:00:00' }),
      reply(1, { kind: 'manual', at: '2026/11/20 10:00:00', handled_at: '2026/11/20 11:00:00', handled_by: '鈴木' }),
    ];
    const requests = serve({
      'GET /reply/view': () => ok({ rows, total: 3 }),
      'PUT /reply/3': () => ok({ status: 'updated' }),
      'PUT /reply/2': () => ok({ status: 'updated' }),
      'PUT /reply/1': () => ok({ status: 'updated' }),
    });
    await renderApp('/prospects/5');
    expect((await screen.findAllByText('資料をください。')).length).toBe(3);
    // Open replies behind automatic ones must be handled too, so all are requested.
    const asked = requests.find(({ path }) => path === '/reply/view')?.query;
    expect([asked?.get('prospect_id'), asked?.get('pagenate_count')]).toEqual(['5', '200']);
    expect(screen.getAllByText('返信あり').length).toBe(2);
    expect(screen.getByText('自動返信')).toBeDefined();
    expect(screen.getByText(/^配信停止の希望がありました/)).toBeDefined();
    expect(screen.queryByRole('button', { name: '返信を記録' })).toBeNull();
    await press(/^未対応に戻す/);
    await press(/^返信として扱う/);
    await press(/^不在の自動返信として扱う/);
    await waitFor(() => expect(toastTextNow('status')).toContain('送信を続けます'));
    await press(/^今後送らない/);
    await userEvent.click(dialog().getByRole('button', { name: '今後送らない' }));
    await waitFor(() =>
      expect(of(requests, 'PUT')).toEqual([
        ['/reply/1', { update_info: { handled: 0 } }],
        ['/reply/2', { update_info: { kind: 'reply' } }],
        ['/reply/3', { update_info: { kind: 'auto_reply' } }],
        ['/reply/3', { update_info: { refused: 1 } }],
      ]),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('that are unclear ask for a decision with one button each way, and say that mails wait', async () => {
    served.stored = company(5, { replied: 1, replies: 2, maybe_refused: { id: 5, company_name: '第5商事' } });
    const rows = [
      reply(3, { is_doubtful: 1, excerpt: '結構です。' }),
      reply(2, { is_doubtful: 1, handled_at: '2026/11/20 11:00:00' }),
    ];
    const requests = serve({
      'GET /reply/view': () => ok({ rows, total: 2 }),
      'PUT /reply/3': () => ok({ status: 'updated' }),
    });
    await renderApp('/prospects/5');
    await screen.findByText('結構です。');
    const [doubtful, decided] = screen
      .getAllByRole('listitem')
      .filter(({ textContent }) => textContent.includes('Re: ご提案'));
    const buttonsOf = (item: HTMLElement | undefined) =>
      within(item ?? document.body)
        .getAllByRole('button')
        .map(({ textContent }) => textContent);
    expect(buttonsOf(doubtful)).toEqual(['今後送らない', '送信を続ける']);
    expect(buttonsOf(decided)).toEqual(['未対応に戻す']);
    expect(screen.getAllByText(/^配信停止を求めている可能性があります/).length).toBe(1);
    expect(screen.getAllByText('返信の確認待ち').length).toBe(2);
    expect(screen.queryByText(/^このメールアドレスは、返信の確認待ちです/)).toBeNull();
    await press(/^送信を続ける/);
    await waitFor(() => expect(of(requests, 'PUT')).toEqual([['/reply/3', { update_info: { handled: 1 } }]]));
    await waitFor(() => expect(toastTextNow('status')).toContain('送信を続けます'));
  });

  it('that may be about something else can be deleted as no reply', async () => {
    served.stored = company(5, { replied: 1, replies: 1, maybe_refused: { id: 5, company_name: '第5商事' } });
    const rows = [reply(3, { is_doubtful: 1, is_unclear: 1, excerpt: '本文は保存していません。' })];
    const requests = serve({
      'GET /reply/view': () => ok({ rows, total: 1 }),
      'PUT /reply/3': () => ok({ status: 'updated' }),
    });
    await renderApp('/prospects/5');
    await screen.findByText('本文は保存していません。');
    expect(screen.getByText(/^このメールは、こちらからのメールへの返信かもしれません/)).toBeDefined();
    await press(/^返信ではない/);
    await waitFor(() => expect(of(requests, 'PUT')).toEqual([['/reply/3', { update_info: { not_a_reply: 1 } }]]));
    await waitFor(() => expect(toastTextNow('status')).toContain('記録を削除し、送信を続けます'));
  });

  it('of another company with the same address are named if they are unclear', async () => {
    served.stored = company(5, { maybe_refused: { id: 9, company_name: '第9商事' } });
    serve({});
    await renderApp('/prospects/5');
    expect(await screen.findByText(/^このメールアドレスは、返信の確認待ちです/)).toBeDefined();
    expect(screen.getByRole('link', { name: '第9商事' }).getAttribute('href')).toBe('/prospects/9');
    expect(screen.getByText('返信の確認待ち')).toBeDefined();
  });

  const UNCHECKED = { from_address: 'ceo@c9.example.jp', from_check: 'unchecked', is_refusal: 1 };
  const OTHER = { id: 9, company_name: '第9商事' };

  /** Opens the dialog 今後送らない of the only reply. */
  async function openRefusing(rows: object[], onPut: () => FakeAnswer = () => ok({ status: 'updated' })) {
    served.stored = company(5, { replied: 1, replies: 1 });
    const requests = serve({ 'GET /reply/view': () => ok({ rows, total: 1 }), 'PUT /reply/3': onPut });
    await renderApp('/prospects/5');
    await press(/^今後送らない/);
    return requests;
  }

  const tick = () => dialog().getByRole<HTMLInputElement>('checkbox');
  const refuse = () => userEvent.click(dialog().getByRole('button', { name: '今後送らない' }));

  it('name the company whose unverified sender address they have, and the number of similar replies', async () => {
    served.stored = company(5, { replied: 1, replies: 2 });
    const rows = [
      reply(3, { ...UNCHECKED, from_company: OTHER, folded: 37 }),
      reply(4, { is_refusal: 1, folded: 1000 }),
    ];
    serve({ 'GET /reply/view': () => ok({ rows, total: 2 }) });
    await renderApp('/prospects/5');
    const [unchecked, checked] = await screen.findAllByText(/^配信停止の希望がありました/);
    expect(unchecked?.textContent).toContain('返信した人のアドレスは、相手の会社のものか確かめられないため');
    expect(checked?.textContent).not.toContain('返信した人のアドレス');
    expect(screen.getByRole('link', { name: '第9商事' }).getAttribute('href')).toBe('/prospects/9');
    expect(screen.getByText(/^ほかに37通届きました/)).toBeDefined();
    expect(screen.getByText(/^ほかに1,000通以上届きました/)).toBeDefined();
  });

  it('suppress no unverified address, unless it is ticked', async () => {
    const requests = await openRefusing([reply(3, UNCHECKED)]);
    expect(dialog().queryByText(/^返信した人、/)).toBeNull();
    expect(tick().checked).toBe(false);
    expect(tick().getAttribute('aria-describedby')).not.toBeNull();
    await userEvent.click(dialog().getByLabelText('返信した人のアドレス（ceo@c9.example.jp）も登録する'));
    await userEvent.click(tick());
    await refuse();
    await waitFor(() => expect(of(requests, 'PUT')).toEqual([['/reply/3', { update_info: { refused: 1 } }]]));
    await press(/^今後送らない/);
    expect(tick().checked).toBe(false);
    await userEvent.click(tick());
    await refuse();
    const named = { update_info: { refused: 1, from_address: 'ceo@c9.example.jp' } };
    await waitFor(() => expect(of(requests, 'PUT').at(-1)).toEqual(['/reply/3', named]));
  });

  it.each([
    ['checked', /^返信した人、メールの宛先/],
    ['refused', /^メールの宛先/],
    ['none', /^メールの宛先/],
  ])('need no tick where their address is %s', async (from_check, consequence) => {
    await openRefusing([reply(3, { from_check, is_refusal: 1 })]);
    expect(dialog().getByText(consequence)).toBeDefined();
    expect(dialog().queryByRole('checkbox')).toBeNull();
    expect(screen.getByText(/^配信停止の希望がありました/).textContent).not.toContain('返信した人');
  });

  it('explain the address of another company, and ask again if another reply arrived meanwhile', async () => {
    const rows = [reply(3, { ...UNCHECKED, from_company: OTHER })];
    const requests = await openRefusing(rows, () => {
      rows[0] = reply(3, { ...UNCHECKED, from_address: 'boss@c8.example.jp' });
      return refused(
        409,
        '新しい返信が届いています。返信を読み込み直して、アドレスを確かめてください。',
        'reply_changed',
      );
    });
    expect(dialog().getByText(/^「第9商事」のアドレスです/)).toBeDefined();
    await userEvent.click(tick());
    await refuse();
    expect(await dialog().findByLabelText('返信した人のアドレス（boss@c8.example.jp）も登録する')).toBeDefined();
    expect(tick().checked).toBe(false);
    expect(await toastText('alert')).toContain('新しい返信が届いています');
    expect(of(requests, 'PUT')).toHaveLength(1);
  });

  it('can be recorded by hand; a company without replies sends no request', async () => {
    const requests = serve({ 'POST /reply': () => ok({ status: 'added', id: 1 }) });
    await renderApp('/prospects/5');
    await press('その他の操作');
    await press('返信を記録');
    await screen.findByRole('dialog', { name: '返信の記録' });
    fill('メモ', ' 電話で返事 ');
    await userEvent.click(dialog().getByRole('button', { name: '返信を記録' }));
    await waitFor(() =>
      expect(of(requests, 'POST')).toEqual([['/reply', { add_info: { prospect_id: 5, note: '電話で返事' } }]]),
    );
    expect(requests.some(({ path }) => path === '/reply/view')).toBe(false);
  });
});
