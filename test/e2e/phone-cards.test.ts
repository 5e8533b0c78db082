import { expect, test } from 'vitest';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { eventually } from '#test/sending.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { field, openFilters } from './walk-steps.ts';

/** Tests a page of companies on a phone, where the document contains only cards near the window. */
const kaitaku = shareScene();

const PHONE = { width: 390, height: 844 };
const STEP = 500;
/** The scroll position in px at which cards reach the middle of the window; the list's head is above them. */
const BELOW_HEAD = 400;
/** The maximum of rendered cards: a folded one takes a tenth of the window, and three windows are rendered. */
const MOST_CARDS = 32;
const PAGE_SIZE = 50;

/** The rendered cards by their number in the list, and whether one is in the middle of the window. */
interface Held {
  readonly names: readonly (readonly [number, string])[];
  readonly isAnyInView: boolean;
}

const TWO_FRAMES = 'new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))';
const HELD = `${TWO_FRAMES}.then(() => ({
  names: [...document.querySelectorAll('tbody tr')]
    .map((row) => [Number(row.ariaRowIndex), row.querySelector('th').textContent]),
  isAnyInView: [300, 320].some((y) => document.elementFromPoint(195, y)?.closest('tbody tr') != null),
}))`;

test(`${PAGE_SIZE} cards are never in the document at once, and all are met by scrolling`, async () => {
  const client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const path = `/prospect/view?sender_group_id=${group?.id}&pagenate_count=${PAGE_SIZE}`;
  const { rows } = (await client.get(path)).body as { rows: ProspectView[] };
  const names = rows.map(({ company_name }, place) => [place + 1, company_name]);
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  await field(page, '表示件数').selectOption(String(PAGE_SIZE));
  await page.setViewportSize(PHONE);
  await page.getByRole('rowheader').first().waitFor();
  // A list first rendered in the wide window has its filters open, and its cards start below the first scroll.
  await openFilters(page, false);
  const chosen = page.getByRole('checkbox', { name: `${rows[0]?.company_name}を選択` });
  await chosen.check();

  /** Scrolls through the list. @returns the numbers and names of the cards passed, once each */
  const scroll = async (step: number) => {
    const met = new Map<number, string>();
    for (let before = -1, now = await page.evaluate<number>('scrollY'); before !== now; ) {
      const held = await page.evaluate<Held>(HELD);
      expect(held.names.length).toBeLessThanOrEqual(MOST_CARDS);
      for (const [place, name] of held.names) met.set(place, name);
      before = now;
      await page.evaluate(`scrollBy(0, ${step})`);
      now = await page.evaluate<number>('scrollY');
      if (before !== now && before >= BELOW_HEAD) expect(held.isAnyInView, `at ${before} px`).toBe(true);
    }
    return [...met].toSorted(([one], [other]) => one - other);
  };
  await page.evaluate(`scrollTo(0, ${BELOW_HEAD})`);
  expect(await scroll(STEP)).toStrictEqual(names);
  await expect.poll(() => chosen.count()).toBe(0);
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await scroll(-STEP);
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBeCloseTo(height, -1);
  await expect.poll(() => chosen.isChecked()).toBe(true);

  // A card in which the user is writing stays rendered.
  await page.getByRole('button', { name: `${rows[0]?.company_name}のほかの項目` }).click();
  await page.getByRole('button', { name: `${rows[0]?.company_name}の備考を編集` }).click();
  await page.locator('textarea').fill('あとで電話する');
  await page.evaluate('scrollTo(0, 4000)');
  await eventually(
    () => page.getByRole('rowheader').count(),
    (count) => count > MOST_CARDS,
  );
  await expect.poll(() => page.locator('textarea').inputValue()).toBe('あとで電話する');
  await page.locator('textarea').press('Escape');

  // A pressed element must not move until it is released, although the other cards have other heights.
  await page.evaluate('scrollTo(0, 1e6)');
  const next = page.getByRole('button', { name: '次のページ' });
  await next.hover();
  const last = page.locator(`tbody tr[aria-rowindex="${PAGE_SIZE}"]`);
  await last.waitFor();
  await page.mouse.down();
  await page.evaluate('scrollTo(0, 0)');
  await page.evaluate(TWO_FRAMES);
  await expect.poll(() => last.count()).toBe(1);
  await page.mouse.up();
  await last.waitFor({ state: 'detached' });
  await chosen.waitFor();

  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(PAGE_SIZE);
  await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
  await eventually(
    () => page.getByRole('rowheader').count(),
    (count) => count <= MOST_CARDS,
  );
  await leave();
});

test('saved conditions are one line, and the number of the open filter leads to the list', async () => {
  const client = await demoClient(kaitaku.url);
  for (const address of ['東京', '大阪', '愛知', '福岡', '北海道']) {
    const add_info = { name: `${address}の製造業の会社`, is_shared: 1, where_info: { address } };
    expect((await client.post('/saved_condition', { add_info })).status).toBe(200);
  }
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/', PHONE);
  const chips = page.getByRole('list', { name: '保存した条件' });
  await chips.getByRole('button').nth(4).waitFor();
  const boxes = await Promise.all((await chips.getByRole('listitem').all()).map((chip) => chip.boundingBox()));
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);

  // The panel covers the list, so its number leads there.
  await openFilters(page, true);
  await page.getByRole('button', { name: '1,000社を表示' }).waitFor();
  await page.getByRole('button', { name: '業種を一覧から選ぶ', exact: true }).click();
  const term = page.getByRole('button', { name: /^建設業/ });
  const [, found] = /([\d,]+社)$/.exec((await term.innerText()).replaceAll(/\s/g, '')) ?? [];
  await term.click();
  await page.getByRole('button', { name: `${found}を表示` }).click();
  await page.getByText(`該当 ${found}`).waitFor();
  await leave();
});
