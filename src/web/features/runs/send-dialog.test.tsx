import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LegalFault } from '#domain/law/profile.ts';
import { deferred, type FakeAnswer, fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { AtAnAddress, alertIn, renderPart, toastText } from '#test/web/render.tsx';
import { logInAs, target } from '#test/web/samples.ts';
import type { Check } from '#web/components/field/check-list.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { SendDialog } from './send-dialog.tsx';
import type { SendOrder } from './use-send-order.ts';

const onAccepted = vi.fn();
const onTaken = vi.fn();
const onShowMails = vi.fn();
const ORDER: SendOrder = {
  idempotencyKey: 'key-of-this-dialog',
  senderId: 2,
  subject: 'ご提案',
  origin: {
    from: { name: '田中 直樹', address: 'tanaka@example.com' },
    bcc: '',
    groupId: 1,
    groupName: '営業部',
    profileId: 3,
    templateId: 12,
    conditions: [],
  },
  targets: [target(1), target(2)],
  days: 7,
  testTo: null,
  sendAt: null,
  candidateDates: null,
};
const accepted: FakeAnswer = ok({ status: 'accepted', send_log_id: 55, accepted: 2, skipped: [] });

interface OpenerProps {
  readonly order: SendOrder;
  readonly found: Parameters<typeof SendDialog>[0]['found'];
  readonly domainChecks: readonly Check[];
  readonly rules: Parameters<typeof SendDialog>[0]['rules'];
}

/** Returns where the errors of these tests are fixed. */
const placeOf = (field: string) => (field.startsWith('legal_profile.') ? '/settings/legal?group=1' : null);

function Opener({ order, found, domainChecks, rules }: OpenerProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        開く
      </button>
      {open ? (
        <SendDialog
          order={order}
          found={found}
          domainChecks={domainChecks}
          rules={rules}
          placeOf={placeOf}
          undoSeconds={30}
          reservationPath={(id) => `/reservations/${id}`}
          onShowMails={onShowMails}
          onClose={() => setOpen(false)}
          onTaken={onTaken}
          onAccepted={onAccepted}
        />
      ) : null}
    </>
  );
}

