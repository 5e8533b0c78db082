import { Readable } from 'node:stream';
import type { z } from 'zod';
import { type importSuppressions as importCall, MAX_SUPPRESSION_ROWS } from '#contract/answers/suppressions.ts';
import type { CallAnswer } from '#contract/call.ts';
import { MAIL_MESSAGES } from '#contract/wire.ts';
import type { SuppressionValue } from '#domain/law/suppression.ts';
import { parseSuppressionValue } from '#domain/law/suppression-value.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { shownValue } from '../imports/read/faults.ts';
import { kindOfHead, withListFile } from '../imports/read/list-file.ts';
import type { CsvRecord } from '../imports/read/read-records.ts';
import { readRecords } from '../imports/read/read-records.ts';
import { withReadingPlace } from '../imports/read/workbook/reading-places.ts';
import { workbookFaults } from '../imports/read/workbook/workbook-faults.ts';
import { keyOf, settleInPieces, storeSuppressions, TOO_WIDE_MESSAGE } from './add.command.ts';
import { countEffects } from './effects.queries.ts';
import { isPublicSuffix } from './public-suffix.ts';

type Answer = CallAnswer<typeof importCall>;

const MAX_FAULTS = 100;

/**
 * Suppresses the values of a file, and cancels the open mails to them.
 * @returns 400 for a file that is no list; 503 while the account has too many workbook requests
 */
export async function importForMember(
  account: MemberDb,
  file: Buffer,
  { class: type, dry_run }: z.output<(typeof importCall)['query']>,
): Promise<Answer | Problem> {
  const reading = () => readValues(account.id, Readable.from([file]));
  const read = kindOfHead(file) === 'zip' ? await withReadingPlace(account.id, reading) : await reading();
  if (read === workbookFaults.busy) return workbookFaults.busy;
  if (read instanceof Problem) return new Problem('unreadable_file', read.message);
  const { faults } = read;
  const values = [...read.values.values()];
  const found = { faults_total: faults.length, faults: faults.slice(0, MAX_FAULTS) };
  if (dry_run === '1') {
    const effects = await account.snapshot((tx) => countEffects(tx, account.id, type, values));
    return { status: 'no-added', ...effects, ...found };
  }
  const { ids, effects } = await account.transaction((tx) =>
    storeSuppressions(tx, account, { values, type, note: '', source: 'csv' }),
  );
  await settleInPieces(account, ids);
  return { status: ids.length > 0 ? 'added' : 'no-added', ...effects, ...found };
}

interface ReadValues {
  /** By normalised value. Repeats are dropped while reading: all at the end would block other requests. */
  readonly values: Map<string, SuppressionValue>;
  /** Values read so far, including repeats. */
  count: number;
  readonly faults: Answer['faults'];
}

function readValues(accountId: number, file: Readable): Promise<ReadValues | Refusal> {
  const read: ReadValues = { values: new Map(), count: 0, faults: [] };
  let column: number | null = null;
  const take = async (records: readonly CsvRecord[]) => {
    for (const { cells, row } of records) {
      if (column === null) {
        const heading = cells.findIndex((cell) => HEADINGS.has(normalizeText(cell).trim()));
        column = Math.max(0, heading);
        if (heading >= 0) continue;
      }
      addValue(read, row, cells[column] ?? '');
    }
    return read.count + read.faults.length > MAX_SUPPRESSION_ROWS ? tooManyRows : null;
  };
  return withListFile(
    accountId,
    file,
    {},
    async (list) => (await readRecords(list.path, list.encoding, separatorOf, take)) ?? read,
  );
}

/** A value contains no separator, so the text's first one is the file's. */
const separatorOf = (head: string): string => /[,\t;]/.exec(head)?.[0] ?? ',';

/** Headings of the column with the values, as people and our export write them. */
const HEADINGS = new Set(
  [
    'メールアドレスまたは@ドメイン',
    'アドレス/ドメイン',
    'メールアドレス',
    'メール',
    'アドレス',
    '代表メール',
    'email',
    'e-mail',
    'mail',
    'email address',
  ].map(normalizeText),
);

function addValue(read: ReadValues, row: number, cell: string): void {
  const { values, faults } = read;
  if (cell.trim() === '') return;
  const parsed = parseSuppressionValue(cell);
  if (!parsed.ok) faults.push({ row, value: shownValue(cell), message: MAIL_MESSAGES[parsed.reason] });
  else if (parsed.kind === 'domain' && isPublicSuffix(parsed.value)) {
    faults.push({ row, value: shownValue(cell), message: `${TOO_WIDE_MESSAGE}。` });
  } else {
    read.count += 1;
    values.set(keyOf(parsed), { kind: parsed.kind, value: parsed.value });
  }
}

const tooManyRows = new Problem(
  'unreadable_file',
  `一度に登録できるのは${MAX_SUPPRESSION_ROWS.toLocaleString('ja-JP')}行までです。ファイルを分けてください。`,
);
