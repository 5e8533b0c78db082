import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ProspectView } from '#contract/companies/prospects.ts';
import { formatNumber, formatShortNumber } from '#domain/text/formats.ts';
import type { Client } from '#test/client.ts';
import { eventually } from '#test/sending.ts';
import type { Visit } from './browser.ts';
import { demoClient, enter, PAGE_SIZE } from './demo.ts';
import { shareScene } from './scene.ts';
import { openFilters } from './walk-steps.ts';

/**
 * Tests the list of 1,000 companies on the screen.
 * It is filtered, sorted, paged and scrolled, its columns change, and all of that by keyboard only.
 */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;
let client: Client;
let groupId = 0;
/** All companies in the order of the list. */
const companies: ProspectView[] = [];

const ask = async <Body>(path: string): Promise<Body> => (await client.get(path)).body as Body;

beforeAll(async () => {
  client = await demoClient(kaitaku.url);
  const [group] = await ask<{ id: number }[]>('/sender_group/list');
  groupId = group?.id ?? 0;
  for (const number of [1, 2, 3, 4, 5]) {
    const path = `/prospect/view?sender_group_id=${groupId}&pagenate_count=200&pagenate_num=${number}`;
    companies.push(...(await ask<{ rows: ProspectView[] }>(path)).rows);
  }
  opened = await enter(kaitaku.browser, kaitaku.url);
  page = opened.page;
  await openFilters(page, true);
});

const FIRST_PAGE = `1–${PAGE_SIZE}`;
const SECOND_PAGE = `${PAGE_SIZE + 1}–${2 * PAGE_SIZE}`;
const field = (label: string) => page.getByLabel(label, { exact: true });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const tab = (name: string) => page.getByRole('tab', { name, exact: true });
const header = (name: string | RegExp) => page.getByRole('columnheader', { name, exact: true });
const range = (text: string) => page.getByText(text, { exact: true }).waitFor();

/** Waits for the number of matches and the names of the first page. Playwright's own polling is only twice a second. */
async function shows(wanted: readonly ProspectView[]): Promise<void> {
  const count = page.getByText(`該当 ${formatNumber(wanted.length)}社`, { exact: true });
  await eventually(() => count.isVisible(), Boolean);
  await showsRows(wanted.slice(0, PAGE_SIZE));
}

/** Waits until the list shows these rows. */
function showsRows(wanted: readonly ProspectView[]): Promise<string[]> {
  const expected = wanted.map(({ company_name }) => company_name);
  return eventually(
    // Not by role, which would search all thousand cells twenty times a second.
    () => page.locator('tbody th').allTextContents(),
    (names) => isDeepStrictEqual(names, expected),
  );
}

async function clear(): Promise<void> {
  await button('条件をクリア').first().click();
  await shows(companies);
}

const has = (text: string | null, ...terms: readonly string[]) => terms.some((term) => text?.includes(term));
const above = (value: number | null, bound: number) => value !== null && value > bound;
const below = (value: number | null, bound: number) => value !== null && value < bound;

/** A field, its input, and the companies that match. */
type Filter = readonly [string, string, (company: ProspectView) => boolean | undefined];

/** Each filter of a chain leaves fewer companies. */
const CHAINS: readonly (readonly Filter[])[] = [
  [
    ['業種', '製造、 建設', ({ major_industry_type: industry }) => has(industry, '製造', '建設')],
    ['代表メール', 'ＯＦＦＩＣＥ@', ({ company_email }) => has(company_email, 'office@')],
    ['問い合わせURL', 'なし', ({ contact_url }) => contact_url === null],
    ['地域', '東京', ({ address }) => has(address, '東京')],
    ['設立年（上限）', '1990', ({ year_of_establishment }) => below(year_of_establishment, 1990)],
  ],
  [
    ['メール', 'なし', ({ company_email }) => company_email === null],
    ['会社URL', 'なし', ({ company_url }) => company_url === null],
    ['問い合わせURL', 'あり', ({ contact_url }) => contact_url !== null],
    ['経常利益（下限）', '1,000万', ({ ordinary_profit }) => above(ordinary_profit, 10_000_000)],
  ],
  [
    ['メール', 'あり', ({ company_email }) => company_email !== null],
    ['売上高（上限）', '１億２千万', ({ amount_of_sales }) => below(amount_of_sales, 120_000_000)],
    ['内部業種', 'ホテル,居酒屋', ({ included_industry_type: industry }) => has(industry, 'ホテル', '居酒屋')],
    ['従業員数（上限）', '10', ({ number_of_employees }) => below(number_of_employees, 10)],
  ],
  [
    ['設立年（下限）', '2020', ({ year_of_establishment }) => above(year_of_establishment, 2020)],
    ['売上高（下限）', '1億', ({ amount_of_sales }) => above(amount_of_sales, 100_000_000)],
    ['会社URL', 'あり', ({ company_url }) => company_url !== null],
    ['経常利益（上限）', '0', ({ ordinary_profit }) => below(ordinary_profit, 0)],
    ['従業員数（下限）', '50', ({ number_of_employees }) => above(number_of_employees, 50)],
  ],
];

