import type pg from 'pg';
import { Problem, type Refusal } from '../../../platform/problem.ts';
import type { ProspectRow } from '../read/cells/check-row.ts';
import type { ExtraPlan } from '../read/cells/read-extras.ts';
import { type RowFault, tooManyExtraRows, tooManyLateFaults } from '../read/faults.ts';
import { openExtraStaging, type StagedExtra, saysNothing, stageExtras } from './extra-staging.ts';
import type { Report } from './import-report.ts';
import type { ImportSource } from './import-run.queries.ts';
import { mergeBatch } from './merge.queries.ts';
import { countUpdated, hasOwn, MAX_LATE_FAULTS, mergeExtras, type PeopleCounts } from './merge-extras.ts';
import { openStaging, type Repeat, separateRepeats } from './staging.ts';

/** The most rows of a file that are staged with their people and own columns, in temporary tables of the database. */
const MAX_EXTRA_ROWS = 3_000_000;

export type Merger = Awaited<ReturnType<typeof openMerger>>;
export type MergedRows = Exclude<Awaited<ReturnType<Merger['finish']>>, Refusal>;

/** Opens the staging tables, and merges the given batches one after the other. */
export async function openMerger(client: pg.PoolClient, source: ImportSource, plan: ExtraPlan | null, report: Report) {
  const hasExternal = plan !== null && plan.externalAt !== null;
  const isPlaced = plan !== null && hasEntries(plan);
  const stageRows = await openStaging(client, source.accountId, hasExternal);
  if (isPlaced) await openExtraStaging(client);
  const totals = { added: 0, updated: 0, unchanged: 0 };
  const refused = new Map<number, RowFault>();
  /** Rows in import_extra. */
  let staged = 0;
  /** The merge of the last batch. */
  let merging: Promise<Refusal | null> = Promise.resolve(null);

  async function merge(batch: readonly ProspectRow[]): Promise<Refusal | null> {
    const separated = separateRepeats(batch);
    const { rows, repeats } = separated;
    await stageRows(rows);
    const hasNumbers = rows.some(({ values }) => values.corporate_number !== null);
    const hasRemarks = rows.some(({ remarks }) => remarks !== null);
    const merged = await mergeBatch(client, source, { hasNumbers, hasRemarks, hasExternal, isPlaced });
    totals.added += merged.added;
    totals.updated += merged.updated;
    totals.unchanged += merged.unchanged;
    for (const fault of [separated.refused, merged.refused]) for (const [row, of] of fault) refused.set(row, of);
    const rowsOfBatch = new Map(isPlaced ? batch.map((row) => [row.row, row] as const) : []);
    for (const repeat of [...repeats, ...merged.repeats]) {
      const fault = refused.get(repeat.firstRow);
      if (fault !== undefined) refused.set(repeat.row, fault);
      // A repeat that brings a person is none.
      else if (!rowsOfBatch.get(repeat.row)?.extra?.person) report.add(repeatedLine(repeat, isPlaced));
    }
    if (refused.size > MAX_LATE_FAULTS) return tooManyLateFaults(MAX_LATE_FAULTS);
    if (!isPlaced) return null;
    const extras = placedExtras(plan, batch, repeats, merged.placed, refused);
    staged += extras.length;
    if (staged > MAX_EXTRA_ROWS) return tooManyExtraRows(MAX_EXTRA_ROWS);
    await stageExtras(client, extras);
    return null;
  }

  return {
    /** Starts to merge a batch once the last one is merged. @returns why the last one is refused with its file */
    async take(batch: readonly ProspectRow[]): Promise<Refusal | null> {
      const full = await merging;
      if (full !== null) return full;
      merging = merge(batch);
      // Awaited before the next batch. Until then a rejection must not count as unhandled.
      merging.catch(() => {});
      return null;
    },
    /**
     * @param isAccepted the file's people and own columns are merged too
     * @param afterPage called now and then meanwhile; if it throws, the merge ends
     */
    async finish(isAccepted: boolean, afterPage: () => Promise<void>) {
      const full = await merging;
      if (full !== null) return full;
      const extras = isPlaced && isAccepted ? await mergeExtras(client, source, plan, { report, afterPage }) : null;
      if (extras instanceof Problem) return extras;
      for (const [row, fault] of extras?.refused ?? []) refused.set(row, fault);
      const people = plan !== null && plan.people.size > 0 ? (extras?.people ?? NO_PEOPLE) : null;
      if (extras === null || plan === null || !hasOwn(plan)) return { ...totals, people, refused };
      const updated = await countUpdated(client, source);
      return { ...totals, updated, unchanged: totals.updated + totals.unchanged - updated, people, refused };
    },
  };
}

const NO_PEOPLE: PeopleCounts = { added: 0, updated: 0, unchanged: 0 };

const hasEntries = (plan: ExtraPlan): boolean => plan.people.size > 0 || hasOwn(plan);

/** Finds the company of each row of a batch that says something beside the company's own columns. */
function placedExtras(
  { tag }: ExtraPlan,
  batch: readonly ProspectRow[],
  repeats: readonly Repeat[],
  placed: ReadonlyMap<number, number>,
  refused: ReadonlyMap<number, RowFault>,
): StagedExtra[] {
  const firstOf = new Map(repeats.map(({ row, firstRow }) => [row, firstRow]));
  return batch.flatMap(({ row, extra }) => {
    const prospectId = placed.get(row) ?? placed.get(firstOf.get(row) ?? row);
    if (prospectId === undefined || extra === undefined || refused.has(row)) return [];
    return tag === null && saysNothing(extra) ? [] : [{ prospectId, row, extra }];
  });
}

const repeatedLine = ({ row, firstRow, companyName }: Repeat, isPlaced: boolean) => ({
  kind: 'repeated' as const,
  row,
  firstRow,
  column: '',
  value: companyName,
  reason: isPlaced ? REPEATED_COMPANY : '前の行と同じ会社（法人番号か、会社名と住所が同じ）のため、取り込みません。',
});
const REPEATED_COMPANY =
  '前の行と同じ会社（外部IDか法人番号か、会社名と住所が同じ）のため、会社としては取り込まず、自社の項目の空欄だけを埋めます。';
