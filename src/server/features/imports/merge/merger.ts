import type pg from 'pg';
import type { ProspectRow } from '../read/cells/check-row.ts';
import type { Report } from './import-report.ts';
import type { ImportSource } from './import-source.ts';
import { openIndustryDictionary } from './industry-dictionary.ts';
import { mergeBatch } from './merge.queries.ts';
import { type Repeat, separateRepeats } from './repeated-rows.ts';
import { createStaging, stageRows } from './staging.ts';

/** Opens the staging table, and merges the batches that it is given one after the other. */
export async function openMerger(client: pg.PoolClient, source: ImportSource, report: Report) {
  await createStaging(client);
  const industries = openIndustryDictionary(client, source.accountId);
  const totals = { added: 0, updated: 0, unchanged: 0 };
  /** The last batch. */
  let merging: Promise<void> = Promise.resolve();

  async function merge(batch: readonly ProspectRow[]): Promise<void> {
    const { rows, repeats } = separateRepeats(batch);
    await stageRows(client, rows, industries);
    const hasNumbers = rows.some(({ values }) => values.corporate_number !== null);
    const hasRemarks = rows.some(({ remarks }) => remarks !== null);
    const merged = await mergeBatch(client, source, { hasNumbers, hasRemarks });
    totals.added += merged.added;
    totals.updated += merged.updated;
    totals.unchanged += merged.unchanged;
    for (const repeat of [...repeats, ...merged.repeats]) report.add(repeatedLine(repeat));
  }

  return {
    /** Begins to merge a batch once the last one is merged. */
    async take(batch: readonly ProspectRow[]): Promise<void> {
      await merging;
      merging = merge(batch);
      // It is awaited before the next batch. Until then a rejection must not count as unhandled.
      merging.catch(() => {});
    },
    async finish(): Promise<typeof totals> {
      await merging;
      return totals;
    },
  };
}

const repeatedLine = ({ row, firstRow, companyName }: Repeat) => ({
  kind: 'repeated' as const,
  row,
  firstRow,
  column: '',
  value: companyName,
  reason: '前の行と同じ会社（法人番号か、会社名と住所が同じ）のため、取り込みませんでした。',
});