async function choose(label: string, value: string): Promise<void> {
  if (value === 'あり' || value === 'なし') await field(label).selectOption({ label: value });
  else await field(label).fill(value);
}

test.each(CHAINS.map((chain) => [chain.map(([label, value]) => `${label} ${value}`).join(', '), chain] as const))(
  '%s: those companies and no others, until they are cleared',
  async (_, chain) => {
    let left: readonly ProspectView[] = companies;
    for (const [label, value, stays] of chain) {
      const wanted = left.filter(stays);
      expect(wanted.length).toBeGreaterThan(0);
      expect(wanted.length).toBeLessThan(left.length);
      await choose(label, value);
      await shows(wanted);
      left = wanted;
    }
    await clear();
    for (const [label] of chain) expect(await field(label).inputValue()).toBe('');
  },
);

test('bad-inputs 216: a filter as long as an address permits is searched to its last term, also after a reload', async () => {
  const names = Array.from({ length: 99 }, (_, index) => `此処には無い町の名前${index}`);
  await field('地域').fill([...names, '東京'].join('、'));
  const wanted = companies.filter(({ address }) => has(address, '東京'));
  await shows(wanted);
  await page.reload();
  await shows(wanted);
  // As the redirect of an expired session does: encoded once more.
  const { pathname, search } = new URL(page.url());
  const login = await page.request.get(`${kaitaku.url}/login?${new URLSearchParams({ from: pathname + search })}`);
  expect(login.status()).toBe(200);
  await clear();
});

test('bad-inputs 219: an empty range matches nothing', async () => {
  await field('売上高（下限）').fill('1億');
  await field('売上高（上限）').fill('1億');
  await shows([]);
  await page.getByText('間に入る値がありません。上限を大きくしてください').waitFor();
  await clear();
});

test('folded filters show their conditions, which can be removed there', async () => {
  await field('業種').fill('建設');
  await field('地域').fill('東京');
  const both = companies.filter((company) => has(company.major_industry_type, '建設') && has(company.address, '東京'));
  await shows(both);
  await button('絞り込み').click();
  await button('業種の条件を外す').click();
  await shows(companies.filter(({ address }) => has(address, '東京')));
  await button('条件をクリア').first().click();
  await shows(companies);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('絞り込み');
  await button('絞り込み').click();
});

test('the status filter shows companies that were or were not mailed', async () => {
  const sent = companies.slice(3, 6);
  const attack_list = sent.map(({ id }) => id);
  const answer = await client.post('/send_log', { sender_group_id: groupId, attack_list });
  expect(answer.body).toMatchObject({ status: 'added', skipped: [] });
  const status = field('送信状況');
  await status.selectOption({ label: '送信済み' });
  await shows(sent);
  const times = await columnTexts('最終送信日時');
  for (const time of times) expect(time).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d$/);
  await status.selectOption({ label: '未送信' });
  await shows(companies.filter((company) => !sent.includes(company)));
  await status.selectOption({ label: '予約中' });
  await page.getByText('条件に合う見込み客がありません').waitFor();
  await status.selectOption({ label: 'すべて' });
  await shows(companies);
});

const bodyRows = () => page.getByRole('grid').getByRole('rowgroup').nth(1).getByRole('row');

async function columnTexts(name: string): Promise<string[]> {
  const headers = await page.getByRole('columnheader').allTextContents();
  return bodyRows()
    .locator(`:scope > :nth-child(${headers.indexOf(name) + 1})`)
    .allTextContents();
}

