import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { openSessionOf } from '#test/accounts.ts';
import { launchBrowser } from '#test/e2e/launch.ts';
import { openAs } from '#test/open-as.ts';
import { freePort, startProgram } from '#test/program.ts';
import { median, ms, print } from './figures.ts';
import { firstLoad, SCREENS } from './first-load.ts';
import type { ProspectListData } from './prospect-list-data.ts';
import { onListDatabases } from './prospect-list-database.ts';
import { type Shown, shown, shownLater, WATCH, type Watched, watchPage } from './web-page.ts';

/**
 * Measures the production build of the web client in Chromium, on a list of 200 rows a page.
 * `npm run bench -- web [--size 100000] [--rounds 10]`.
 */

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['100000', '1000000'] },
    rounds: { type: 'string', default: '10' },
    /** A superuser's postgres://… of a server whose databases are reused and kept. */
    keep: { type: 'string' },
  },
});
const ROUNDS = Number(options.rounds);
const ROWS = 200;

interface Site {
  readonly url: string;
  readonly browser: Browser;
  /** The content of sessionStorage after a login. */
  readonly session: string;
}

async function openContext({ browser, session }: Site): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'ja-JP', viewport: { width: 1440, height: 900 } });
  await context.addInitScript(WATCH);
  await context.addInitScript(`sessionStorage.setItem('kaitaku-session', ${JSON.stringify(session)})`);
  return context;
}

function printSizes(): void {
  print('| first load, brotli | JavaScript, kB | CSS, kB | all, kB |', '| --- | --- | --- | --- |');
  for (const [path, modules] of Object.entries(SCREENS)) {
    const { js, css, all } = firstLoad(modules);
    print(`| \`${path}\` | ${ms(js)} | ${ms(css)} | ${ms(all)} |`);
  }
  print('');
}

/** Times by action. */
type Results = Map<string, Shown[]>;

const add = (results: Results, name: string, one: Shown): void => {
  results.set(name, [...(results.get(name) ?? []), one]);
};

/** Loads a page for the first time, with an empty cache. */
async function load(context: BrowserContext, { url }: Site): Promise<{ list: Watched; first: Shown }> {
  const list = await watchPage(context);
  const go = async () => void (await list.page.goto(url, { waitUntil: 'commit' }));
  return { list, first: await shownLater(list, `list(${ROWS})`, go) };
}

const rest = (page: Page) => page.locator('[aria-busy=true]').waitFor({ state: 'detached' });

/** Sorts by another header each time, because the client caches an order that was just shown. */
const sort = (list: Watched, round: number): Promise<Shown> =>
  shown(
    list,
    () =>
      list.page
        .locator('thead th > button')
        .nth(round % 16)
        .click(),
    'list(1)',
  );

async function toggle(list: Watched, round: number): Promise<Shown> {
  // Found by a selector: finding it by role would compute the style of rows that the page skips.
  const one = list.page.locator('tbody [role=switch]').nth(round);
  const next = (await one.getAttribute('aria-checked')) === 'true' ? 'false' : 'true';
  return shown(list, () => one.click(), `switched(${round}, '${next}')`);
}

const WORDS = ['in', 'ko', 'sa', 'ka', 'ma', 'to', 'an', 'na', 'mi', 'of', 'sh', 'ta', 'ha', 'fu', 'ku', 'se'];

async function openFilter(page: Page): Promise<void> {
  const toggle = page.getByRole('button', { name: '絞り込み', exact: true });
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
}

/** Types a word key by key, then measures the list that it filters. */
async function typeFilter(list: Watched, round: number, results: Results): Promise<void> {
  const { page } = list;
  await openFilter(page);
  const field = page.getByLabel('代表メール', { exact: true });
  await field.focus();
  const selector = JSON.stringify(`[id="${await field.getAttribute('id')}"]`);
  const word = WORDS[round % WORDS.length] ?? '';
  for (const [at, key] of [...word].entries()) {
    const typed = JSON.stringify(word.slice(0, at + 1));
    add(
      results,
      'a key in a filter',
      await shown(list, () => page.keyboard.press(key), `value(${selector}, ${typed})`),
    );
  }
  add(results, 'the list after the last key', await shownLater(list, 'list(1)'));
  await field.fill('');
  await page.getByText('条件をクリア').waitFor({ state: 'detached' });
  await rest(page);
}

