import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred, type FakeAnswer, type FakeRequest, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp, toastText } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';
import type { DomainRow } from '#web/features/domain-health/domain-query.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
// Loads the screens before the tests, so that no wait within a test includes it.
import '#web/app/workspace.tsx';
import '#web/app/routes/settings/domains.tsx';
import '#web/app/routes/settings/groups.tsx';

const AT = '2026/11/23 12:00:00';
const RECORD = { type: 'TXT', name: '_dmarc.example.jp', value: 'v=DMARC1; p=none' } as const;

const finding = (check: 'mx' | 'spf' | 'dmarc', values: Partial<DomainRow['checks'][number]> = {}) => ({
  check,
  level: 'good' as const,
  message: '正しく設定されています。',
  remedy: '',
  found: [] as string[],
  record: null,
  checked_at: AT,
  ...values,
});

const row = (domain: string, values: Partial<DomainRow> = {}): DomainRow => ({
  domain,
  senders: 1,
  state: 'good',
  is_due: 0,
  needs_acknowledgement: 0,
  checked_at: AT,
  failed_at: null,
  checks: [finding('mx')],
  self_test: { state: 'none', sent_at: null, arrived_at: null, checks: [] },
  ...values,
});

const BAD = row('example.jp', {
  state: 'bad',
  needs_acknowledgement: 1,
  checks: [
    finding('mx', { found: ['mx.example.jp'], checked_at: '2026/11/22 09:00:00' }),
    finding('dmarc', {
      level: 'bad',
      message: 'DMARCレコードがありません。',
      remedy: '次のTXTレコードをDNSに追加してください。',
      record: RECORD,
    }),
  ],
});
const UNCHECKED = row('new.example.jp', { state: 'unchecked', is_due: 1, checked_at: null, checks: [] });

/** The state of the mailbox, which the same screen shows. */
const OFF = { state: 'off', last_read_at: null, fault: null, mails: 0, unmatched: 0, skipped: 0 };
const INBOX = { 'GET /inbox': () => ok(OFF) };
const LIST = 'GET /domain_health/list';
const CHECK = 'POST /domain_health/check';

async function open(rows: readonly DomainRow[], check: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>) {
  const requests = fakeApi({ ...INBOX, [LIST]: () => ok(rows), [CHECK]: check });
  await renderApp('/settings/domains');
  return requests;
}
/** Returns the shown state of a domain; the state of its test mail follows it. */
const stateOf = (domain: ReturnType<typeof within>) => domain.getAllByRole('status')[0]?.textContent;
const levelOf = (item: HTMLElement) => within(item).queryByText(/^(?:正常|要確認|要対応|確認できません)$/)?.textContent;
const never = () => {
  throw new Error('nothing is to be checked');
};
const posted = (requests: readonly FakeRequest[], path: string) =>
  requests.filter((request) => request.method === 'POST' && request.path === path).map(({ body }) => body);
const checked = (requests: readonly FakeRequest[]) => posted(requests, '/domain_health/check');
const card = async (domain: string) => within(await screen.findByRole('region', { name: domain }));

beforeEach(() => logInAs());

