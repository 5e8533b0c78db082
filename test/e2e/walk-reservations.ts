import type { Page } from 'playwright-core';
import { DEFAULT_PERIODS } from '#domain/sending/sending-hours.ts';
import { addDays, isWeekend, startOfWeek, weekdayOf } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { holidayOf } from '#server/features/sending-rules/holidays.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, pressFurther, unfold, when, whenLoaded } from './walk-steps.ts';

const ONE = /\/api\/v1\/reservation\/\d+$/;
const CHANGED_MEANWHILE = { message: '鈴木 彩さんが11/27（金）10:02に変更しました。', code: 'reservation_changed' };
const SAME_TIME = {
  message: '同じテンプレートの予約が、この日時にすでにあります。',
  code: 'reservation_at_that_time',
  details: [
    { path: 'id', message: '999999' },
    { path: 'targets', message: '40' },
  ],
};

const FULL = {
  message:
    'この日時の予約には、すでに9,980社が入っています。1つの予約に入れられるのは10,000社までのため、40社を加えられません。ほかの日時を選ぶか、会社を減らしてください。',
  code: 'reservation_full',
};
const STARTED = {
  message: 'この予約の送信はすでに始まっているため、変更できません。送信履歴を確認してください。',
  code: 'reservation_started',
  details: [{ path: 'send_log_id', message: '1' }],
};

/** Walks through all reservations: the list, one of them, its change and refusals. It changes nothing. */
export async function* allReservations(page: Page): AsyncGenerator<string> {
  await page.getByRole('link', { name: 'すべての予約を見る' }).click();
  await page.getByRole('heading', { name: '予約', level: 1 }).waitFor();
  const fold = page.getByRole('button', { name: /^絞り込み/ });
  await fold.or(field(page, 'ステータス')).first().waitFor();
  if ((await fold.count()) > 0) {
    yield* whenLoaded(page, 'all-reservations-folded');
    await fold.click();
  }
  await field(page, 'ステータス').selectOption({ label: '送信できていません' });
  yield* when(page, '条件に合う予約がありません', 'all-reservations-no-match');
  await press(page, '条件をクリア');
  await field(page, '種別').selectOption({ label: 'すべて' });
  await page.getByRole('rowheader').first().waitFor();
  yield* whenLoaded(page, 'all-reservations');
  await field(page, '種別').selectOption({ label: '本番のみ' });
  await page.getByRole('rowheader', { name: 'テスト' }).waitFor({ state: 'detached' });
  await openFirst(page);
  yield* when(page, /^対象の会社 \d/, 'reservation-change');
  await pressFurther(page, '今すぐ送信');
  yield* when(page, '予約日時を待たずに送信します。', 'reservation-send-now');
  await page.keyboard.press('Escape');
  yield* changes(page);
  await press(page, 'キャンセル');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  yield* ended(page);
  yield* calendar(page);
}

/** Opens the first reservation of the list; on a phone it unfolds the card. */
async function openFirst(page: Page): Promise<void> {
  await page.getByRole('rowheader').first().waitFor();
  await unfold(page, /のほかの項目$/);
  await page
    .getByRole('link', { name: /を変更$/ })
    .first()
    .click();
}

const GROUP_RULES = /\/api\/v1\/sending_rules\/\d+$/;
const CALENDAR = /\/api\/v1\/reservation\/calendar\?/;
/** Near the turn of this year, with its holidays and closing days. */
const TODAY = dayOf(Date.now());
const DECEMBER = `${TODAY.slice(0, 4)}-12`;
const MONDAY = startOfWeek(`${DECEMBER}-28`);
const SUBJECTS = ['受発注業務の効率化のご提案', '経費精算の電子化に関する資料のご送付について', '年末のご挨拶'];
const itemOn = (day: string, at: number, state: string, targets: number) => {
  const send_at = `${day.replaceAll('-', '/')} ${['08:00', '09:30', '13:15'][at % 3]}:00`;
  const group = { id: 1, group_name: ['首都圏営業部', '西日本営業部'][at % 2] };
  return { id: Number(day.replaceAll('-', '')) * 10 + at, send_at, subject: SUBJECTS[at % 3], group, targets, state };
};

