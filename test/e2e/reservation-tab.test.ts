import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import type { Client } from '#test/client.ts';
import { reservationBody } from '#test/reservations.ts';
import { eventually } from '#test/sending.ts';
import { type Visit, visit } from './browser.ts';
import { demoClient, logIn } from './demo.ts';
import { shareScene } from './scene.ts';

/** Tests the reservation tab for a user far from Tokyo. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;
let client: Client;

const DAY = firstAllowedDay(Date.now()).replaceAll('-', '/');
const REAL = `${DAY} 09:00`;
const TEST = `${DAY} 20:45`;

interface Target {
  readonly prospect_id: number;
  readonly company_name: string;
}
let targets: Target[] = [];
let senderGroupId = 0;

const ask = async <Body>(path: string): Promise<Body> => (await client.get(path)).body as Body;
const preview = async () =>
  (await ask<{ rows: Target[] }>(`/attack_list/preview?sender_group_id=${senderGroupId}&limit_count=10`)).rows;

beforeAll(async () => {
  client = await demoClient(kaitaku.url);

  const [group] = await ask<{ id: number }[]>('/sender_group/list');
  senderGroupId = group?.id ?? 0;
  const [sender] = await ask<{ id: number }[]>(`/sender/list?where_info[sender_group_id]=${senderGroupId}`);
  targets = await preview();
  const reserve = (send_at: string, test_send_mode: 0 | 1, chosen: readonly Target[]) => {
    const attack_list = chosen.map(({ prospect_id }) => ({ prospect_id, company_email: 'test@example.com' }));
    const body = reservationBody({ sender_id: sender?.id ?? 0, send_at: `${send_at}:00`, test_send_mode, attack_list });
    return client.post('/reservation', body);
  };
  expect((await reserve(REAL, 0, targets.slice(0, 3))).body).toMatchObject({ status: 'added', skipped: [] });
  expect((await reserve(TEST, 1, targets.slice(3, 5))).body).toMatchObject({ status: 'added', skipped: [] });

  opened = await visit(kaitaku.browser, kaitaku.url, undefined, 'America/Los_Angeles');
  page = opened.page;
  await logIn(page);
  await page.getByRole('tab', { name: '予約リスト' }).click();
});

const choice = () => page.getByLabel('予約', { exact: true });
const offers = (...labels: string[]) =>
  eventually(
    () => choice().getByRole('option').allInnerTexts(),
    (texts) => texts.join() === labels.join(),
  );
const companies = () => page.getByRole('rowheader').allTextContents();
const namesOf = (rows: readonly Target[]) => rows.map(({ company_name }) => company_name);
const shows = (rows: readonly Target[]) =>
  eventually(companies, (names) => names.toSorted().join() === namesOf(rows).toSorted().join());
const focused = () => page.locator(':focus').innerText();
const removeButton = () => page.getByRole('button', { name: '予約を削除' });

test('all reservations are shown, with their times in Tokyo', async () => {
  await shows(targets.slice(0, 5));
  await offers('すべて表示', REAL, `${TEST}（テスト）`);
  const row = page.getByRole('row').filter({ hasText: targets[0]?.company_name ?? '' });
  await expect.poll(() => row.textContent()).toContain(REAL);
  const testRow = page.getByRole('row').filter({ hasText: targets[3]?.company_name ?? '' });
  await expect.poll(() => testRow.textContent()).toMatch(new RegExp(`${TEST}\\s*テスト`));
});

test('the select and its delete stand in one line, on desks beside the link to all reservations', async () => {
  const middle = async (part: ReturnType<typeof choice>) => {
    const { y = 0, height = 0 } = (await part.boundingBox()) ?? {};
    return y + height / 2;
  };
  const link = page.getByRole('link', { name: 'すべての予約を見る' });
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const parts = width === 390 ? [removeButton()] : [removeButton(), link];
    for (const part of parts) {
      const apart = async () => Math.abs((await middle(part)) - (await middle(choice())));
      await expect.poll(apart, { message: `${width}` }).toBeLessThan(3);
    }
  }
});

test('the table is sorted by its headers', async () => {
  const header = page.getByRole('columnheader', { name: '会社名' });
  await header.getByRole('button').click();
  const ascending = namesOf(targets.slice(0, 5)).sort();
  await eventually(companies, (names) => names.join() === ascending.join());
  await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending');
  await header.getByRole('button').click();
  await eventually(companies, (names) => names.join() === ascending.toReversed().join());
  await header.getByRole('button').click();
  await eventually(
    () => header.getAttribute('aria-sort'),
    (sort) => sort === null,
  );
});

test('with nothing chosen, deleting warns', async () => {
  await removeButton().click();
  await page.getByRole('alert').getByText('削除対象が選択されていません').waitFor();
});

test('a reservation is chosen, and stays so after a reload', async () => {
  await choice().selectOption({ label: REAL });
  await shows(targets.slice(0, 3));
  await page.reload();
  await eventually(
    () => choice().inputValue(),
    (id) => id !== '',
  );
  await shows(targets.slice(0, 3));
});

test('it is deleted by keyboard after a confirmation', async () => {
  await removeButton().focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: '予約の削除' });
  await dialog.getByText('3社').waitFor();
  await expect
    .poll(() => dialog.innerText())
    .toMatch(new RegExp(`${DAY.slice(5).split('/').map(Number).join('/')}（[月火水木金]）0?9:00`));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(focused, (text) => text === '予約を削除');

  await page.keyboard.press('Enter');
  await dialog.getByText('3社').waitFor();
  await eventually(focused, (text) => text === 'キャンセル');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('予約が削除されました').first().waitFor();
  await shows(targets.slice(3, 5));
  await offers('すべて表示', `${TEST}（テスト）`);
});

test('its companies can be reserved again', async () => {
  expect(namesOf(await preview())).toStrictEqual(namesOf(targets));
  await page.getByRole('tab', { name: '見込み客リスト' }).click();
  await page.getByLabel('送信状況').selectOption({ label: '予約中' });
  await page.getByText('該当 0社').waitFor();
});

test('another sender group brings its own templates, flags and reservations', async () => {
  const [, , , , , company = ''] = namesOf(targets);
  const flag = (on: boolean) => page.getByRole('switch', { name: `${company}への配信`, checked: on });
  const templates = () => page.getByLabel('テンプレート', { exact: true }).getByRole('option').allInnerTexts();
  const choose = (label: string) => page.getByLabel('送信者グループ').selectOption({ label });
  await page.getByLabel('送信状況').selectOption({ label: 'すべて' });
  await flag(true).click();
  await flag(false).and(page.locator(':not([aria-disabled])')).waitFor();
  const own = await eventually(templates, (names) =>
    names.includes('業務改善のご提案 — 受発注業務の効率化のご提案（田中 直樹）'),
  );

  await choose('西日本営業部');
  await flag(true).waitFor();
  const others = [
    '採用支援のご提案 — 中途採用の応募数を増やすご提案（田中 直樹）',
    '資料送付のお伺い — 経費精算の電子化に関する資料のご送付について（鈴木 彩）',
  ];
  await eventually(templates, (names) => names.join() === others.join());
  await page.getByRole('tab', { name: '予約リスト' }).click();
  await page.getByText('このテンプレートの予約はありません').waitFor();
  await offers('すべて表示');

  await choose('首都圏営業部');
  await shows(targets.slice(3, 5));
  await eventually(templates, (names) => names.join() === own.join());
  await page.getByRole('tab', { name: '見込み客リスト' }).click();
  await flag(false).waitFor();
});

test('with the last one deleted, the tab shows the remedy', async () => {
  await page.getByRole('tab', { name: '予約リスト' }).click();
  await choice().selectOption({ label: `${TEST}（テスト）` });
  await removeButton().click();
  const dialog = page.getByRole('dialog', { name: 'テスト予約の削除' });
  await dialog.getByText('2社').waitFor();
  await dialog.getByRole('button', { name: '予約を削除' }).click();
  await page.getByText('このテンプレートの予約はありません').waitFor();
  await opened.leave();
});