describe('the page of the domains', () => {
  it('shows each check of a domain, and the remedy for one that is not good', async () => {
    await open([BAD], never);
    const domain = await card('example.jp');
    expect(stateOf(domain)).toBe('要対応');
    expect(domain.getByText(`最終確認 ${sentenceTime('2026/11/23 12:00:00')}`)).toBeDefined();
    // What is to be mended comes first.
    const [dmarc, mx] = domain.getAllByRole('listitem').filter((item) => levelOf(item) !== undefined);
    expect(mx?.textContent).toContain('メールの受け取り（MX）正常正しく設定されています');
    expect(mx?.textContent).toContain(`${sentenceTime('2026/11/22 09:00:00')}の結果`);
    expect(within(mx as HTMLElement).getByText('mx.example.jp')).toBeDefined();
    expect(dmarc?.textContent).toContain('DMARCレコードがありません');
    expect(within(dmarc as HTMLElement).getByText('次のTXTレコードをDNSに追加してください。')).toBeDefined();
    expect(within(dmarc as HTMLElement).getByText(RECORD.value)).toBeDefined();
  });

  it('copies the name and the value of a record', async () => {
    await open([BAD], never);
    const domain = await card('example.jp');
    const user = userEvent.setup();
    await user.click(domain.getByRole('button', { name: '値をコピー' }));
    expect(await navigator.clipboard.readText()).toBe(RECORD.value);
    expect(await toastText('status')).toBe('コピーしました');
    await user.click(domain.getByRole('button', { name: '名前をコピー' }));
    expect(await navigator.clipboard.readText()).toBe(RECORD.name);
  });

  it('says how many things there are to mend, and copies the letter to the administrator of the domain', async () => {
    const doubt = finding('spf', { level: 'look', remedy: '確かめてください。' });
    const unsure = row('unsure.example.jp', { checks: [doubt] });
    await open([BAD, unsure], never);
    const domain = await card('example.jp');
    expect(domain.getByText('1つ直すと届きやすくなります')).toBeDefined();
    const unsureCard = await card('unsure.example.jp');
    expect(unsureCard.getByText('要確認')).toBeDefined();
    expect(unsureCard.queryByText(/届きやすく/)).toBeNull();
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'example.jp：ドメインの管理者に送る文面をコピー' }));
    const letter = await navigator.clipboard.readText();
    expect(letter).toContain(`種類：TXT\n名前：${RECORD.name}\n値：${RECORD.value}\n`);
    expect(await toastText('status')).toBe('コピーしました');
  });

  it('says that nothing was copied if the browser forbids it', async () => {
    await open([BAD], never);
    const domain = await card('example.jp');
    const user = userEvent.setup();
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('denied'));
    await user.click(domain.getByRole('button', { name: '値をコピー' }));
    expect(await toastText('alert')).toBe('コピーできませんでした。文字を選んでコピーしてください');
  });

  it('checks a domain automatically once if its check is due, and any other by its button', async () => {
    const answer = deferred();
    const requests = await open([row('example.jp'), UNCHECKED], () => answer.answer);
    const due = await card('new.example.jp');
    await waitFor(() => expect(stateOf(due)).toBe('確認中'));
    expect(due.getByText('このドメインは、まだ確かめていません。')).toBeDefined();
    answer.resolve(ok(row('new.example.jp')));
    await waitFor(() => expect(stateOf(due)).toBe('正常'));
    expect(checked(requests)).toEqual([{ domain: 'new.example.jp' }]);
    await userEvent.click(screen.getByRole('button', { name: 'example.jpを再確認' }));
    await waitFor(() => expect(checked(requests)).toEqual([{ domain: 'new.example.jp' }, { domain: 'example.jp' }]));
  });

  it('shows a refused check, and does not repeat it automatically', async () => {
    const requests = await open([UNCHECKED], () => refused(429, 'ドメインの確認は1分間に10回までです。'));
    await card('new.example.jp');
    expect(await toastText('alert')).toMatch(/^ドメインの確認は1分間に10回までです/);
    expect(stateOf(await card('new.example.jp'))).toBe('未確認');
    expect(checked(requests)).toHaveLength(1);
  });

  it('says that the DNS did not answer, beside the previous results', async () => {
    await open([row('example.jp', { failed_at: AT })], never);
    expect(
      (await card('example.jp')).getByText(new RegExp(`^${sentenceTime(AT)}の確認では、DNSが答えない項目が`)),
    ).toBeDefined();
  });

  it('checks no domain automatically if mails stay in the mail catcher', async () => {
    const meta = document.createElement('meta');
    Object.assign(meta, { name: 'mail-catcher', content: 'yes' });
    document.head.append(meta);
    onTestFinished(() => meta.remove());
    const requests = await open([UNCHECKED], () => ok(row('new.example.jp')));
    expect(await screen.findByText(/自動では確かめません/)).toBeDefined();
    expect(checked(requests)).toEqual([]);
    await userEvent.click(screen.getByRole('button', { name: 'new.example.jpを今すぐ確認' }));
    await waitFor(() => expect(checked(requests)).toEqual([{ domain: 'new.example.jp' }]));
  });

  it('without a sender links to the screen that adds one', async () => {
    await open([], never);
    expect(await screen.findByText('差出人のドメインがまだありません')).toBeDefined();
    expect(screen.getByRole('link', { name: '送信者グループを開く' }).getAttribute('href')).toBe('/settings/groups');
  });
});