/** Types keys, with a pause after each in which a request begins. */
async function typeSlowly(page: Page): Promise<void> {
  const isView = (request: Request) => request.url().includes('/prospect/view');
  let begun = 0;
  let givenUp = 0;
  page.on('request', (request) => {
    if (isView(request)) begun += 1;
  });
  page.on('requestfailed', (request) => {
    if (isView(request)) givenUp += 1;
  });
  await openFilter(page);
  await page.getByLabel('地域', { exact: true }).focus();
  for (const key of '神奈川県横浜') {
    await page.keyboard.insertText(key);
    await page.waitForTimeout(350);
  }
  await rest(page);
  print(`Six keys, 350 ms after each: ${begun} requests, ${givenUp} of them given up for a newer one.`, '');
}

async function measure(site: Site): Promise<Results> {
  const results: Results = new Map();
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round += 1) {
    const context = await openContext(site);
    add(results, 'first load', (await load(context, site)).first);
    await context.close();
  }
  const context = await openContext(site);
  const bare = await watchPage(context);
  const { list } = await load(context, site);
  const next = list.page.locator('[aria-label=次のページ]');
  for (let round = 0; round < ROUNDS; round += 1) {
    await bare.page.bringToFront();
    add(results, BARE, await shownLater(bare, `bareTable(${ROWS})`));
    await list.page.bringToFront();
    add(results, 'page turn', await shown(list, () => next.click(), 'list(1)'));
    add(results, 'switch', await toggle(list, round));
    add(results, 'sort', await sort(list, round));
    await typeFilter(list, round, results);
  }
  await typeSlowly(list.page);
  await context.close();
  return results;
}

const BARE = 'a bare table';
const ANSWERED = ['first load', 'page turn', 'sort', 'the list after the last key'];

function printTimes(results: Results): void {
  const bare = median((results.get(BARE) ?? []).map(({ fromInput }) => fromInput));
  print(
    '| p50, ms | input to paint | answer to paint | answer to all rows | work of the page | all rows : bare table |',
    '| --- | --- | --- | --- | --- | --- |',
  );
  for (const [name, list] of results) {
    const of = (field: keyof Shown) => median(list.map((one) => one[field] ?? Number.NaN));
    const [seen, whole, share] = ANSWERED.includes(name)
      ? [ms(of('fromAnswer')), ms(of('whole')), (of('whole') / bare).toFixed(2)]
      : ['–', '–', '–'];
    print(`| ${name} | ${ms(of('fromInput'))} | ${seen} | ${whole} | ${ms(of('work'))} | ${share} |`);
  }
  print('');
}

/** Returns the session in the client's stored form (lib/session/session-store.ts). Missing keys get their defaults. */
const sessionOf = (token: string, { accountId, weekGroup }: ProspectListData): string => {
  const current_user = { id: accountId, email: 'bench@example.com', name: 'bench', company: 'bench' };
  return JSON.stringify({
    version: 1,
    state: { token, current_user, current_sender_group: weekGroup, pagenate_count: ROWS },
  });
};

printSizes();
await onListDatabases(options.size, options.keep, async (url, count, data) => {
  const port = String(await freePort());
  const program = startProgram(['web'], { DATABASE_URL: url, PORT: port, SMTP_URL: 'smtp://127.0.0.1:9' });
  const browser = await launchBrowser();
  const login = openAs('login', url, 1);
  try {
    await program.until('web started');
    const session = sessionOf(await openSessionOf(login.db, data.accountId, Date.now()), data);
    const site = { url: `http://127.0.0.1:${port}`, browser, session };
    print(`## ${count.toLocaleString('en')} companies`, '');
    printTimes(await measure(site));
  } finally {
    await browser.close();
    await login.close();
    program.child.kill('SIGTERM');
    await program.ended;
  }
});
