import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import type { Client } from '#test/client.ts';
import { attackList, reservationBody } from '#test/reservations.ts';
import { eventually } from '#test/sending.ts';
import type { Size, Visit } from './browser.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { closeDialog, press, pressFurther, pressOrder, tab, tickWarnings, toggle } from './walk-steps.ts';

/** Tests a real send that is undone in another tab, and one that nobody watches. */
const kaitaku = shareScene();
let client: Client;
let opened: Visit;
let page: Page;

beforeAll(async () => {
  client = await demoClient(kaitaku.url);
  opened = await enter(kaitaku.browser, kaitaku.url, '/settings/sending');
  page = opened.page;
});

/** Returns the newest run of the history. */
async function newestRun() {
  const { rows } = (await client.get('/send_log/view')).body as { rows: Run[] };
  return rows[0] ?? expect.unreachable();
}

const line = (of: Page) => of.getByRole('region', { name: /^10社に送信します。 ?あと \d+秒$/ });
const told = (of: Page) => of.getByText('送信前に取り消しました。1通も送っていません').first().waitFor();

/** Sends to ten companies from the attack list. */
async function send(): Promise<void> {
  await pressOrder(page);
  await page.getByText(/^送信から\d+秒の間は取り消せます。/).waitFor();
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: '10社に送信' }).click();
  await line(page).waitFor();
}

test('the undo line shows in all tabs, stays after a reload, and one press in another tab undoes the send', async () => {
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByLabel('送信の取り消し').selectOption('60秒');
  await stored;
  await page.goto(kaitaku.url);
  await tab(page, 'アタックリスト');
  await toggle(page, 'テストモード');
  await toggle(page, '予約モード');
  // A session belongs to one tab.
  const { page: other, leave } = await enter(kaitaku.browser, kaitaku.url, '/sends');
  await other.getByRole('heading', { name: '送信履歴' }).waitFor();
  await send();
  await line(other).waitFor();
  await page.reload();
  await line(page).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^メールを送信中/ }).count()).toBe(0);
  await press(other, '送信を取り消す');
  await told(other);
  await told(page);
  await line(page).waitFor({ state: 'detached' });
  expect(await newestRun()).toMatchObject({ queued: 0, cancelled: 10 });
  expect(await kaitaku.mails()).toStrictEqual([]);
  await leave();
});

describe('今すぐ送信 that is undone', () => {
  const day = skipWeekend(addDays(dayOf(Date.now()), 14));
  const [, month, date] = day.split('-').map(Number);
  let companies: readonly number[];
  let senderId: number;

  beforeAll(async () => {
    await client.put('/account_rule', { update_info: { undo_seconds: 60 } });
    const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
    const senders = await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`);
    senderId = (senders.body as { id: number }[])[0]?.id ?? 0;
    const preview = await client.get(`/attack_list/preview?sender_group_id=${group?.id}&limit_count=10`);
    companies = (preview.body as { rows: { prospect_id: number }[] }).rows.map(({ prospect_id }) => prospect_id);
  });

  const reserve = async (hour: number, of: readonly number[]): Promise<number> => {
    const send_at = `${day.replaceAll('-', '/')} ${hour}:00:00`;
    const body = reservationBody({ sender_id: senderId, send_at, attack_list: attackList(of) });
    return ((await client.post('/reservation', body)).body as { id: number }).id;
  };
  const stored = async (id: number) => (await client.get(`/reservation/${id}`)).body;

  /** Sends a reservation from its dialog, and undoes that once `meanwhile` has finished. */
  async function sendAndTakeBack(at: Page, id: number, meanwhile = async () => {}): Promise<void> {
    await at.goto(`${kaitaku.url}/reservations/${id}`);
    await pressFurther(at, '今すぐ送信');
    const asked = at.getByRole('dialog').last();
    await asked.getByText(/^予約日時を待たずに送信します。/).waitFor();
    await asked.getByText('送信時間を確認しています…').waitFor({ state: 'detached' });
    for (const box of await asked.getByRole('checkbox').all()) await box.check();
    await asked.getByRole('button', { name: '今すぐ送信' }).click();
    await at.getByRole('region', { name: /^3社に送信します/ }).waitFor();
    await meanwhile();
    await press(at, '送信を取り消す');
    await told(at);
  }

  test.each<[string, Size, number]>([
    ['desktop', { width: 1440, height: 900 }, 11],
    ['phone', { width: 390, height: 844 }, 14],
  ])('stands again at its time, and what stands there meanwhile is named: %s', async (_, viewport, hour) => {
    const { page: at, leave } = await enter(kaitaku.browser, kaitaku.url, '/reservations', viewport);
    const id = await reserve(hour, companies.slice(0, 3));
    await sendAndTakeBack(at, id);
    await at.getByText(new RegExp(`^${month}/${date}（.）${hour}:00の予約に戻しました$`)).waitFor();
    await press(at, '予約を見る');
    await at.getByRole('dialog', { name: '予約の変更' }).getByText('予約中', { exact: true }).waitFor();
    expect(await stored(id)).toMatchObject({ state: 'pending', targets: 3, send_log_id: null });
    await closeDialog(at);

    const other: number[] = [];
    await sendAndTakeBack(at, id, async () => void other.push(await reserve(hour, companies.slice(3, 4))));
    await at.getByText(/には同じテンプレートの予約があるため、戻していません/).waitFor();
    await press(at, '予約を見る');
    await at.waitForURL(`**/reservations/${other[0]}`);
    expect(await stored(id)).toMatchObject({ state: 'cancelled', targets: 3 });
    await at.goto(`${kaitaku.url}/reservations?view=calendar`);
    await at
      .locator(`[data-item="${id}"]`)
      .getByText('取り消し', { exact: true })
      .first()
      .waitFor({ state: 'attached' });
    await client.put(`/reservation/${other[0]}`, { update_info: { active: 0 } });
    expect(await kaitaku.mails()).toStrictEqual([]);
    await leave();
  });
});

test('its companies are free at once; the next send starts after its window, even with every tab closed', async () => {
  await client.put('/account_rule', { update_info: { undo_seconds: 30 } });
  await page.goto(`${kaitaku.url}/?tab=attack-list`);
  await send();
  await opened.leave();
  const { queued, starts_at } = await newestRun();
  expect(queued).toBe(10);
  const mails = (least: number) => eventually(kaitaku.mails, ({ length }) => length >= least, 60_000);
  await mails(1);
  expect(Date.now()).toBeGreaterThanOrEqual(parseDateTime(starts_at ?? '') ?? expect.unreachable());
  expect(await mails(10)).toHaveLength(10);
});