describe('the test mail of a domain', () => {
  const SEND = 'POST /domain_health/send_test';
  const test = (values: Partial<DomainRow['self_test']>): DomainRow['self_test'] => ({
    state: 'none',
    sent_at: AT,
    arrived_at: null,
    checks: [],
    ...values,
  });
  const part = async () =>
    within((await card('example.jp')).getByRole('region', { name: 'example.jpの自己診断メール' }));
  const button = async () => (await part()).queryByRole('button', { name: 'example.jpの自己診断メールを送る' });
  const WAITING = row('example.jp', { self_test: test({ state: 'waiting' }) });
  const ARRIVED = row('example.jp', {
    self_test: test({
      state: 'arrived',
      arrived_at: '2026/11/23 12:00:06',
      checks: [
        { ...finding('mx'), check: 'mail_spf' },
        { ...finding('mx', { level: 'bad', message: '逆引きがありません。', found: ['160.16.0.1'] }), check: 'ptr' },
      ],
    }),
  });

  it('is sent by its button, and its result is shown once the mail has arrived', async () => {
    vi.useFakeTimers({
      shouldAdvanceTime: true,
      toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'],
    });
    onTestFinished(() => void vi.useRealTimers());
    let rows: readonly DomainRow[] = [row('example.jp')];
    const requests = fakeApi({ ...INBOX, [LIST]: () => ok(rows), [SEND]: () => ok(WAITING) });
    await renderApp('/settings/domains');
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    await user.click((await button()) as HTMLElement);
    await waitFor(async () => expect((await part()).getByRole('status').textContent).toBe('届くのを待っています'));
    expect(posted(requests, '/domain_health/send_test')).toEqual([{ domain: 'example.jp' }]);
    await user.click((await button()) as HTMLElement);
    expect(posted(requests, '/domain_health/send_test')).toHaveLength(1);
    rows = [ARRIVED];
    await vi.advanceTimersByTimeAsync(5000);
    await waitFor(async () => expect((await part()).getByRole('status').textContent).toBe('要対応'));
    const items = (await part()).getAllByRole('listitem').filter((item) => levelOf(item) !== undefined);
    expect(items.map(levelOf)).toEqual(['要対応', '正常']);
    expect(items[0]?.textContent).toContain('逆引きとHELO要対応逆引きがありません');
    expect((await part()).getByText(`到着 ${sentenceTime('2026/11/23 12:00:06')}`)).toBeDefined();
    expect(stateOf(await card('example.jp'))).toBe('正常');
  });

  it('that does not arrive shows where to look', async () => {
    await open([row('example.jp', { self_test: test({ state: 'late' }) })], never);
    expect((await part()).getByRole('status').textContent).toBe('届いていません');
    expect((await part()).getByText(/下の「受信」の状態/)).toBeDefined();
    expect(await button()).not.toBeNull();
  });

  it('has no button if returned mails cannot be received', async () => {
    await open([row('example.jp', { self_test: test({ state: 'off', sent_at: null }) })], never);
    const setting = (await part()).getByText(/^RETURN_ADDRESS/);
    expect(setting.hidden).toBe(true);
    await userEvent.click((await part()).getByRole('button', { name: '設定のしかた' }));
    expect(setting.hidden).toBe(false);
    expect(await button()).toBeNull();
  });

  it('asks in the mail catcher for a mail server, not for an address for returned mails', async () => {
    const meta = document.head.appendChild(document.createElement('meta'));
    Object.assign(meta, { name: 'mail-catcher', content: 'yes' });
    onTestFinished(() => meta.remove());
    await open([row('example.jp', { self_test: test({ state: 'off', sent_at: null }) })], never);
    expect((await part()).getByText(/^送信サーバーを設定すると/)).toBeDefined();
    expect((await part()).queryByText(/RETURN_ADDRESS/)).toBeNull();
  });
});

describe('a person who sends', () => {
  const person = (id: number, email: string) => ({
    id,
    sender_group_id: 1,
    group: '営業部',
    person_in_charge: `差出人${id}`,
    email,
    bcc: null,
    reply_to: null,
    signature: '',
    mails_per_minute: null,
    active: 1,
    is_confirmed: 1,
    confirmation_sent_at: null,
    sender_id: id,
    template_ids: [],
    version: 'v1',
  });

  it('is marked if the domain of its address has known faults', async () => {
    fakeApi({
      [LIST]: () => ok([BAD, row('good.example.jp')]),
      'GET /sender_group/list': () =>
        ok([{ id: 1, group_name: '営業部', active: 1, senders: 2, sent_this_month: 0, reservations: 0 }]),
      'GET /sender_profile/list': () => ok([person(1, 'a@EXAMPLE.jp'), person(2, 'b@good.example.jp')]),
      'GET /sender/list': () => ok([]),
    });
    await renderApp('/settings/groups');
    const mark = await screen.findByRole('link', { name: 'ドメイン要対応' });
    expect(mark.getAttribute('href')).toBe('/settings/domains');
    expect(mark.closest('li')?.textContent).toContain('差出人1');
  });
});
