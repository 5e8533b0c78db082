import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { lookAtImport } from '#contract/imports/imports-steps.ts';
import { MAX_WORKBOOK_BYTES } from '#domain/company/import-limits.ts';
import { asFlag } from '../../../platform/as-flag.ts';
import type { AccountDb } from '../../../platform/database/account-db.ts';
import { isOfCalls, notFound, Problem, type Refusal } from '../../../platform/problem.ts';
import { readOwnFields } from '../../own-fields/own-fields.queries.ts';
import { findFile, readStoredFile } from '../../stored-files/stored-file.queries.ts';
import { findImport } from '../import.queries.ts';
import { nameOfSeparator, SEPARATORS } from '../import-settings.ts';
import { notUploaded } from '../import-state.ts';
import { latestYearAt } from '../merge/import.command.ts';
import { readMembers } from '../merge/open-extras.ts';
import { kindOfHead, REFUSALS, withListFile } from '../read/list-file.ts';
import { type Head, lookAtHead } from '../read/look-at-head.ts';
import { withReadingPlace } from '../read/workbook/reading-places.ts';
import { workbookFaults } from '../read/workbook/workbook-faults.ts';
import type { ReadSheet } from '../read/workbook/workbook-to-csv.ts';
import { readHead, savedColumns } from './look.queries.ts';
import { offerColumns, savedOffers, shownOffer } from './offer-columns.ts';

type Look = CallAnswer<typeof lookAtImport>;

/** The most workbook rows with a value that are read. */
const WORKBOOK_HEAD_ROWS = 150;
const SHOWN_ROWS = 5;
const SHOWN_SAMPLES = 3;
const MAX_SHOWN_LENGTH = 200;

/**
 * Reads the first rows of an upload, and proposes fields for its columns.
 * @param signal ends the reading of a workbook, which then throws its reason
 * @param now epoch milliseconds
 */
export async function lookAtUpload(
  account: AccountDb,
  id: number,
  query: z.output<(typeof lookAtImport)['query']>,
  { signal, now }: { readonly signal: AbortSignal; readonly now: number },
): Promise<Look | Problem> {
  const latestYear = latestYearAt(now);
  const upload = await account.snapshot(async (tx) => {
    const run = await findImport(tx, account.id, id);
    if (!run) return notFound();
    if (run.fileId === null || !run.uploaded) return notUploaded();
    const bytes = await readHead(tx, account.id, run.fileId);
    return { bytes, isWhole: bytes.length === run.bytes, isComplete: run.uploaded === run.bytes, fileId: run.fileId };
  });
  if (upload instanceof Problem) return upload;
  const looked = await lookAtList(account, upload, query, signal);
  if (looked instanceof Problem) return isOfCalls(looked) ? looked : workbookFaults.notATable;
  const { head, workbook } = looked;
  const { heading, records, width } = head;
  const { saved, fields, members } = await account.snapshot(async (tx) => ({
    saved: heading.length === 0 ? null : await savedColumns(tx, account.id, heading),
    fields: await readOwnFields(tx, account.id),
    members: await readMembers(tx, account.id),
  }));
  const offers = saved === null ? offerColumns(head, { fields, members, latestYear }) : savedOffers(saved, fields);
  return {
    encoding: head.encoding,
    separator: nameOfSeparator(head.separator),
    sheets: (workbook?.sheets ?? []).map((name, index) => ({ index, name })),
    sheet: workbook?.sheet ?? null,
    header_row: head.headerRow,
    heading: heading.map(shown),
    rows: records.slice(0, SHOWN_ROWS).map(({ row, cells }) => ({ row, cells: cells.map(shown) })),
    columns: Array.from({ length: width }, (_, index) => {
      const column = offers.get(index);
      const filled = records.map(({ cells }) => cells[index] ?? '').filter((cell) => cell.trim() !== '');
      return {
        index,
        heading: shown(heading[index] ?? ''),
        samples: filled.slice(0, SHOWN_SAMPLES).map(shown),
        field: column?.field ?? null,
        unit: (column?.unit ?? '') as Look['columns'][number]['unit'],
        ...shownOffer(column),
      };
    }),
    sure: asFlag(head.isSure && (workbook === null || workbook.sheets.length === 1)),
    mapping: saved === null ? 'auto' : 'saved',
    missing: [...offers.values()].some(({ field }) => field === 'company_name') ? [] : ['company_name'],
  };
}

interface UploadHead {
  readonly bytes: Buffer;
  /** `bytes` is the whole file. */
  readonly isWhole: boolean;
  /** The upload is complete. */
  readonly isComplete: boolean;
  readonly fileId: number;
}

interface LookedAt {
  readonly head: Head;
  readonly workbook: ReadSheet | null;
}

/** Reads the beginning of a list. A workbook is needed whole, because its directory is at the end. */
async function lookAtList(
  account: AccountDb,
  { bytes, isWhole, isComplete, fileId }: UploadHead,
  query: z.output<(typeof lookAtImport)['query']>,
  signal: AbortSignal,
): Promise<LookedAt | Refusal> {
  const kind = kindOfHead(bytes);
  const { encoding, header_row: headerRow } = query;
  if (kind === 'text') {
    const separator = query.separator && SEPARATORS[query.separator];
    const head = lookAtHead(bytes, isWhole, { encoding, separator, headerRow });
    return head instanceof Problem ? head : { head, workbook: null };
  }
  if (kind !== 'zip' && kind !== 'compound') return REFUSALS[kind];
  if (!isComplete) return notComplete();
  const file = await account.snapshot((tx) => findFile(tx, account.id, fileId));
  if (file === null) return notUploaded();
  if (file.bytes > MAX_WORKBOOK_BYTES) return workbookFaults.tooLarge;
  const content = readStoredFile((read) => account.snapshot((tx) => read(tx)), file);
  const choice = { maxBytes: MAX_WORKBOOK_BYTES, sheet: query.sheet, headRows: WORKBOOK_HEAD_ROWS, signal };
  return withReadingPlace(account.id, () =>
    withListFile(account.id, content, choice, async (list) => {
      const text = await readFile(list.path);
      const head = lookAtHead(text, true, { encoding: list.encoding, separator: ',', headerRow });
      return head instanceof Problem ? head : { head, workbook: list.workbook };
    }),
  );
}

const shown = (cell: string): string => cell.slice(0, MAX_SHOWN_LENGTH).toWellFormed();

const notComplete = () =>
  new Problem('not_complete', 'Excelのファイルは、すべて届いてから読めます。アップロードが終わるまでお待ちください。');
