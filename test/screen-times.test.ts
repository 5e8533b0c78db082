import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Days and times of screens have the forms of domain/time/shown-time, which screens take from lib/screen-time with the
 * server's clock (decisions/dates).
 */

const ROOT = join(import.meta.dirname, '..');

/** Ways to form a day or a time by hand. */
const FORMED_BY_HAND = new RegExp(
  [
    String.raw`\.toLocale(?:Date|Time)String`,
    String.raw`\bDateTimeFormat\b`,
    String.raw`\.to(?:ISO|UTC|Date)String\(`,
    String.raw`\.get(?:UTC)?(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds)\(`,
    String.raw`\.padStart\(`,
    // Parts of `2026/11/24 09:00:00` and `2026-11-24`.
    String.raw`\.slice\((?:0, (?:4|10|16)|[58]|1[01]|4, 7|5, 7|5, 10|8, 10)\b[^)]*\)`,
    String.raw`'YYYY[^']*'\.length`,
    String.raw`'\d{4}[-/][^']*'\.length`,
    String.raw`\.(?:replace|replaceAll|split)\('[-/]'`,
    String.raw`\bformat(?:Minute|DayWithWeekday)\b`,
  ].join('|'),
);

/** The forms whose `now` a screen could take from the browser's clock. */
const WITH_NOW =
  /\b(?:timeIn(?:Sentence|List)|days?InSentence|shortDay|monthInSentence)\b(?!.*(?:serverNow\(\)|from '#domain))/;

/** Lines that match and form no day or time, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/web/lib/screen-time.ts': 'hands the forms to screens, with the clock of the server',
  'src/web/lib/router/routes.ts': 'splits an address',
  'src/web/lib/address/taking-back.ts': 'splits an address',
  'src/web/lib/session/tab-sessions.ts': 'writes random bits in hexadecimal digits',
  'src/web/features/imports/upload-state.ts': 'writes a hash in hexadecimal digits',
  'src/web/features/mail-preview/warning-text.ts': 'splits two sizes',
  'src/web/features/sending-rules/hours/hours-form.ts': 'reads the hours of a form',
  'src/web/features/sending-rules/closing-days/closing-days.tsx': 'computes with the year, and shows none',
};

const files = globSync('src/web/**/*.{ts,tsx,js}', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\.test\.tsx?$/.test(path));

/** Returns the lines of a source that form a day or a time, without comments. */
function formedBy(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => FORMED_BY_HAND.test(line) || WITH_NOW.test(line));
}

const linesOf = (path: string) => formedBy(readFileSync(join(ROOT, path), 'utf8'));

test('no screen forms a day or a time by hand', () => {
  expect(files.length).toBeGreaterThan(300);
  const others = files.filter((path) => !(path in EXCEPTIONS));
  expect(others.flatMap((path) => linesOf(path).map((line) => `${path}: ${line.trim()}`))).toStrictEqual([]);
});

test('each exception is still needed', () => {
  expect(Object.keys(EXCEPTIONS).filter((path) => linesOf(path).length === 0)).toStrictEqual([]);
});

test.each([
  "new Intl.DateTimeFormat('ja-JP')",
  'new Date(at).toLocaleDateString()',
  'new Date(at).toISOString().slice(0, 10)',
  'now.getUTCHours()',
  "String(hour).padStart(2, '0')",
  'Number(day.slice(5, 7))',
  'Number(day.slice(8))',
  'last_at.slice(11, 16)',
  "created_at.slice(0, 'YYYY/MM/DD HH:mm'.length)",
  "const DAY_LENGTH = '2026/11/24'.length;",
  "day.replaceAll('-', '/')",
  "const [year, month] = day.split('-');",
  'formatMinute(sendAt)',
  'timeInSentence(sendAt, Date.now())',
])('%s forms a day or a time', (code) => {
  expect(formedBy(code)).toHaveLength(1);
});

test.each([
  'rows.slice(0, MAX_SHOWN)',
  'day.slice(0, 7)',
  'sentenceTime(send_at)',
  'monthInSentence(from, serverNow())',
  "number.toLocaleString('ja-JP')",
  '/** `2026/11/24`.slice(0, 10) */',
])('%s forms none', (code) => {
  expect(formedBy(code)).toStrictEqual([]);
});
