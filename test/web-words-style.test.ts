import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * Checks the final 。 of the web client's texts (CONTRIBUTING.md, Style). An explanation that stays on the page ends in
 * it; labels and messages do not. The key of a text says which kind it is.
 */

const ROOT = join(import.meta.dirname, '..');

/** Matches keys of explanations (help, emptyHelp, testConsequence, …), all keys below them, and composed sentences. */
const EXPLAINS =
  /(?:help|consequence)(?:\.|$)|^RU(?:N|LES)_SENTENCE_MESSAGES\.|^SENDING_RULE_MESSAGES\.now\.|^NOTHING_MESSAGES\.(?:no|several|reasons|reserved|next)/i;

/** Explanations under other keys: separate sentences on a page, in a notice or in a dialog. */
const ALSO_EXPLAIN = new Set([
  'ATTACK_LIST_MESSAGES.noCompanyAddress',
  'APP_MESSAGES.shell.offline',
  'COMMON_MESSAGES.errors.screenUnreachable',
  'CONFIRMATION_MESSAGES.rejectedCause',
  'DELIVERY_MESSAGES.noMail',
  'HISTORY_MESSAGES.databaseRewound',
  'HISTORY_MESSAGES.pausedBy.user',
  'HISTORY_MESSAGES.pausedBy.sender_refused',
  'HISTORY_MESSAGES.pausedBy.policy_bounces',
  'HISTORY_MESSAGES.pausedBy.dates_over',
  'HISTORY_MESSAGES.pausedBy.restored',
  'HISTORY_MESSAGES.transportPaused',
  'HISTORY_MESSAGES.limited',
  'HISTORY_MESSAGES.archived',
  'MAIL_PREVIEW_MESSAGES.images',
  'MAIL_PREVIEW_MESSAGES.white',
  'PERSONAL_DATA_MESSAGES.erase.consequences.0',
  'PERSONAL_DATA_MESSAGES.erase.consequences.1',
  'PERSONAL_DATA_MESSAGES.erased',
  'PERSONAL_DATA_MESSAGES.none',
  'RESERVATION_MESSAGES.waits',
  'RESERVATION_MESSAGES.missed',
  'RESERVATION_MESSAGES.held',
  'RETENTION_MESSAGES.takenOut',
  'RETENTION_MESSAGES.archived',
  'RETENTION_MESSAGES.rules.0',
  'RETENTION_MESSAGES.rules.1',
  'RETENTION_MESSAGES.rules.2',
  'RETENTION_MESSAGES.confirm.question',
  'RETENTION_MESSAGES.unsaved',
  'SENDING_MESSAGES.reserving.into',
  'TEMPLATE_MESSAGES.inUse',
  'TEMPLATE_MESSAGES.unusable',
]);

const explains = (key: string) => EXPLAINS.test(key) || ALSO_EXPLAIN.has(key);
/** Whether an explanation has its final 。. An example has none, because it shows what to type. */
const isEnded = (text: string) => text.endsWith('。') || /入力例：[^。]*$/.test(text);

/** Yields every text of a catalogue with its key. A function gets a sample that works as a text and as a list. */
function* textsOf(value: unknown, key: string): Generator<readonly [key: string, text: string]> {
  if (typeof value === 'string') yield [key, value];
  else if (typeof value === 'function') yield* textsOf(value(['例'], ['例'], ['例']), key);
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) yield* textsOf(part, `${key}.${name}`);
}

async function allTexts() {
  const files = globSync('src/web/**/words.ts', { cwd: ROOT });
  const modules: object[] = await Promise.all(files.map((file) => import(join(ROOT, file))));
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([catalogue, texts]) => [...textsOf(texts, catalogue)]),
  );
}

test('every catalogue is called …_MESSAGES', async () => {
  const names = new Set((await allTexts()).map(([key]) => key.split('.')[0]));
  expect([...names].filter((name) => name !== 'PRODUCT_NAME' && !name?.endsWith('_MESSAGES'))).toStrictEqual([]);
});

test('explanations end in 。, labels and messages do not', async () => {
  const texts = await allTexts();
  expect(texts.length).toBeGreaterThan(300);
  const wrong = texts.filter(([key, text]) => (explains(key) ? !isEnded(text) : text.endsWith('。')));
  expect(wrong).toStrictEqual([]);
});

test('each listed explanation under another key still exists', async () => {
  const keys = new Set((await allTexts()).map(([key]) => key));
  expect([...ALSO_EXPLAIN].filter((key) => !keys.has(key))).toStrictEqual([]);
});