async function open(
  order: Partial<SendOrder> = {},
  checks: readonly Check[] | null = [],
  legalFaults: readonly LegalFault[] = [],
  domainChecks: readonly Check[] = [],
  rules: OpenerProps['rules'] = { hasOwnHours: false, checks: [], days: null },
) {
  const found = checks === null ? undefined : { checks, legalFaults };
  // Errors link to the screens that fix them.
  renderPart(
    <AtAnAddress>
      <Opener order={{ ...ORDER, ...order }} found={found} domainChecks={domainChecks} rules={rules} />
    </AtAnAddress>,
  );
  await userEvent.click(screen.getByRole('button', { name: '開く' }));
  return within(screen.getByRole('dialog'));
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

const at = (clock: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${clock}+09:00`) });
const MORNING = '2026-11-24T10:00:00';

beforeEach(() => {
  at(MORNING);
  onAccepted.mockClear();
  onTaken.mockClear();
  onShowMails.mockClear();
  logInAs();
});

describe('send dialog', () => {
  it('§2.21, 8.21 shows what will be sent and to how many', async () => {
    const dialog = await open();
    expect(screen.getByRole('dialog', { name: '2社に送信' })).toBeDefined();
    expect(dialog.getByText('ご提案')).toBeDefined();
    expect(dialog.getByText('本当に送信しますか？')).toBeDefined();
    expect(dialog.queryByText(/テスト送信/)).toBeNull();
  });

  it.each<[string, Partial<SendOrder>, string]>([
    ['a real send can be taken back', {}, '送信から30秒の間は取り消せます。'],
    ['a test goes to nobody', { testTo: 'qa@example.com' }, 'テスト送信です。見込み客には送信されません。'],
  ])('says that %s', async (_what, order, text) => {
    const dialog = await open(order);
    expect(dialog.getByText(text)).toBeDefined();
  });

  it('shows clearly that an order is a test', async () => {
    const dialog = await open({ testTo: 'qa+[n]@example.com' });
    expect(screen.getByRole('dialog', { name: '2通をテスト送信' })).toBeDefined();
    expect(dialog.getByText('qa+[n]@example.com')).toBeDefined();
    expect(dialog.getByText('テスト送信です。見込み客には送信されません。')).toBeDefined();
  });

  it('§2.21 focuses キャンセル first, closes by Escape and returns the focus', async () => {
    const requests = fakeApi({});
    await open();
    await waitFor(() => expect(document.activeElement?.textContent).toBe('キャンセル'));
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: '開く' })));
    expect(requests).toEqual([]);
  });

  it('sends once for two clicks, cannot be closed meanwhile, and returns the run', async () => {
    const answer = deferred();
    const requests = fakeApi({ 'POST /mail/send/2': () => answer.answer });
    await open();
    await press('2社に送信');
    await press('2社に送信');
    expect(screen.getByText('メールを送信中')).toBeDefined();
    await press('キャンセル');
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeNull();
    await act(async () => answer.resolve(accepted));

    expect(screen.queryByRole('dialog')).toBeNull();
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55, undefined);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers.get('Idempotency-Key')).toBe('key-of-this-dialog');
    expect(requests[0]?.body).toEqual({
      test_send_mode: 0,
      attack_list: [
        { prospect_id: 1, company_email: 'info@c1.example.jp' },
        { prospect_id: 2, company_email: 'info@c2.example.jp' },
      ],
      datetime_list: null,
      days_from_lastday: 7,
    });
  });

  it('stays open after a lost answer, and retries with the same key', async () => {
    let answer: FakeAnswer = 'network';
    const requests = fakeApi({ 'POST /mail/send/2': () => answer });
    await open({ testTo: 'qa@example.com' });
    await press('2通をテスト送信');
    expect(await toastText('alert')).toMatch(/^サーバーに接続できませんでした/);
    answer = accepted;
    await press('2通をテスト送信');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55, undefined);
    expect(requests.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(Array(2).fill('key-of-this-dialog'));
    expect(requests[1]?.body).toEqual(requests[0]?.body);
  });

  it('shows the refusal of the server', async () => {
    fakeApi({ 'POST /mail/send/2': () => refused(409, '別の内容で送信済みです') });
    await open();
    await press('2社に送信');
    expect(await toastText('alert')).toBe('別の内容で送信済みです');
    expect(onAccepted).not.toHaveBeenCalled();
  });

  it('reports targets that were skipped', async () => {
    const skipped = [{ prospect_id: 2, reason: 'recently_sent' }];
    fakeApi({ 'POST /mail/send/2': () => ok({ status: 'accepted', send_log_id: 55, accepted: 1, skipped }) });
    await open();
    await press('2社に送信');
    expect(await toastText('status')).toBe('1社は条件が変わったため対象外になりました');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55, undefined);
  });

  it('follows no run when every target was skipped', async () => {
    const skipped = [1, 2].map((prospect_id) => ({ prospect_id, reason: 'recently_sent' }));
    fakeApi({ 'POST /mail/send/2': () => ok({ status: 'no-added', send_log_id: null, accepted: 0, skipped }) });
    await open();
    await press('2社に送信');
    expect(await toastText('alert')).toMatch(/^送信できる会社がありません.*2社は対象外になりました（.+ 2社）$/);
    expect(onAccepted).not.toHaveBeenCalled();
    expect(onTaken).toHaveBeenCalledExactlyOnceWith(false);
  });
});

describe('before companies are mailed, the dialog', () => {
  const many = Array.from({ length: 100 }, (_, id) => target(id + 1));
  const send = () => screen.getByRole<HTMLButtonElement>('button', { name: /社に送信$/ });
  const checksOf = (dialog: Awaited<ReturnType<typeof open>>) =>
    dialog
      .getAllByRole('list', { name: /^(送信前の確認|チェックが必要な項目)$/ })
      .flatMap((list) => within(list).getAllByRole('listitem'))
      .map(({ textContent }) => textContent);

  it('shows the sender, the first company and the conditions', async () => {
    const conditions = ['業種: 製造', '地域: 東京'];
    const dialog = await open({ origin: { ...ORDER.origin, bcc: 'log@example.com', conditions } });
    expect(dialog.getByText('田中 直樹（tanaka@example.com）')).toBeDefined();
    expect(dialog.getByText('第1商事 ほか1社')).toBeDefined();
    const terms = dialog.getAllByRole('term').map(({ textContent }) => textContent);
    const values = dialog.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(terms.map((term, n) => `${term} ${values[n]}`)).toEqual([
      '対象の条件 業種: 製造地域: 東京',
      'Bcc log@example.com',
    ]);
  });

  it('shows for a follow-up which companies get it, and its subject', async () => {
    const dialog = await open({
      followUpOf: 55,
      subject: 'Re: ご提案',
      origin: { ...ORDER.origin, conditions: ['地域: 東京'] },
    });
    expect(dialog.getByText('Re: ご提案（フォローアップ）')).toBeDefined();
    const conditions = within(dialog.getByText('対象の条件').nextElementSibling as HTMLElement);
    expect(conditions.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '前の送信で届き、返信のない会社（フォローアップ）',
      '地域: 東京',
    ]);
  });

  it('shows no conditions where there are none, and is short for a test', async () => {
    expect((await open()).queryAllByRole('term')).toEqual([]);
    cleanup();
    const test = await open({ testTo: 'qa@example.com', targets: many });
    for (const words of ['対象の条件', /日以内の送信なし$/, /^確認のため/]) expect(test.queryByText(words)).toBeNull();
    expect(screen.getByRole('button', { name: '100通をテスト送信' }).className).toContain('outline');
  });

  it.each([
    ['a working morning', MORNING, {}, []],
    [
      'a holiday',
      '2026-11-23T10:00:00',
      {},
      ['今日は祝日です（勤労感謝の日）。予約モードにすると、平日の昼間に送れます祝日に送信する'],
    ],
    [
      'a night at the weekend, and no interval',
      '2026-11-21T21:05:00',
      { days: 0 },
      [
        '再送信間隔が0日のため、送信したばかりの会社にも、もう一度送ります',
        '今日は土曜日です。21:05は夜間です。予約モードにすると、平日の昼間に送れます土曜日の夜間に送信する',
      ],
    ],
    [
      'a reservation for a night',
      MORNING,
      { sendAt: Date.parse('2026-11-24T23:00:00+09:00') },
      ['23:00は夜間です。予約日時は、平日の昼間にも変えられます夜間に予約する'],
    ],
  ])('shows what to check: %s', async (_what, now, order, expected) => {
    at(now);
    fakeApi({ 'GET /reservation/list': () => ok([]) });
    const mail: Check = { kind: 'fine', text: '差し込み項目に問題はありません' };
    const dialog = await open(order, [mail]);
    const fine = ['法定表示・配信停止の案内', mail.text, ...('days' in order ? [] : ['7日以内の送信なし'])];
    await waitFor(() => expect(checksOf(dialog)).toEqual([...fine, ...expected]));
  });

  it('waits for the checks of the mails', async () => {
    await open({}, null);
    expect(screen.getByText('メールの内容を確認しています…')).toBeDefined();
    expect(send().getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(send());
    expect(screen.queryByText('メールを送信中')).toBeNull();
  });

  it('waits for the typed number from 100 companies on, in any notation', async () => {
    fakeApi({ 'POST /mail/send/2': () => accepted });
    await open({ targets: many });
    const number = screen.getByLabelText('確認のため、会社の数（100）を入力してください');
    expect(send().disabled).toBe(true);
    await userEvent.type(number, '10{Enter}');
    expect(onAccepted).not.toHaveBeenCalled();
    await userEvent.tab();
    expect(screen.getByText('会社の数が違います。100と入力してください')).toBeDefined();
    await userEvent.clear(number);
    await userEvent.type(number, '１００社');
    expect(send().disabled).toBe(false);
    await userEvent.type(number, '{Enter}');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55, undefined);
  });

  it('asks for no number below 100', async () => {
    await open({ targets: many.slice(1) });
    expect(screen.queryByLabelText(/^確認のため/)).toBeNull();
    expect(send().disabled).toBe(false);
  });
});

describe('what the law requires', () => {
  const NO_ADDRESS: LegalFault = {
    code: 'L2',
    level: 'error',
    path: 'legal_profile.postal_address',
    message: '住所を入力してください。',
  };
  const warning = (code: LegalFault['code'], message: string): LegalFault => ({
    code,
    level: 'warning',
    path: 'attack_list',
    message,
  });
  const PERSONAL = warning('L13', '個人宛てと思われるアドレスが2件あります。');
  const NO_LINK = warning('L8', '配信停止のリンクがhttpsではありません。');
  const FOREIGN = warning('L14', 'テスト送信先が自社のアドレスではありません。');
  const send = () => screen.getByRole<HTMLButtonElement>('button', { name: /送信$/ });
  const boxes = () =>
    screen.queryAllByRole('checkbox').map((box) => box.closest('li')?.textContent.replace(/このまま送る$/, ''));

  it('blocks a real order, with a link to the screen that fixes each fault', async () => {
    const dialog = await open({}, [], [NO_ADDRESS]);
    const alert = within(await alertIn(dialog));
    expect(alert.getByText('法律の求める表示が足りないため、送信と予約ができません')).toBeDefined();
    expect(alert.getByRole('listitem').textContent).toBe('住所を入力してください法定表示を開く');
    expect(alert.getByRole('link').getAttribute('href')).toBe('/settings/legal?group=1');
    expect(send().disabled).toBe(true);
  });

  it('only warns before a test, and asks only for the warning about its own address', async () => {
    fakeApi({ 'POST /mail/send/2': () => accepted });
    const dialog = await open({ testTo: 'qa@example.com' }, [], [NO_ADDRESS, PERSONAL, FOREIGN]);
    expect(dialog.getByText(/テスト送信はできますが、実際の送信と予約はできません$/)).toBeDefined();
    expect(boxes()).toEqual(['テスト送信先が自社のアドレスではありません']);
    await userEvent.click(screen.getByRole('checkbox'));
    await press('2通をテスト送信');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55, undefined);
  });

  it('blocks until every warning is ticked, and records which', async () => {
    const requests = fakeApi({ 'POST /mail/send/2': () => accepted });
    await open({}, [], [PERSONAL, NO_LINK, FOREIGN]);
    expect(boxes()).toEqual([
      '個人宛てと思われるアドレスが2件あります',
      expect.stringMatching(/^ワンクリックでの配信停止が使えないことを確認しました/),
    ]);
    expect(send().disabled).toBe(true);
    const [personal, link] = screen.getAllByRole('checkbox');
    await userEvent.click(personal as HTMLElement);
    expect(send().disabled).toBe(true);
    await userEvent.click(link as HTMLElement);
    await userEvent.click(personal as HTMLElement);
    expect(send().disabled).toBe(true);
    await userEvent.click(personal as HTMLElement);
    await press('2社に送信');
    expect(onAccepted).toHaveBeenCalledExactlyOnceWith(55, undefined);
    expect(requests.at(-1)?.body).toMatchObject({ acknowledged: ['L8', 'L13'] });
  });

  it('records the ticks for a reservation too', async () => {
    const requests = fakeApi({
      'GET /reservation/list': () => ok([]),
      'POST /reservation': () => ok({ status: 'added', id: 8, skipped: [] }),
    });
    await open({ sendAt: Date.parse('2026-11-24T09:00:00+09:00') }, [], [PERSONAL]);
    await userEvent.click(screen.getByRole('checkbox'));
    await press('2社への送信を予約');
    expect(requests.at(-1)?.body).toMatchObject({ acknowledged: ['L13'] });
  });

  it('shows a missing public address once a day, which only an administrator can fix', async () => {
    fakeApi({ 'POST /mail/send/2': () => accepted });
    await open({}, [], [NO_LINK]);
    await userEvent.click(screen.getByRole('checkbox'));
    await press('2社に送信');
    cleanup();
    await open({}, [], [NO_LINK, PERSONAL]);
    expect(boxes()).toEqual(['個人宛てと思われるアドレスが2件あります']);
    cleanup();
    at('2026-11-25T10:00:00');
    await open({}, [], [NO_LINK]);
    expect(boxes()).toHaveLength(1);
  });

  it('asks about an unconfirmed address once a day, and again for another sender', async () => {
    fakeApi({ 'POST /mail/send/2': () => accepted });
    const UNKNOWN = warning('L10', '差出人のドメインを確認できません。');
    await open({}, [], [UNKNOWN]);
    await userEvent.click(screen.getByRole('checkbox'));
    await press('2社に送信');
    cleanup();
    const again = await open({}, [], [UNKNOWN]);
    expect(boxes()).toEqual([]);
    expect(again.getByText('差出人のドメインを確認できません')).toBeDefined();
    cleanup();
    const other = { ...ORDER.origin, from: { name: '森 花子', address: 'mori@example.com' } };
    await open({ origin: other }, [], [UNKNOWN]);
    expect(boxes()).toEqual(['差出人のドメインを確認できません']);
  });

  it('asks about sending outside of office hours before every order, and records it', async () => {
    at('2026-11-24T23:00:00');
    const requests = fakeApi({ 'POST /mail/send/2': () => accepted });
    for (const _order of ['first', 'second']) {
      await open();
      expect(send().disabled).toBe(true);
      await userEvent.click(screen.getByRole('checkbox', { description: /^23:00は夜間です/ }));
      await press('2社に送信');
      cleanup();
    }
    const sent = requests.filter(({ method }) => method === 'POST');
    expect(sent.map(({ body }) => body)).toMatchObject(Array(2).fill({ acknowledged: ['outside_hours'] }));
  });

  it('leaves the time to the hours of a group that has them', async () => {
    at('2026-11-24T23:00:00');
    const text = '送信時間外です。11/25（水）8:00から送信します';
    await open({}, [], [], [], { hasOwnHours: true, checks: [{ kind: 'waiting', text }], days: null });
    expect(screen.getByText(text)).toBeDefined();
    expect(screen.queryByText(/^23:00は夜間です/)).toBeNull();
    expect(send().disabled).toBe(false);
  });

  it('names the days over which a limit spreads the mails', async () => {
    const days = [
      { day: '今日', mails: 3 },
      { day: '11/25（水）', mails: 7 },
    ];
    await open({}, [], [], [], { hasOwnHours: false, checks: [], days });
    const list = screen.getByRole('list', { name: '日ごとの送信' });
    expect(list.textContent).toBe('今日 3社11/25（水） 7社');
  });

  const faulty = (key: string): Check => ({
    kind: 'bad',
    text: 'example.comの設定に問題があります',
    link: { to: '/settings/domains', text: '直し方' },
    ask: { rule: 'domain_health', key, isOnce: true },
  });

  it('asks before real mails are sent from a faulty domain, and records the tick', async () => {
    const requests = fakeApi({ 'POST /mail/send/2': () => accepted });
    const dialog = await open({}, [], [PERSONAL], [faulty('dmarc')]);
    expect(dialog.getByRole('link', { name: '直し方' }).getAttribute('href')).toBe('/settings/domains');
    const [personal, domain] = screen.getAllByRole('checkbox');
    await userEvent.click(personal as HTMLElement);
    expect(send().disabled).toBe(true);
    await userEvent.click(domain as HTMLElement);
    await press('2社に送信');
    const sent = requests.filter(({ method }) => method === 'POST');
    expect(sent.map(({ body }) => body)).toMatchObject([{ acknowledged: ['L13', 'domain_health'] }]);
  });

  it('asks once for the same faults of a domain, again for others, and never before a test', async () => {
    fakeApi({ 'POST /mail/send/2': () => accepted });
    await open({}, [], [], [faulty('dmarc')]);
    await userEvent.click(screen.getByRole('checkbox'));
    await press('2社に送信');
    cleanup();
    await open({}, [], [], [faulty('dmarc')]);
    expect([boxes(), send().disabled]).toEqual([[], false]);
    cleanup();
    await open({}, [], [], [faulty('dkim')]);
    expect(boxes()).toHaveLength(1);
    cleanup();
    await open({ testTo: 'qa@example.com' }, [], [], [faulty('spf')]);
    expect(boxes()).toEqual([]);
  });

  it.each([
    ['POST /mail/send/2', {}, '2社に送信'],
    ['POST /reservation', { sendAt: Date.parse('2026-11-24T09:00:00+09:00') }, '2社への送信を予約'],
  ])('shows a refusal of %s by its rules, and can be repeated', async (call, order, button) => {
    const { path, message } = NO_ADDRESS;
    const details = [
      { path, message },
      { path: 'mail_template.text_body', message: '本文に送信者の住所がありません。' },
    ];
    const body = { message: '表示が足りません。', code: 'legal_incomplete', details };
    let answer: FakeAnswer = { status: 409, body };
    fakeApi({
      'GET /reservation/list': () => ok([]),
      [call]: () => answer,
    });
    const dialog = await open(order);
    await press(button);
    const items = within(await alertIn(dialog)).getAllByRole('listitem');
    expect(items.map(({ textContent }) => textContent)).toEqual([
      '住所を入力してください法定表示を開く',
      '本文に送信者の住所がありません',
    ]);
    expect(onTaken).not.toHaveBeenCalled();
    answer = ok({ status: 'accepted', send_log_id: 55, accepted: 2, id: 8, skipped: [] });
    await press(button);
    expect(onTaken).toHaveBeenCalledOnce();
  });
});

describe('where the mails go', () => {
  const TO_BOTH = { sendTo: 'primary_or_company', toPrimary: 1 } as const;

  it('is told by numbers where some go to main contact persons, and sent with the order', async () => {
    const requests = fakeApi({ 'POST /mail/send/2': () => accepted });
    const dialog = await open(TO_BOTH);
    expect(dialog.getByText('主担当 1社・代表メール 1社')).toBeDefined();
    await press('2社に送信');
    expect(requests.at(-1)?.body).toMatchObject({ send_to: 'primary_or_company' });
  });

  it('is told for a follow-up too, which leaves the choice to the server', async () => {
    const requests = fakeApi({ 'POST /mail/send/2': () => accepted });
    const dialog = await open({ followUpOf: 9, toPrimary: 2 });
    expect(dialog.getByText('主担当 2社')).toBeDefined();
    await press('2社に送信');
    expect(requests.at(-1)?.body).not.toHaveProperty('send_to');
  });

  it('is not told where all go to the companies as ever, nor before a test', async () => {
    const dialog = await open();
    expect(dialog.queryByText('宛先')).toBeNull();
    cleanup();
    const test = await open({ ...TO_BOTH, testTo: 'qa@example.com' });
    expect(test.queryByText('宛先')).toBeNull();
  });

  it('joins a reservation of the same choice alone', async () => {
    const sendAt = Date.parse('2026-11-24T18:00:00+09:00');
    fakeApi({ 'GET /reservation/list': () => ok([{ id: 8, send_to: 'company' }]) });
    await open({ ...TO_BOTH, sendAt });
    const reserve = screen.getByRole('button', { name: '2社への送信を予約' });
    await waitFor(() => expect(reserve.getAttribute('aria-disabled')).not.toBe('true'));
    expect(screen.queryByText(/^同じ日時に予約があります/)).toBeNull();
    cleanup();
    await open({ ...TO_BOTH, sendTo: 'company', sendAt });
    expect(await screen.findByText(/^同じ日時に予約があります/)).toBeDefined();
  });
});

describe('a follow-up', () => {
  const sendAt = Date.parse('2026-11-24T18:00:00+09:00');
  const RESERVED = { 'GET /reservation/list': () => ok([{ id: 8, send_to: 'company' }]) };
  const reserve = () => screen.getByRole('button', { name: '2社への送信を予約' });

  it.each([
    ['primary_or_company', 0],
    ['company', 1],
  ])('of a run to %s joins %d reservations to companies', async (send_to, joined) => {
    fakeApi({ ...RESERVED, 'GET /send_log/9': () => ok({ id: 9, send_to }) });
    await open({ followUpOf: 9, sendAt });
    await waitFor(() => expect(reserve().getAttribute('aria-disabled')).not.toBe('true'));
    expect(screen.queryAllByText(/^同じ日時に予約があります/)).toHaveLength(joined);
  });

  it('of a run that cannot be read says nothing about reservations', async () => {
    fakeApi({ ...RESERVED, 'GET /send_log/9': () => 'network' });
    await open({ followUpOf: 9, sendAt });
    await waitFor(() => expect(reserve().getAttribute('aria-disabled')).not.toBe('true'));
    expect(screen.queryByText(/^同じ日時に予約があります/)).toBeNull();
  });
});

describe('reservation dialog', () => {
  const candidateDates = [
    { date: '2026-11-26', start_time: '9:00', end_time: '18:00' },
    { date: '2026-11-27', start_time: '13:00', end_time: '14:30' },
  ];
  const reservation = { sendAt: Date.parse('2026-11-24T09:00:00+09:00'), candidateDates };
  const LIST = 'GET /reservation/list';
  const POST = 'POST /reservation';
  const none = () => ok([]);
  const skip = (...reasons: string[]) => reasons.map((reason, index) => ({ prospect_id: index + 1, reason }));

  it('shows what is reserved, for when, and with which dates', async () => {
    fakeApi({ [LIST]: none });
    const dialog = await open(reservation);
    const at = sentenceTime('2026/11/24 09:00');
    expect(screen.getByRole('dialog', { name: `${at}に2社への送信を予約` })).toBeDefined();
    expect(dialog.getByText('ご提案')).toBeDefined();
    expect(dialog.getByText(/・11月26日\(木\) 9:00〜18:00\s・11月27日\(金\) 13:00〜14:30/)).toBeDefined();
    expect(dialog.getByText('本当に予約しますか？')).toBeDefined();
  });

  it('§8.14 reserves once, reports it and reloads the lists', async () => {
    const answer = deferred();
    const requests = fakeApi({ [LIST]: none, [POST]: () => answer.answer });
    await open({ ...reservation, targets: [1, 2, 3, 4].map(target) });
    await press('4社への送信を予約');
    await press('4社への送信を予約');
    expect(screen.getByText('メールを予約中')).toBeDefined();
    await act(async () =>
      answer.resolve(
        ok({
          status: 'added',
          id: 8,
          skipped: skip('reserved', 'inactive', 'reserved'),
          ends_about: '2026/11/24 09:20:00',
        }),
      ),
    );
    const end = `終了の目安：${sentenceTime('2026/11/24 09:20')}`;
    const at = sentenceTime('2026/11/24 09:00');
    expect(await toastText('status')).toBe(
      `メールが予約されました${at}・1社${end}3社は対象外になりました（無効 1社、予約中 2社）予約を見る`,
    );
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(onTaken).toHaveBeenCalledExactlyOnceWith(true);
    expect(onAccepted).not.toHaveBeenCalled();
    const posts = requests.filter(({ method }) => method === 'POST');
    const update = {
      attack_list: [1, 2, 3, 4].map((id) => {
        const { prospect_id, company_email } = target(id);
        return { prospect_id, company_email };
      }),
      datetime_list: candidateDates,
      active: 1,
    };
    expect(posts.map(({ body }) => body)).toEqual([
      {
        add_info: { sender_id: 2, send_at: '2026/11/24 09:00:00', test_send_mode: 0, ...update },
        duplicate_key_update_info: update,
        days_from_lastday: 7,
      },
    ]);
  });

  it('§8.4, 8.14 shows, before and during the request, that it changes an existing reservation', async () => {
    const answer = deferred();
    const known = deferred();
    const requests = fakeApi({ [LIST]: () => known.answer, [POST]: () => answer.answer });
    await open({ ...reservation, testTo: 'qa@example.com' });
    // Nothing can be reserved before it is known. No height is reserved for a notice that may not appear.
    expect(screen.queryByText(/^同じ日時に予約があります/)).toBeNull();
    await press('2通のテスト送信を予約');
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
    known.resolve(ok([{ id: 8, send_to: 'company' }]));
    expect(await screen.findByText(/^同じ日時に予約があります/)).toBeDefined();
    expect(requests[0]?.query.get('where_info[test_send_mode]')).toBe('1');
    await press('2通のテスト送信を予約');
    expect(screen.getByText('メール予約を更新中')).toBeDefined();
    await act(async () => answer.resolve(ok({ status: 'updated', id: 8, skipped: [] })));
    expect((await screen.findByText('メールの予約が更新されました')).closest('[role=status]')).not.toBeNull();
    expect(onTaken).toHaveBeenCalledOnce();
  });

  it.each([
    [['reserved', 'reserved'], 'アタックリストはすでに予約されています'],
    [
      ['reserved', 'not_found'],
      'アタックリストはすでに予約されています2社は対象外になりました（見込み客にない 1社、予約中 1社）',
    ],
    [
      ['inactive', 'not_found'],
      '予約できる送信対象がありませんでした2社は対象外になりました（見込み客にない 1社、無効 1社）',
    ],
  ])('warns when nothing was added (%j)', async (reasons, message) => {
    fakeApi({ [LIST]: none, [POST]: () => ok({ status: 'no-added', id: 8, skipped: skip(...reasons) }) });
    await open(reservation);
    await press('2社への送信を予約');
    expect(await toastText('alert')).toBe(message);
    expect(onTaken).toHaveBeenCalledExactlyOnceWith(false);
  });

  it('shows the refusal of the server and stays', async () => {
    fakeApi({ [LIST]: none, [POST]: () => refused(400, '予約日時を過ぎています。これからの日時を選んでください。') });
    await open(reservation);
    await press('2社への送信を予約');
    expect(await toastText('alert')).toMatch(/^予約日時を過ぎています/);
    expect(screen.getByRole('dialog')).toBeDefined();
    expect(onTaken).not.toHaveBeenCalled();
  });
});

it('shows all mails, or those that a warning names', async () => {
  const doubt: Check = { kind: 'warning', text: '敬称が重なっています', prospectIds: [2] };
  const dialog = await open({}, [doubt]);
  await userEvent.click(dialog.getByRole('button', { name: 'メールを見る' }));
  await userEvent.click(dialog.getByRole('button', { name: '見る' }));
  expect(onShowMails.mock.calls).toEqual([[], [[2]]]);
});

it('shows the checks of the mails before a test as well', async () => {
  const dialog = await open({ testTo: 'test@example.com' }, [
    { kind: 'warning', text: 'メールが大きすぎて送れません' },
  ]);
  expect(dialog.getByText('メールが大きすぎて送れません')).toBeDefined();
});