test('a header sorts up, down and not at all, and says so', async () => {
  const sales = header(/^売上高/);
  const up = companies.flatMap(({ amount_of_sales: sales }) => sales ?? []).toSorted((a, b) => a - b);
  const turn = async (order: string | null, announced: string) => {
    await sales.getByRole('button').click();
    await page.getByRole('status').filter({ hasText: announced }).waitFor({ state: 'attached' });
    await expect.poll(() => sales.getAttribute('aria-sort')).toBe(order);
    await expect.poll(() => page.locator('[aria-sort]').count()).toBe(order === null ? 0 : 1);
  };
  const showsSales = (wanted: readonly number[]) =>
    eventually(
      () => columnTexts('売上高（円）'),
      (texts) => isDeepStrictEqual(texts, wanted.slice(0, PAGE_SIZE).map(formatShortNumber)),
    );
  await expect.poll(() => sales.getAttribute('aria-sort')).toBeNull();
  await turn('ascending', '売上高の昇順で並べ替えました');
  await showsSales(up);
  await turn('descending', '売上高の降順で並べ替えました');
  await showsSales(up.toReversed());
  await turn(null, '並べ替えを解除しました');
  await shows(companies);
});

test('the second page is still there after a reload; a filter and another page size begin at the first', async () => {
  const second = companies.slice(PAGE_SIZE, 2 * PAGE_SIZE);
  await button('次のページ').click();
  await range(`${SECOND_PAGE} / 1,000件`);
  await showsRows(second);
  await page.reload();
  await range(`${SECOND_PAGE} / 1,000件`);
  await showsRows(second);
  const found = companies.filter(({ major_industry_type: industry }) => has(industry, '建設'));
  await field('業種').fill('建設');
  await range(`${FIRST_PAGE} / ${found.length}件`);
  await shows(found);
  await clear();
  await range(`${FIRST_PAGE} / 1,000件`);
  await button('次のページ').click();
  await range(`${SECOND_PAGE} / 1,000件`);
  await field('表示件数').selectOption('50');
  await range('1–50 / 1,000件');
  await showsRows(companies.slice(0, 50));
  await field('表示件数').selectOption(String(PAGE_SIZE));
  await shows(companies);
});

test('the back button restores the page that belongs to the filter', async () => {
  const found = companies.filter(({ major_industry_type: industry }) => has(industry, '建設', '製造'));
  await field('業種').fill('建設、製造');
  await range(`${FIRST_PAGE} / ${found.length}件`);
  await button('次のページ').click();
  await showsRows(found.slice(PAGE_SIZE, 2 * PAGE_SIZE));
  await tab('アタックリスト').click();
  await field('業種').fill('建設');
  await page.waitForURL(/建設|%E5%BB%BA%E8%A8%AD(&|$)/);
  await page.goBack();
  await range(`${SECOND_PAGE} / ${found.length}件`);
  await showsRows(found.slice(PAGE_SIZE, 2 * PAGE_SIZE));
  // The tab also returns to the list's last position, but not to another list's.
  await tab('アタックリスト').click();
  await tab('見込み客リスト').click();
  await showsRows(found.slice(PAGE_SIZE, 2 * PAGE_SIZE));
  await tab('アタックリスト').click();
  await button('条件をクリア').first().click();
  await tab('見込み客リスト').click();
  await range(`${FIRST_PAGE} / 1,000件`);
});

test('an empty list says so, and cannot be sent', async () => {
  await field('地域').fill('此処には無い');
  await page.getByText('該当 0社').waitFor();
  await tab('アタックリスト').click();
  const panel = page.getByRole('tabpanel', { name: 'アタックリスト' });
  await panel.getByText('アタックリストが0件です').waitFor();
  await panel.getByRole('button', { name: 'テスト送信を予約' }).click();
  await page.getByRole('alert').filter({ hasText: 'アタックリストが0件です' }).waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await tab('見込み客リスト').click();
  await clear();
});

async function boxOf(locator: Locator) {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not on the page');
  return box;
}

const MOST_COLUMNS = [
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'company_url',
  'contact_url',
];

/** Returns the largest distance in px between a cell and its header, and the largest difference of their widths. */
const MISALIGNMENT = `(() => {
  const [header, ...rows] = [...document.querySelectorAll('tr')].map((row) =>
    [...row.cells].map((cell) => cell.getBoundingClientRect()));
  return Math.max(...rows.flatMap((cells) => cells.flatMap(({ x, width }, n) =>
    [Math.abs(x - header[n].x), Math.abs(width - header[n].width)])));
})()`;

async function isAligned(): Promise<void> {
  await expect.poll(() => bodyRows().count()).toBe(PAGE_SIZE);
  expect(await page.evaluate<number>(MISALIGNMENT)).toBeLessThanOrEqual(1);
}

