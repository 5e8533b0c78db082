import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SORT_COLUMNS } from '#contract/companies/prospects-filter.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { httpApp } from '#server/platform/http/http-app.ts';
import { addWebFiles } from '#server/platform/http/web-files.ts';
import { NOW, reservationBody } from '#test/reservations.ts';
import { COMPANY, openScene, recordSent, type Scene, targets } from './scene.ts';

/** Section 2, as far as the server implements the screens: their routes, and the requests of the attack list screen. */

test.each(['/', '/account', '/login', '/confirmation/some-token'])(
  '§2.1, 2.2, 2.3, 2.4 the route %s is a page of the client',
  async (path) => {
    const root = mkdtempSync(join(tmpdir(), 'kaitaku-web-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    writeFileSync(join(root, 'index.html'), '<!doctype html><title>client</title>');
    const app = await httpApp({});
    onTestFinished(() => app.close());
    await addWebFiles(app, {}, root);
    const page = await app.inject(path);
    expect([page.statusCode, page.body]).toStrictEqual([200, '<!doctype html><title>client</title>']);
    expect((await app.inject('/api/v1/no/such/call')).statusCode).toBe(404);
  },
);

test('the pages get the settings as text', async () => {
  const root = mkdtempSync(join(tmpdir(), 'kaitaku-web-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const meta = (name: string, content: string) => `<meta name="${name}" content="${content}" />`;
  const page = (holder: string, editor: string) =>
    meta('copyright-holder', holder) + meta('template-editor-url', editor);
  writeFileSync(join(root, 'index.html'), page('Kaitaku', ''));
  const app = await httpApp({});
  onTestFinished(() => app.close());
  const settings = {
    'copyright-holder': '"><script>$&',
    'template-editor-url': 'https://e.example/{template_id}?a=1&b',
  };
  await addWebFiles(app, settings, root);
  for (const path of ['/', '/index.html', '/login']) {
    const { body, headers } = await app.inject(path);
    expect(body).toBe(page('&quot;&gt;&lt;script&gt;$&amp;', 'https://e.example/{template_id}?a=1&amp;b'));
    expect(headers['cache-control']).toBe('no-cache');
  }
});

const shown = async ({ client, tenant }: Scene, query: Record<string, string>) => {
  const all = new URLSearchParams({ sender_group_id: String(tenant.senderGroupId), ...query });
  const { status, body } = await client.get(`/prospect/view?${all}`);
  expect([query, status]).toStrictEqual([query, 200]);
  return (body as { rows: { company_name: string }[] }).rows.map(({ company_name }) => company_name).join('');
};

/** B comes after A in every column. */
const A = { ...COMPANY, company_name: 'A' };
const B = {
  company_name: 'B',
  company_email: 'sales@b.example',
  ceo: '山田 花子',
  year_of_establishment: 2001,
  address: '福岡県福岡市',
  amount_of_sales: 900_000_000,
  capital: 90_000_000,
  number_of_employees: 90,
  ordinary_profit: 9,
  company_url: 'https://b.example',
  contact_url: 'https://b.example/contact',
  major_industry_type: '運輸業',
  included_industry_type: '陸運',
};

test('§2.12 text filters: industry type, internal industry type, region, representative e-mail', async () => {
  const scene = await openScene([A, B]);
  for (const [field, terms] of [
    ['major_industry_type', '運輸'],
    ['included_industry_type', '陸運'],
    ['address', '福岡'],
    ['company_email', 'sales@'],
  ] as const) {
    expect([field, await shown(scene, { [field]: terms })]).toStrictEqual([field, 'B']);
    expect([field, await shown(scene, { [field]: `無い,${terms}` })]).toStrictEqual([field, 'B']);
  }
});

test('§2.13 yes/no/clear flags: company URL present, contact URL present, e-mail present', async () => {
  for (const field of ['company_url', 'contact_url', 'company_email'] as const) {
    const scene = await openScene([A, { ...B, [field]: null }]);
    expect([field, await shown(scene, { [`has_${field}`]: 'yes' })]).toStrictEqual([field, 'A']);
    expect([field, await shown(scene, { [`has_${field}`]: 'no' })]).toStrictEqual([field, 'B']);
    expect([field, await shown(scene, {})]).toStrictEqual([field, 'AB']);
  }
});

test('§2.14 numeric ranges: sales, ordinary profit, number of employees, year of establishment', async () => {
  const scene = await openScene([A, B]);
  for (const field of ['amount_of_sales', 'ordinary_profit', 'number_of_employees', 'year_of_establishment'] as const) {
    expect([field, await shown(scene, { [`${field}_from`]: String(A[field]) })]).toStrictEqual([field, 'B']);
    expect([field, await shown(scene, { [`${field}_to`]: String(B[field]) })]).toStrictEqual([field, 'A']);
  }
});

/** A: switched off, remarks あ, sent to on the 1st, reserved for the 20th; B: on, い, the 2nd, the 24th. */
async function openSortableScene(): Promise<Scene> {
  const scene = await openScene([A, B]);
  const { client, tenant } = scene;
  for (const [n, prospect_id] of scene.ids.entries()) {
    const state = { prospect_id, sender_group_id: tenant.senderGroupId, active: n, remarks: ['あ', 'い'][n] };
    await client.post('/active_prospect/', { add_info: { ...state, active: 1 }, duplicate_key_update_info: {} });
    await recordSent(scene, [prospect_id], `2026/11/0${n + 1} 10:00:00`);
    const send_at = ['2026/11/20 09:00:00', '2026/11/24 09:00:00'][n];
    await client.post(
      '/reservation',
      reservationBody({ sender_id: tenant.senderId, attack_list: targets([prospect_id]), send_at }),
    );
    await client.post('/active_prospect/', { add_info: state, duplicate_key_update_info: { active: n } });
  }
  return scene;
}

test('§2.16 the list sorts by each of its seventeen columns, both ways', async () => {
  const scene = await openSortableScene();
  expect(SORT_COLUMNS).toHaveLength(17);
  for (const sort of SORT_COLUMNS) {
    expect([sort, await shown(scene, { sort, order: 'asc' })]).toStrictEqual([sort, 'AB']);
    expect([sort, await shown(scene, { sort, order: 'desc' })]).toStrictEqual([sort, 'BA']);
  }
});

test('§2.15 the list filters by sending status and is paged', async () => {
  const scene = await openScene([A, B, { company_name: 'C' }]);
  const [sent = 0, reserved = 0] = scene.ids;
  await recordSent(scene, [sent], formatSecond(NOW - 60_000));
  const { senderId: sender_id } = scene.tenant;
  await scene.client.post('/reservation', reservationBody({ sender_id, attack_list: targets([reserved]) }));
  expect(await shown(scene, { status: 'sent' })).toBe('A');
  expect(await shown(scene, { status: 'reserved' })).toBe('B');
  expect(await shown(scene, { status: 'unsent' })).toBe('BC');
  expect(await shown(scene, { pagenate_count: '20', pagenate_num: '2' })).toBe('');
});
