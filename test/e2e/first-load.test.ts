import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { expect, test } from 'vitest';
import { dynamicModules, filesOf, firstLoad, SCREENS, sentFile } from '../../bench/first-load.ts';
import { programOfWorker } from './scene.ts';

/** The first load of each screen, compressed, in kB (design: 120 for /login, 260 for the list). */
const BARS: Readonly<Record<string, number>> = {
  '/login': 120,
  '/password-reset': 120,
  '/setup': 120,
  '/': 260,
  '/prospects/1': 260,
  '/imports': 260,
  '/imports/new': 260,
  '/sends': 260,
  '/sends/1': 260,
  '/templates': 260,
  '/template/1': 400,
  '/account': 260,
  '/settings/groups': 260,
  '/settings/legal': 260,
  '/reports': 260,
  '/settings/domains': 260,
  '/settings/notifications': 260,
  '/settings/inbox': 260,
  '/settings/personal-data': 260,
  '/settings/retention': 260,
  '/suppressions': 260,
  '/sender-confirmation': 120,
  '/confirmation': 260,
};

test.each(Object.entries(SCREENS))('%s loads no more than its bar', (path, modules) => {
  const { js, css, all } = firstLoad(modules);
  expect(js).toBeGreaterThan(50);
  expect(css).toBeGreaterThan(1);
  expect(all).toBeLessThanOrEqual(BARS[path] ?? 0);
});

/** Modules loaded after an action of the user, or in place of others: TipTap for a template without CodeMirror. */
const LATER = [
  'features/mail-template/rich/create-rich-editor.ts',
  'app/shell/log-out-question.tsx',
  'app/palette/palette.tsx',
  'app/keys-dialog.tsx',
  'features/export/export-dialog.tsx',
  'features/prospect-filter/saved/edit-dialog.tsx',
  'features/prospect-filter/saved/save-dialog.tsx',
  'features/prospects/bulk-dialog.tsx',
  'features/replies/company-replies.tsx',
  'features/replies/mark-dialog.tsx',
  'features/suppressions/add-dialog.tsx',
  'features/suppressions/import-dialog.tsx',
  'app/routes/company-panel.tsx',
  'app/routes/add-company.tsx',
  '../../node_modules/@holiday-jp/holiday_jp/lib/holidays.js',
  'features/notices/notice-dialog.tsx',
];

test('all that is loaded by itself is counted for a screen, or comes later', () => {
  const known = new Set([...LATER, ...Object.values(SCREENS).flat()]);
  expect(dynamicModules().filter((name) => !known.has(name))).toStrictEqual([]);
  expect([...known].filter((name) => !dynamicModules().includes(name))).toStrictEqual([]);
});

/** Returns the encoding of a file that the program sends to a browser, and its size in bytes. */
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

test('what is counted is what npm start sends', async () => {
  const { js, css } = filesOf(SCREENS['/login'] ?? []);
  const files = [...new Set([...js, ...css])];
  const sent = await Promise.all(files.map(travel));
  expect(sent.map(([, bytes]) => bytes)).toStrictEqual(files.map((file) => readFileSync(sentFile(file)).length));
  expect(sent.filter(([encoding]) => encoding === 'br').length).toBeGreaterThan(2);
});

test('robots are told to index nothing', async () => {
  const answer = await fetch(`${programOfWorker().url}/robots.txt`);
  expect([answer.status, await answer.text()]).toStrictEqual([200, 'User-agent: *\nDisallow: /\n']);
});
