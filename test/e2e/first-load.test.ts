import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import {
  dynamicModules,
  filesOf,
  firstLoad,
  readManifest,
  SCREENS,
  sentFile,
  WORKSPACE,
} from '../../bench/first-load.ts';
import { hold, visit } from './browser.ts';
import { enter } from './demo.ts';
import { programOfWorker, shareScene } from './scene.ts';

const kaitaku = shareScene();

/** The limits of each screen's first load, compressed, in kB. */
const BARS: Readonly<Record<string, number>> = {
  '/login': 95,
  // The entry names the files of all parts, so that each new part weighs on a page of visitors too.
  '/password-reset': 96,
  '/setup': 96,
  '/': 163,
  '/prospects/1': 191,
  '/imports': 164,
  '/imports/new': 175,
  '/reservations': 163,
  '/reservations?view=calendar': 173,
  '/sends': 163,
  '/sends/1': 183,
  '/templates': 164,
  '/template/1': 271,
  '/account': 164,
  '/settings/groups': 170,
  '/settings/mailboxes': 161,
  '/settings/legal': 165,
  '/reports': 167,
  '/settings/domains': 161,
  '/settings/sending': 173,
  '/settings/members': 162,
  '/settings/audit': 161,
  '/settings/login-rules': 166,
  '/settings/notifications': 158,
  '/settings/fields': 162,
  '/settings/personal-data': 166,
  '/suppressions': 162,
  // Two ways lead back here: a company's log-in, and the consent for a mailbox.
  '/oauth/callback': 96,
  '/invitation': 96,
  '/sender-confirmation': 95,
  '/confirmation': 152,
};

test.each(Object.entries(SCREENS))('%s loads no more than its limit', (path, modules) => {
  const { js, css, all } = firstLoad(modules);
  expect(js).toBeGreaterThan(50);
  expect(css).toBeGreaterThan(1);
  expect(all).toBeLessThanOrEqual(BARS[path] ?? 0);
});

/** Modules loaded after a user's action, or in place of others. */
const LATER = [
  'features/mail-templates/editor/dialogs/history-dialog.tsx',
  'features/mail-templates/editor/dialogs/name-dialog.tsx',
  'features/mail-templates/list/create-dialog.tsx',
  'app/list/first-day-bar.tsx',
  'features/first-steps/first-sight.tsx',
  'features/sending-rules/account-rules.tsx',
  'features/sending-rules/closing-days/closing-csv-dialog.tsx',
  'features/sending-rules/closing-days/closing-day-dialog.tsx',
  'features/send-logs/followed/run-panel.tsx',
  'features/send-logs/undo-lines/undo-lines.tsx',
  'features/send-logs/restored/restored-plans.tsx',
  'app/shell/log-out-question.tsx',
  'app/palette/palette.tsx',
  'app/keys/keys-dialog.tsx',
  'components/owner-password/owner-password.tsx',
  'features/account/account-query.ts',
  'features/account/second-step/proof-dialog.tsx',
  'features/account/second-step/qr-code.tsx',
  'features/account/second-step/set-up-dialog.tsx',
  'features/account/sessions/end-others-dialog.tsx',
  'features/account/sessions/sessions-section.tsx',
  'features/auth/leaving/leaving.tsx',
  'features/auth/second-step/code-form.tsx',
  'features/attack-list/left-out/left-out-dialog.tsx',
  'features/exports/export-dialog.tsx',
  'features/mail-preview/mail-preview-dialog.tsx',
  'features/prospects/saved-conditions/edit-dialog.tsx',
  'features/prospects/saved-conditions/gone-note.tsx',
  'features/prospects/saved-conditions/save-dialog.tsx',
  'features/prospects/bulk-bar.tsx',
  'features/prospects/bulk-dialog.tsx',
  'features/prospects/column-dialog.tsx',
  'features/prospects/filter/tag-filter.tsx',
  'features/prospects/filter/term-choice.tsx',
  'features/prospects/own/own-columns.tsx',
  'features/prospects/own/own-filter.tsx',
  'features/prospects/tags/tag-bulk-dialog.tsx',
  'components/data-table/resize-handle.tsx',
  'components/choice/tag-box.tsx',
  'features/replies/company-replies.tsx',
  'features/replies/mark-dialog.tsx',
  'app/mailboxes/consent-return.tsx',
  'features/mailboxes/consent/oauth-app-form.tsx',
  'features/mailboxes/mailbox-dialog.tsx',
  'features/members/invite-dialog.tsx',
  'features/members/member-dialogs.tsx',
  'features/companies/own/own-dialog.tsx',
  'features/companies/people/person-dialog.tsx',
  'features/own-fields/field-dialog.tsx',
  'features/own-fields/merge-dialog.tsx',
  'features/own-fields/tag-dialog.tsx',
  'features/runs/order-dialog.tsx',
  'features/suppressions/add-dialog.tsx',
  'features/suppressions/import-dialog.tsx',
  'app/company/company-panel.tsx',
  'app/routes/add-company.tsx',
  'app/list/attack-list-tab.tsx',
  'features/attack-list/left-out/left-out-mends.tsx',
  'app/instead/instead.tsx',
  'app/instead/second-step-first.tsx',
  // After the first screen, or beside the login's part.
  'lib/session/tab-sessions.ts',
  'features/company-log-in/company-button.tsx',
  'features/company-log-in/registration-panel.tsx',
  'app/routes/one-reservation.tsx',
  '../../node_modules/@holiday-jp/holiday_jp/lib/holidays.js',
  'features/reservations/delete-dialog.tsx',
  'features/notices/notice-panel.tsx',
  'features/notices/read-notices.ts',
  'app/mails/mail-dialog.tsx',
  'features/send-logs/deliveries/delivery-dialog.tsx',
];

