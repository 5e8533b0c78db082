import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { reservationBody } from '#test/reservations.ts';
import { demoClient, enter } from './demo.ts';
import { tooWide } from './page-checks.ts';
import { shareScene } from './scene.ts';
import { openFilters } from './walk-steps.ts';

/** Tests how much of the window is above the first company: with filters folded, はじめかた hidden, and no strip. */
const kaitaku = shareScene();

/** The top and height of the first company, without what stands between header and page (a strip). */
const FIRST = `(() => {
  const { top, height } = document.querySelector('tbody tr').getBoundingClientRect();
  const strip = document.querySelector('main').getBoundingClientRect().top -
    document.querySelector('header').getBoundingClientRect().bottom;
  return { top: top - Math.max(0, strip), height };
})()`;

/** How far the middles of the search and the filter button are below the middle of the group's select, in px. */
const BESIDE = `(() => {
  const middle = (element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return (top + bottom) / 2;
  };
  const line = middle(document.querySelector('main select'));
  return ['main input[type=search]', 'main section > button'].map((part) => middle(document.querySelector(part)) - line);
})()`;

const first = (page: Page) => page.evaluate<{ top: number; height: number }>(FIRST);

test.each([
  ['a desk', { width: 1440, height: 900 }, 295, 40],
  ['a small desk', { width: 1024, height: 768 }, 295, 40],
  // Below the line of saved conditions.
  ['a phone', { width: 390, height: 844 }, 344, 96],
] as const)('the first company stands high on %s', async (_screen, size, maxTop, maxHeight) => {
  const client = await demoClient(kaitaku.url);
  const where_info = { address: '東京' };
  for (let number = 1; number <= 9; number += 1) {
    await client.post('/saved_condition', { add_info: { name: `${size.width}の条件${number}`, where_info } });
  }
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/', size);
  await page.getByRole('rowheader').first().waitFor();
  await openFilters(page, false);
  const { top, height } = await first(page);
  expect([top <= maxTop, height <= maxHeight], `at ${top} px, ${height} px high`).toStrictEqual([true, true]);
  if (size.width > 640) expect(await page.evaluate<number[]>(BESIDE)).toStrictEqual([0, 0]);
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await tooWide(page)).toStrictEqual([]);
  await openFilters(page, true);
  expect(await tooWide(page)).toStrictEqual([]);
  await leave();
});

test('the name begins near the left edge, also where companies have been sent to and are reserved', async () => {
  const client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const { rows } = (await client.get(`/prospect/view?sender_group_id=${group?.id}&pagenate_count=20`)).body as {
    rows: { id: number; company_email: string | null }[];
  };
  const [sent = 0, reserved = 0] = rows.filter(({ company_email }) => company_email !== null).map(({ id }) => id);
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/', { width: 1440, height: 900 });
  const name = page.getByRole('rowheader').first().getByRole('link');
  const beginsAt = async () => {
    await page.reload();
    await name.waitFor();
    return (await name.boundingBox())?.x;
  };
  expect(await beginsAt()).toBeLessThanOrEqual(330);
  await client.post('/send_log', { sender_group_id: group?.id, attack_list: [sent] });
  expect(await beginsAt()).toBeLessThanOrEqual(330);
  await expect
    .poll(() => page.getByRole('columnheader', { name: '最終送信日時' }).getAttribute('data-short'))
    .toBeNull();
  const [sender] = (await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`)).body as { id: number }[];
  const attack_list = [{ prospect_id: reserved }];
  const send_at = `${firstAllowedDay(Date.now()).replaceAll('-', '/')} 09:00:00`;
  await client.post('/reservation', reservationBody({ sender_id: sender?.id ?? 0, send_at, attack_list }));
  expect(await beginsAt()).toBeLessThanOrEqual(425);
  await expect.poll(() => page.getByRole('columnheader', { name: '予約日時' }).getAttribute('data-short')).toBeNull();
  await leave();
});

/** The top of the first row or figure, and of the message in place of them. */
const FIRST_DATUM = `document.querySelector('main tbody tr, main [aria-busy] > *, main strong').getBoundingClientRect().top`;

test.each(['/sends', '/reservations', '/reports', '/suppressions'])(
  'the filters of %s are folded on a phone: the first datum stands high',
  async (path) => {
    if (path === '/suppressions') {
      const client = await demoClient(kaitaku.url);
      const add_info = { values: ['info@shinei-advisory.example'], class: 'refused' };
      expect((await client.post('/suppression', { add_info })).status).toBe(200);
    }
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, path, { width: 390, height: 844 });
    const fold = page.getByRole('button', { name: /^絞り込み/, expanded: false });
    await fold.waitFor();
    await page.locator('main tbody tr, main [aria-busy] > *, main strong').first().waitFor();
    expect(await page.evaluate<number>(FIRST_DATUM)).toBeLessThanOrEqual(344);
    await expect.poll(() => page.getByRole('combobox').count()).toBe(0);
    await fold.click();
    await page.getByRole('combobox').first().waitFor();
    expect(await tooWide(page)).toStrictEqual([]);
    await leave();
  },
);
