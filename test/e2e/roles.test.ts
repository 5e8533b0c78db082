import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { firstAllowedDay } from '#domain/sending/picker-window.ts';
import { DEMO_COLLEAGUES, DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import type { Client } from '#test/client.ts';
import { reservationBody } from '#test/reservations.ts';
import { eventually } from '#test/sending.ts';
import { demoClient, enter } from './demo.ts';
import { addColleague, shareScene } from './scene.ts';
import { untilStill } from './walk-steps.ts';

/** Tests that nothing is drawn which leads only to a refused call, by role and by group (decisions/members). */
const kaitaku = shareScene();
const [SALES] = DEMO_COLLEAGUES.map(({ email }) => ({ email, password: DEMO_LOGIN.password }));
/** A viewer for each test: a walk makes nearly as many requests as a member has in a minute. */
const viewer = () => addColleague(kaitaku, `viewer-${crypto.randomUUID()}@example.com`, 'viewer');

let client: Client;
let groups: { id: number; group_name: string }[];
/** The addresses of all screens behind the login, with rows in each list. */
let screens: readonly string[];

const list = async <Row>(path: string) => (await client.get(path)).body as Row[];

beforeAll(async () => {
  client = await demoClient(kaitaku.url);
  groups = await list('/sender_group/list');
  const [group] = groups;
  const [sender] = await list<{ id: number; template_id: number }>(
    `/sender/list?where_info[sender_group_id]=${group?.id}`,
  );
  const preview = await client.get(`/attack_list/preview?sender_group_id=${group?.id}&limit_count=10`);
  const { rows } = preview.body as { rows: { prospect_id: number; company_email: string }[] };
  const [one, two, three] = rows;
  const order = reservationBody({
    sender_id: sender?.id ?? 0,
    send_at: `${firstAllowedDay(Date.now()).replaceAll('-', '/')} 08:00:00`,
    attack_list: [{ prospect_id: one?.prospect_id ?? 0 }],
  });
  const { id: reservation } = (await client.post('/reservation', order)).body as { id: number };
  const sent = await client.post('/send_log', {
    sender_group_id: group?.id,
    attack_list: [two?.prospect_id],
  });
  const { id: run } = sent.body as { id: number };
  const replied = await client.post('/reply', { add_info: { prospect_id: three?.prospect_id, note: '電話' } });
  const stopped = await client.post('/suppression', { add_info: { values: ['stop@example.jp'], class: 'refused' } });
  expect([sent, replied, stopped].map(({ status }) => status)).toStrictEqual([200, 200, 200]);
  screens = [
    '/',
    '/?tab=attack-list',
    `/?tab=reservations&reservation=${reservation}`,
    '/?status=replied',
    `/prospects/${three?.prospect_id}`,
    '/sends',
    `/sends/${run}`,
    '/reservations',
    '/reservations?view=calendar',
    `/reservations/${reservation}`,
    '/reports',
    '/templates',
    `/template/${sender?.template_id}`,
    '/suppressions',
    '/imports',
    '/imports/new',
    '/account',
    '/settings/groups',
    '/settings/legal',
    '/settings/sending',
    '/settings/domains',
    '/settings/audit',
    '/settings/notifications',
    '/settings/fields',
    '/settings/personal-data',
  ];
});

/**
 * Presses the control at a place among those of the topmost dialog, or of the screen: one of each kind, and three of a
 * list of choices. Returns its name; null: there is none.
 */
const press = (place: number) => `(() => {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.querySelector('main');
  const [seen, classes] = [new Set(), {}];
  const nameOf = (element) =>
    element.getAttribute('aria-label') ?? (element.labels?.[0]?.textContent ?? '') + element.textContent;
  const element = [...root.querySelectorAll('button, input[type=checkbox], input[type=radio]')].filter((each) => {
    if (each.disabled || !each.checkVisibility() || each.closest('fieldset:disabled')) return false;
    const kind = each.tagName + each.className + (each.closest('tr, li') === null ? nameOf(each) : '');
    const most = each.className.includes('button') ? 12 : 3;
    if (seen.has(kind) || (classes[each.className] ?? 0) >= most) return false;
    classes[each.className] = (classes[each.className] ?? 0) + 1;
    return seen.add(kind);
  })[${place}];
  if (element === undefined) return null;
  element.click();
  return nameOf(element);
})()`;

/** A page with the number of its unanswered calls. */
interface Watched {
  readonly page: Page;
  readonly open: () => number;
  /** The calls that the server refused by role or group, and those above the rate: their screens would be empty. */
  readonly refused: string[];
}

function watch(page: Page): Watched {
  const refused: string[] = [];
  const open = new Set<unknown>();
  page.on('request', (request) => void (request.url().endsWith('/events') || open.add(request)));
  page.on('requestfinished', (request) => void open.delete(request));
  page.on('requestfailed', (request) => void open.delete(request));
  page.on('response', (response) => {
    if (![403, 429].includes(response.status())) return;
    refused.push(`${response.status()} ${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  return { page, open: () => open.size, refused };
}

/** Waits until the page shows all that it has asked for. */
async function settle({ page, open }: Watched): Promise<void> {
  await eventually(open, (calls) => calls === 0);
  await untilStill(page);
  await eventually(
    async () => open() + (await page.locator('[aria-busy=true]').count()),
    (waiting) => waiting === 0,
  );
}

async function show(watched: Watched, path: string): Promise<void> {
  await watched.page.goto(kaitaku.url + path);
  await watched.page.getByRole('main').locator('h1').first().waitFor();
  await settle(watched);
}

/** Presses each control of a screen, and those of the dialogs that they open. @returns the names of what was pressed */
async function pressAll(watched: Watched, path: string): Promise<string[]> {
  const { page } = watched;
  const isAsked = async () => (await page.locator('dialog[open]').count()) > 0;
  const pressed: string[] = [];
  for (let place = 0; ; place += 1) {
    if (page.url() !== kaitaku.url + path) await show(watched, path);
    const name = await page.evaluate<string | null>(press(place));
    if (name === null) return pressed;
    pressed.push(name);
    await settle(watched);
    for (let inner = 0; inner < 12 && (await isAsked()); inner += 1) {
      const within = await page.evaluate<string | null>(press(inner));
      if (within === null) break;
      pressed.push(within);
      await settle(watched);
    }
    for (let tries = 0; tries < 5 && (await isAsked()); tries += 1) {
      await page.keyboard.press('Escape');
      await settle(watched);
    }
  }
}

const WIDE = { width: 1440, height: 900 };
/** The screens whose acts stand elsewhere on a phone. */
const ON_PHONE = /^\/$|attack-list|^\/prospects|^\/template\//;
const PHONE = { width: 390, height: 844 };

test.each([
  ['desktop', WIDE],
  ['phone', PHONE],
])(
  'a viewer is offered nothing that the server refuses, on any screen: %s',
  async (name, size) => {
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/', size, await viewer());
    const watched = watch(page);
    const pressed = [];
    for (const path of name === 'phone' ? screens.filter((path) => ON_PHONE.test(path)) : screens) {
      await show(watched, path);
      pressed.push(...(await pressAll(watched, path)));
    }
    expect(watched.refused).toStrictEqual([]);
    expect(pressed.length).toBeGreaterThan(20);
    await leave(/Failed to load resource/);
  },
  300_000,
);

test('a refusal says who can help, and what may not be done is gone', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/', undefined, await viewer());
  const [first] = [page.getByRole('row').nth(1)];
  await first.getByText('有効', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('main').getByRole('switch').count()).toBe(0);
  // An admin was lowered while the page was open.
  await page.evaluate(() => {
    const stored = JSON.parse(sessionStorage.getItem('kaitaku-session') ?? '{}');
    stored.state.current_user.member.role = 'admin';
    sessionStorage.setItem('kaitaku-session', JSON.stringify(stored));
  });
  await page.reload();
  await first.getByRole('switch').click();
  await page.getByText('この操作はできません。管理者（田中 直樹）に依頼してください').first().waitFor();
  await first.getByText('有効', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('main').getByRole('switch').count()).toBe(0);
  await leave(/status of 403/);
});

test('keys do not open what a viewer may not do', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, screens[4], undefined, await viewer());
  await page.getByRole('heading', { name: '備考' }).or(page.getByLabel(/備考/)).first().waitFor();
  await page.keyboard.press('e');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.goto(`${kaitaku.url}/settings/legal`);
  await page.getByText('入力と確認がそろっています').or(page.getByRole('group').first()).first().waitFor();
  await page.keyboard.press('Control+s');
  await expect.poll(() => page.getByRole('main').getByRole('button', { name: '保存' }).count()).toBe(0);
  await leave();
});

test('a member of one group sends there, and not for another one', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/?tab=attack-list', undefined, SALES);
  const { refused } = watch(page);
  const order = page.getByRole('region', { name: '送信の内容' });
  await order.getByRole('button', { name: /テスト送信/ }).waitFor();
  await page.getByLabel('送信者グループ').selectOption({ label: groups[1]?.group_name ?? '' });
  await order.getByText('この送信者グループでは送信できません').waitFor();
  await expect.poll(() => order.getByRole('button', { name: /送信$|テスト送信/ }).count()).toBe(0);
  await page.getByRole('tab', { name: '見込み客リスト' }).click();
  await page.getByRole('row').nth(1).getByText('有効', { exact: true }).waitFor();
  await page.getByRole('row').nth(1).getByRole('checkbox').click();
  await page.getByRole('button', { name: '配信停止に登録' }).waitFor();
  const acts = await page.getByRole('group', { name: '選択した会社への操作' }).getByRole('button').allInnerTexts();
  expect(acts.some((act) => /有効|無効|備考|に送る/.test(act))).toBe(false);
  expect(refused).toStrictEqual([]);
  await leave();
});
