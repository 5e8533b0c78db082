import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { intercept } from './intercept.ts';
import { shareScene } from './scene.ts';
import { untilStill } from './walk-steps.ts';
import { DEAD } from './walk-suppressions.ts';

/** Tests where pages and their tables of texts begin and end, and what shows that there is more. */
const kaitaku = shareScene();

const DESKS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 1920, height: 1080 },
];

/** An address that is cut in the narrow windows. */
const LONG = { ...DEAD, id: 1, value: `${'soumu-'.repeat(12)}@hikari-seisakusho.example` };

async function suppressed(rows: readonly object[], size: (typeof DESKS)[number]) {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', size);
  const total = rows.length;
  await intercept(page, '/suppression/view', (route) =>
    route.fulfill({ json: { rows, total, addresses: total, domains: 0 } }),
  );
  await page.goto(`${kaitaku.url}/suppressions`);
  await page.getByRole('rowheader').first().waitFor();
  return { page, leave };
}

/** Returns the right edges of the heading's line and the table, in px. */
const EDGES = `[document.querySelector('h1').parentElement.parentElement, document.querySelector('section > table').parentElement.parentElement]
  .map((part) => part.getBoundingClientRect().right)`;

/** Returns the left edges of the last header's text and of the first act below it, in px. */
const ACTS = `['thead tr > :last-child', 'tbody tr > :last-child button'].map((part) => {
  const text = document.createRange();
  text.selectNode(document.createTreeWalker(document.querySelector(part), NodeFilter.SHOW_TEXT).nextNode());
  return Math.round(text.getBoundingClientRect().left);
})`;

const rowHeights = (page: Page) =>
  page.evaluate<number[]>(
    `[...document.querySelectorAll('tbody tr')].map((row) => Math.round(row.getBoundingClientRect().height))`,
  );

test.each(DESKS)('heading and table end at one edge at $width px, and acts begin below their header', async (size) => {
  const { page, leave } = await suppressed([DEAD, LONG], size);
  const [heading, table] = await page.evaluate<number[]>(EDGES);
  expect(table).toBe(heading);
  const [header, act] = await page.evaluate<number[]>(ACTS);
  expect(act).toBe(header);
  await leave();
});

test.each(['pending', 'refused'])(
  'at 1,024 px all of a reservation %s, its addresses too, fits its line',
  async (state) => {
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', { width: 1024, height: 768 });
    const row = {
      id: 1,
      version: 1,
      send_at: '2026/12/01 09:00:00',
      state,
      test_send_mode: 0,
      targets: 120,
      leaving: { suppressed: 0, replied: 0 },
      datetime_list: null,
      put_off_until: null,
      member_name: '田中 直樹',
      send_to: 'primary_or_company',
      group: { id: 1, group_name: '首都圏営業部' },
      sender: { id: 1, subject: '受発注業務の効率化のご提案', template_name: '業務改善のご提案' },
    };
    await intercept(page, /reservation\/view/, (route) => route.fulfill({ json: { rows: [row], total: 1 } }));
    await page.goto(`${kaitaku.url}/reservations`);
    await page.getByRole('rowheader').first().waitFor();
    const over = await page.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('section > table').parentElement)`,
    );
    expect(over).toBe(0);
    await leave();
  },
);

test("a server's answer lies above the list: the row keeps its height, and Escape leads back to the mark", async () => {
  const { page, leave } = await suppressed([DEAD, LONG], { width: 1440, height: 900 });
  const before = await rowHeights(page);
  const mark = page.getByRole('button', { name: 'サーバーの応答' }).last();
  await mark.click();
  const answer = page.getByRole('dialog', { name: 'サーバーの応答' });
  // Playwright presses only what nothing cuts or covers.
  await answer.getByText(DEAD.reason).click();
  expect(await rowHeights(page)).toStrictEqual(before);
  await page.keyboard.press('Escape');
  await answer.waitFor({ state: 'detached' });
  await mark.and(page.locator(':focus')).waitFor();
  await leave();
});

/** Returns how opaque the fades at the right and lower edges of the list are. */
const FADES = `['::before', '::after'].map((edge) => Number(getComputedStyle(document.querySelector('section:has(> table)'), edge).opacity))`;

test('a list fades out at an edge behind which there is more', async () => {
  const { page, leave } = await suppressed(
    Array.from({ length: 40 }, (_, index) => ({ ...DEAD, id: index + 1 })),
    { width: 1440, height: 900 },
  );
  await untilStill(page);
  expect(await page.evaluate<number[]>(FADES)).toStrictEqual([0, 1]);
  await page.evaluate(`document.querySelector('section:has(> table)').scrollTo(0, 100_000)`);
  await untilStill(page);
  expect(await page.evaluate<number[]>(FADES)).toStrictEqual([0, 0]);
  await leave();
});

test('headings stand at one height, on centred pages too', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/suppressions', { width: 1440, height: 900 });
  const top = async () => (await page.getByRole('heading', { level: 1 }).boundingBox())?.y;
  const first = await top();
  await page.goto(`${kaitaku.url}/account`);
  expect(await top()).toBe(first);
  await leave();
});