test('the header and the company names stay in place while the list is scrolled', async () => {
  await page.reload();
  await shows(companies);
  // Tags and own fields of the open filter load after the list, and move it down.
  for (const name of ['タグ', '項目で絞り込む']) await page.getByRole('group', { name, exact: true }).waitFor();
  const first = page.getByRole('rowheader').first();
  const places = async () => ({
    active: await boxOf(header('有効')),
    name: await boxOf(header('会社名')),
    address: await boxOf(header('住所')),
    first: await boxOf(first),
  });
  // This may scroll the page: with open filters it is taller than the window.
  await page.getByRole('region', { name: '見込み客リスト' }).hover();
  const before = await places();
  await page.mouse.wheel(600, 500);
  await eventually(places, (now) => now.address.x < before.address.x - 500 && now.first.y < before.first.y - 100);
  // Measure again: the list may have been scrolled between the two measurements.
  const after = await places();
  expect(after.active).toStrictEqual(before.active);
  expect(after.address.y).toBe(before.address.y);
  // Beside 有効, because the columns between them are hidden.
  expect(after.name).toStrictEqual({ ...before.name, x: before.active.x + before.active.width });
  expect(after.first.x).toBe(after.name.x);
  // Nothing covers them.
  const middle = after.name.x + after.name.width / 2;
  const headingAt = (y: number) =>
    page.evaluate<string>(`document.elementFromPoint(${middle}, ${y}).closest('th')?.scope ?? 'none'`);
  expect(await headingAt(after.name.y + after.name.height / 2)).toBe('col');
  expect(await headingAt(after.name.y + 4.5 * after.name.height)).toBe('row');
  await isAligned();
});

/** Returns where the texts of a row's cells stand, in px. A box without content stands on their baseline. */
const BASELINES = `[...document.querySelector('tbody tr:nth-child(2)').children].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const text = texts.nextNode();
  if (text === null || cell.querySelector('button, [role=switch]') !== null) return [];
  const box = document.createElement('span');
  box.style.display = 'inline-block';
  text.before(box);
  const { bottom } = box.getBoundingClientRect();
  box.remove();
  return [bottom];
})`;

test('the name of a company stands on the baseline of its row', async () => {
  const baselines = await page.evaluate<number[]>(BASELINES);
  expect(baselines.length).toBeGreaterThan(4);
  expect(Math.max(...baselines) - Math.min(...baselines)).toBeLessThan(0.5);
});

test('columns are made wider and hidden by keyboard, cells under their headers, and stay so', async () => {
  await page.reload();
  await shows(companies);
  await isAligned();
  const { width } = await boxOf(header('代表メール'));
  // From a company to its header, and on to the edge of it.
  await page.getByRole('rowheader').first().getByRole('link').focus();
  const edge = header('代表メール').getByRole('separator');
  for (const key of ['ArrowUp', ...Array<string>(9).fill('ArrowRight')]) {
    await page.keyboard.press(key);
    if ((await edge.and(page.locator(':focus')).count()) === 1) break;
  }
  for (const key of ['Enter', ...Array<string>(5).fill('ArrowRight')]) await edge.press(key);
  await expect.poll(() => edge.getAttribute('aria-valuenow')).toBe(String(Math.round(width) + 50));
  await edge.press('Escape');
  await button('列の設定').press('Enter');
  const dialog = page.getByRole('dialog', { name: '列の設定' });
  await dialog.getByRole('checkbox', { name: '代表者' }).press('Space');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  const isChanged = async () => {
    expect(Math.round((await boxOf(header('代表メール'))).width)).toBe(Math.round(width) + 50);
    await expect.poll(() => header('代表者').count()).toBe(0);
    // Selection, status, 16 of the specification's 17 columns, and three about where an address is published.
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(21);
    await isAligned();
  };
  await isChanged();
  await page.reload();
  await shows(companies);
  await isChanged();
});

test('the edge of a header fits its column to the longest content, by Home and by a double click', async () => {
  await page.evaluate('localStorage.clear()');
  await page.reload();
  await shows(companies);
  const edge = header('代表メール').getByRole('separator');
  const cutIn = (place: number) =>
    page.evaluate<number>(`[...document.querySelectorAll('tbody tr')].filter(({ cells }) => {
      const cell = cells[${place}];
      const text = document.createRange();
      text.selectNodeContents(cell);
      return text.getBoundingClientRect().width > cell.clientWidth - 20 + 0.5;
    }).length`);
  const place = 7;
  await expect.poll(() => page.getByRole('columnheader').nth(place).textContent()).toBe('代表メール');
  for (const key of ['Enter', ...Array<string>(20).fill('ArrowLeft')]) await edge.press(key);
  expect(await cutIn(place)).toBeGreaterThan(0);
  await edge.press('Home');
  await isAligned();
  expect(await cutIn(place)).toBe(0);
  const { width } = await boxOf(header('代表メール'));
  for (const key of ['ArrowRight', 'ArrowRight', 'Enter']) await edge.press(key);
  await edge.dblclick();
  expect((await boxOf(header('代表メール'))).width).toBe(width);
});

