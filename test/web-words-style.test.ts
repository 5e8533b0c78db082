import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The final 。 of the web client's texts (CONTRIBUTING.md, Style): an explanation that stays on the page ends in it; labels and
 * messages do not. What explains is told by its key.
 */

const ROOT = join(import.meta.dirname, '..');

/** Keys of explanations: help, emptyHelp, testConsequence, … and all below them. */
const EXPLAINS = /(?:help|consequence)(?:\.|$)/i;

/** Explanations under other keys: they stand as sentences of their own on a page, in a notice or in a dialog. */
const ALSO_EXPLAIN = new Set([
  'errors.screenUnreachable',
  'shell.offline',
  'reservations.waits',
  'reservations.missed',
  'reserving.into',
  'confirmation.rejected',
  'confirmation.rejectedCause',
  'confirmation.unreachable',
  'confirmation.notUpdated',
  'confirmation.updated',
  'sends.pausedByUser',
  'sends.pausedByRefusal',
  'sends.transportPaused',
  'sends.putOff',
  'deliveries.noMail',
  'images',
  'notFound',
  'noSender',
  'inUse',
  'unusable',
]);

const explains = (key: string) => EXPLAINS.test(key) || ALSO_EXPLAIN.has(key);
/** An example ends without 。: it is what one types. */
const isEnded = (text: string) => text.endsWith('。') || /入力例：[^。]*$/.test(text);

/** Every text of a catalogue with its key; one that is put together gets a sample for each part, text and list alike. */
function* textsOf(value: unknown, key: string): Generator<readonly [key: string, text: string]> {
  if (typeof value === 'string') yield [key, value];
  else if (typeof value === 'function') yield* textsOf(value(['例'], ['例'], ['例']), key);
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) yield* textsOf(part, key === '' ? name : `${key}.${name}`);
}

async function allTexts() {
  const files = globSync('src/web/**/*words.ts', { cwd: ROOT }).filter((file) => !file.endsWith('phrase-words.ts'));
  const catalogues: object[] = await Promise.all(files.map((file) => import(join(ROOT, file))));
  return catalogues.flatMap((catalogue) => Object.values(catalogue).flatMap((words) => [...textsOf(words, '')]));
}

test('explanations end in 。, labels and messages do not', async () => {
  const texts = await allTexts();
  expect(texts.length).toBeGreaterThan(300);
  const wrong = texts.filter(([key, text]) => (explains(key) ? !isEnded(text) : text.endsWith('。')));
  expect(wrong).toStrictEqual([]);
});

test('each explanation under another key is still there', async () => {
  const keys = new Set((await allTexts()).map(([key]) => key));
  expect([...ALSO_EXPLAIN].filter((key) => !keys.has(key))).toStrictEqual([]);
});