test('all files that load automatically are counted for a screen, or load later', () => {
  const known = new Set([...LATER, ...Object.values(SCREENS).flat()].filter((name) => name !== WORKSPACE));
  expect(dynamicModules().filter((name) => !known.has(name))).toStrictEqual([]);
  expect([...known].filter((name) => !dynamicModules().includes(name))).toStrictEqual([]);
});

test('no file of the client imports itself indirectly', () => {
  const manifest = readManifest();
  const circles: string[] = [];
  const follow = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' → '));
    else for (const imported of manifest[name]?.imports ?? []) follow(imported, [...path, name]);
  };
  for (const name of Object.keys(manifest)) follow(name, []);
  expect(circles).toStrictEqual([]);
});

/** Returns the encoding of a file sent to a browser, and its size in bytes. */
const travel = (path: string) =>
  new Promise<[encoding: string | undefined, bytes: number]>((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };
    get(`${programOfWorker().url}/${path}`, { headers }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      response.on('end', () => resolve([response.headers['content-encoding'], bytes]));
    }).on('error', reject);
  });

test('the counted sizes are those that npm start sends', async () => {
  const { js, css } = filesOf(SCREENS['/login'] ?? []);
  const files = [...new Set([...js, ...css])];
  const sent = await Promise.all(files.map(travel));
  expect(sent.map(([, bytes]) => bytes)).toStrictEqual(files.map((file) => readFileSync(sentFile(file)).length));
  expect(sent.filter(([encoding]) => encoding === 'br').length).toBeGreaterThan(2);
});

/** Returns how often a page has requested each file, and which of them precede the entry in its head. */
const FILES = `({
  all: performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
  early: [...document.querySelectorAll('link:has(~ script[type=module])')]
    .map(({ href }) => new URL(href).pathname),
})`;

const LIST = SCREENS['/'] ?? [];

test('with a session the files of the list are requested with those of the entry, once each', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  await page.getByText('該当 1,000社').waitFor();
  const { all, early } = await page.evaluate<Record<'all' | 'early', string[]>>(FILES);
  const { js, css } = filesOf(LIST);
  const entry = filesOf([]);
  const expected = [...js, ...css].filter((file) => ![...entry.js, ...entry.css].includes(file));
  expect(expected.length).toBeGreaterThan(5);
  expect(early).toEqual(expect.arrayContaining([...new Set(expected)].map((file) => `/${file}`)));
  for (const file of expected) expect(all.filter((path) => path === `/${file}`)).toHaveLength(1);
  await leave();
});

test('the call of a list that is loaded again waits for no other answer, and is made once', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/?address=%E6%9D%B1%E4%BA%AC');
  await page.getByRole('rowheader').first().waitFor();
  const made: string[] = [];
  page.on('request', (request) => made.push(new URL(request.url()).pathname.replace('/api/v1', '')));
  const CALLS = ['/first_steps', '/prospect/view', '/sender_group/list'];
  const calls = () => made.filter((path) => CALLS.includes(path)).toSorted();
  // Without load-ahead.js the client requests the list only when it knows the group.
  const groups = await hold(page, /sender_group\/list/);
  await page.reload();
  await eventually(calls, (paths) => paths.length === CALLS.length);
  groups.letGo();
  await page.getByRole('rowheader').first().waitFor();
  expect(calls()).toStrictEqual(CALLS);
  await leave();
});

test('the login requests its files with those of the entry, and none of the list, whatever the address', async () => {
  const { page, leave } = await visit(kaitaku.browser, kaitaku.url);
  await page.getByRole('button', { name: 'ログイン' }).waitFor();
  const { all, early } = await page.evaluate<Record<'all' | 'early', string[]>>(FILES);
  expect(early.filter((path) => /\/login-/.test(path))).toHaveLength(1);
  expect(all.filter((path) => /attack-list|workspace/.test(path))).toStrictEqual([]);
  await leave();
});

test('search engines are told to index nothing', async () => {
  const answer = await fetch(`${programOfWorker().url}/robots.txt`);
  expect([answer.status, await answer.text()]).toStrictEqual([200, 'User-agent: *\nDisallow: /\n']);
});