test('a column follows the pointer that drags its edge, also where few columns leave room', async () => {
  const few = JSON.stringify({ hidden: MOST_COLUMNS, widths: {} });
  await page.evaluate(`for (const key of Object.keys(localStorage)) localStorage.setItem(key, ${JSON.stringify(few)})`);
  await page.reload();
  await shows(companies);
  await expect.poll(() => page.getByRole('columnheader').count()).toBe(22 - MOST_COLUMNS.length);
  const right = async (name: string) => {
    const { x, width } = await boxOf(header(name));
    return x + width;
  };
  // Without any value it is narrow, and shows the first characters of its header.
  const reserved = header('予約日時');
  const textOf = () => boxOf(reserved.getByText('予約日時'));
  expect([(await boxOf(reserved)).width, (await textOf()).width]).toStrictEqual([44, 28]);
  await reserved.getByRole('separator').waitFor();
  const y = (await boxOf(reserved)).y + 10;
  const pointer = (await right('予約日時')) - 3;
  await page.mouse.move(pointer, y);
  await page.mouse.down();
  for (const to of [pointer + 90, pointer + 20, pointer + 40]) {
    await page.mouse.move(to, y, { steps: 3 });
    expect(Math.abs((await right('予約日時')) - 3 - to)).toBeLessThanOrEqual(1);
  }
  await page.mouse.up();
  expect(Math.abs((await right('予約日時')) - 43 - pointer)).toBeLessThanOrEqual(1);
  expect((await textOf()).width).toBeGreaterThan(28);
  await isAligned();
});

/** Returns the heights of the rows: none may be cut off or waiting for its layout. */
const ROW_HEIGHTS = `[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)`;

/** Returns how much of the list can be seen only by scrolling, in px. */
const CUT_OFF = `(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
  Math.max(scrollHeight - clientHeight, scrollWidth - clientWidth))(document.querySelector('table').parentElement)`;

/** Whether remarks are longer than their visible part. */
const CUT_REMARKS = `[...document.querySelectorAll('td button > span:first-child')]
  .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1).length`;

test('a page of 200 companies is complete for a search in the page and for a screen reader', async () => {
  await page.evaluate('localStorage.clear()');
  await field('表示件数').selectOption('200');
  await page.reload();
  await bodyRows().nth(199).waitFor({ state: 'attached' });
  expect(await page.evaluate(`find(${JSON.stringify(companies[199]?.company_name)})`)).toBe(true);
  const inspector = await page.context().newCDPSession(page);
  await inspector.send('Accessibility.enable');
  const { root } = await inspector.send('DOM.getDocument');
  const namedRows = async () => {
    const { nodes } = await inspector.send('Accessibility.queryAXTree', { nodeId: root.nodeId, role: 'rowheader' });
    return nodes.filter(({ ignored }) => !ignored).length;
  };
  await eventually(namedRows, (count) => count === 200);
  await inspector.detach();
});

test('printing shows all rows, columns and remarks of the page, and no buttons', async () => {
  const remarks = '来週の火曜日の午後に、担当の方へ電話をかけ直す約束'.repeat(4);
  const add_info = { prospect_id: companies[0]?.id ?? 0, sender_group_id: groupId, remarks };
  await client.post('/active_prospect/', { add_info, duplicate_key_update_info: { remarks } });
  await field('表示件数').selectOption('50');
  await page.reload();
  await bodyRows().nth(49).waitFor({ state: 'attached' });
  await page.emulateMedia({ media: 'print' });
  for (const gone of [page.getByRole('banner'), tab('見込み客リスト'), button('列の設定'), button('次のページ')]) {
    await expect.poll(() => gone.isVisible()).toBe(false);
  }
  expect(Math.min(...(await page.evaluate<number[]>(ROW_HEIGHTS)))).toBeGreaterThan(10);
  expect(await page.evaluate<number>(CUT_OFF)).toBeLessThanOrEqual(1);
  await page.getByText(remarks).waitFor();
  expect(await page.evaluate<number>(CUT_REMARKS)).toBe(0);
  expect((await boxOf(header('問い合わせURL'))).width).toBeGreaterThan(10);
  const pdf = await page.pdf({ preferCSSPageSize: true });
  // 50 rows need several pages; only the visible rows would need one.
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(1);
  await page.emulateMedia({ media: null });
  await opened.leave();
});