const NEW_YEAR = { first_day: `${DECEMBER}-29`, last_day: addDays(`${DECEMBER}-29`, 5), name: '年末年始' };
const FOUNDED = { first_day: `${DECEMBER}-01`, last_day: `${DECEMBER}-01`, name: '創立記念日' };
const CLOSING_DAYS = [NEW_YEAR, FOUNDED].map((closing) => ({ ...closing, working: 0, yearly: 0 }));
const RULES = {
  periods: DEFAULT_PERIODS,
  on_holidays: 0,
  outside: 'warn',
  version: 1,
  closing_days: CLOSING_DAYS,
};

const OF_DAY = /\/reservation\/view\?.*\bfrom=/;
/** A day in the list: a reservation of each state. */
const ROWS = (['pending', 'held', 'missed', 'refused', 'waiting', 'sent'] as const).map((state, at) => {
  const { id, send_at, subject = '', group, targets } = itemOn(MONDAY, at, state, [98, 1_000, 40][at % 3] ?? 0);
  return {
    id,
    send_at,
    group,
    targets,
    state,
    maybe_refused: 0,
    refused_reason: null,
    send_log_id: null,
    version: 1,
    send_to: at === 3 ? 'primary_or_company' : 'company',
    sender: { id: 1, subject, person_in_charge: '田中 直樹', template_name: ['ご提案', '資料送付', 'ご挨拶'][at % 3] },
    leaving: { suppressed: at === 0 ? 2 : 0, replied: 0 },
    datetime_list: at % 2 === 0 ? null : [{ date: MONDAY, start_time: '13:00', end_time: '15:00' }],
    test_send_mode: at === 1 ? 1 : 0,
    member_name: '鈴木 彩',
    changed_by: null,
    changed_at: null,
    put_off_until: state === 'waiting' ? `${DECEMBER.slice(0, 4)}/12/28 13:00:00` : null,
  };
});

/** Returns a day of the calendar: some have reservations, one too many mails, one too many lines. */
function dayOn(day: string) {
  const closing_day = CLOSING_DAYS.find((of) => of.first_day <= day && day <= of.last_day)?.name ?? null;
  const holiday = holidayOf(day, TODAY);
  const is_open = isWeekend(day) || closing_day !== null || holiday !== null ? 0 : 1;
  const none = { day, holiday, closing_day, is_open, limit: 300, planned: 0, sent: 0, items: [], more: 0 };
  if (is_open === 0) return none;
  const at = Number(day.slice(8));
  const three = [0, 1, 2].map((n) => itemOn(day, n, 'pending', 80));
  if (day === MONDAY) return { ...none, planned: 340, items: three, more: 20 };
  if (day < TODAY) return { ...none, sent: 40 + at, items: [itemOn(day, at, at % 5 === 0 ? 'missed' : 'sent', 40)] };
  if (weekdayOf(day) === 1 && at % 2 === 0) return { ...none, planned: 240, items: three };
  return { ...none, planned: 98 + at, items: [itemOn(day, at, 'pending', 98 + at)] };
}

/** Shows the calendar: a month and a week at the turn of the year, a dragged item, and the list of a day. */
async function* calendar(page: Page): AsyncGenerator<string> {
  await intercept(page, CALENDAR, (route) => {
    const { searchParams } = new URL(route.url);
    const days = [];
    for (let day = searchParams.get('from') ?? ''; day <= (searchParams.get('to') ?? ''); day = addDays(day, 1)) {
      days.push(dayOn(day));
    }
    return route.fulfill({ json: { days } });
  });
  await intercept(page, GROUP_RULES, (route) => route.fulfill({ json: RULES }));
  await press(page, 'カレンダー');
  yield* whenLoaded(page, 'reservation-calendar');
  const show = (span: string, day: string) =>
    page.goto(new URL(`/reservations?view=calendar&span=${span}&date=${day}`, page.url()).href);
  await show('month', MONDAY);
  yield* when(page, '年末年始', 'reservation-calendar-month');
  yield* dragged(page);
  await show('week', addDays(MONDAY, -7));
  yield* when(page, /^\d+年\d+月\d+日〜/, 'reservation-calendar-week');
  await intercept(page, OF_DAY, (route) => route.fulfill({ json: { rows: ROWS, total: ROWS.length } }));
  await show('week', MONDAY);
  await page
    .getByRole('link', { name: /の予約をすべて見る/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'この日だけの表示を終了' }).waitFor();
  yield* whenLoaded(page, 'all-reservations-day');
  letThrough(page, OF_DAY);
  letThrough(page, CALENDAR);
  letThrough(page, GROUP_RULES);
}

/** Drags a reservation over a day that refuses it. On a phone cards cannot be dragged. */
async function* dragged(page: Page): AsyncGenerator<string> {
  const item = page.locator('td [data-movable]').first();
  if ((await item.count()) === 0) return;
  const closed = page.locator('td[data-closed]').first();
  await item.hover();
  await page.mouse.down();
  await closed.hover();
  await page.getByText(/は創立記念日（休業日）です$/).waitFor();
  yield* whenLoaded(page, 'reservation-calendar-drag');
  await page.keyboard.press('Escape');
  await page.mouse.up();
}

/** Shows the server's refusals of a change; the typed values always stay. */
async function* changes(page: Page): AsyncGenerator<string> {
  await field(page, '時刻').selectOption('13:15');
  yield* when(page, '変更後', 'reservation-changed');
  let refusal: object = SAME_TIME;
  await intercept(page, ONE, async (route) => {
    if (route.method === 'PUT') return route.fulfill({ status: 409, json: refusal });
    if (refusal !== CHANGED_MEANWHILE) return route.continue();
    const now = (await (await route.fetch()).json()) as { version: number; send_at: string };
    const theirs = { version: now.version + 1, send_at: now.send_at.replace(/ .*/, ' 10:30:00'), datetime_list: null };
    return route.fulfill({ json: { ...now, ...theirs } });
  });
  await press(page, '変更を保存');
  yield* when(page, /同じテンプレートの予約（40社）/, 'reservation-same-time');
  refusal = FULL;
  await press(page, '変更を保存');
  yield* when(page, /すでに9,980社が入っています/, 'reservation-full');
  refusal = STARTED;
  await press(page, '変更を保存');
  await page.getByRole('link', { name: '送信の詳細' }).waitFor();
  yield* when(page, /^この予約の送信はすでに始まっているため、変更できません/, 'reservation-started');
  // Nothing of it can be changed any more.
  await press(page, '閉じる');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await openFirst(page);
  await field(page, '時刻').selectOption('13:15');
  refusal = CHANGED_MEANWHILE;
  await page.getByRole('checkbox').first().uncheck();
  await press(page, '変更を保存');
  yield* when(page, /鈴木 彩さんが/, 'reservation-conflict');
  letThrough(page, ONE);
}

/** Shows a missed reservation on a holiday, one on hold since a restore, a sent one, and an undone one. */
async function* ended(page: Page): AsyncGenerator<string> {
  const day = addDays(dayOf(Date.now()), -1).replaceAll('-', '/');
  const shown = [
    { state: 'missed' as const, send_at: '2026/11/23 07:00:00', refused_reason: null },
    { state: 'held' as const, refused_reason: null },
    { state: 'sent' as const, send_at: `${day} 08:00:00`, send_log_id: 1 },
    { state: 'cancelled' as const, send_at: `${day} 08:00:00`, send_log_id: 1 },
  ];
  const words = { missed: '送信されませんでした', held: '復元確認待ち', sent: '送信開始済み', cancelled: '取り消し' };
  for (const values of shown) {
    await intercept(page, ONE, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), ...values } });
    });
    await openFirst(page);
    // The cached data are shown first.
    await page.getByRole('dialog').getByText(words[values.state], { exact: true }).waitFor();
    // For a missed one the reason is visible at the top.
    if (values.state === 'sent') await page.getByRole('dialog').getByText('履歴').click();
    yield* whenLoaded(page, `reservation-${values.state}`);
    await closeDialog(page);
    letThrough(page, ONE);
  }
}
