import { sql } from 'kysely';
import { MAX_COMPANY_TAGS, MAX_OWN_LENGTH } from '#domain/limits.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { mapInSlices } from '../../../platform/turns.ts';
import type { OwnWrite } from '../../own-fields/next-own.ts';
import type { OwnValue } from '../../own-fields/own-value.ts';
import { applyOwn, writeOwn } from '../../own-fields/write-own.command.ts';
import type { ExtraPlan } from '../read/cells/read-extras.ts';
import { shownValue } from '../read/faults.ts';
import type { Report } from './import-report.ts';
import type { ImportSource } from './import-run.queries.ts';
import type { Labels } from './labels.ts';
import type { OwnEntry } from './own-entries.ts';

interface Parts {
  readonly entries: readonly OwnEntry[];
  readonly labels: Labels;
  readonly report: Pick<Report, 'add'>;
}

/** Writes what the rows say of their companies in own fields. Blanks keep the present values; tags are added. */
export async function writeOwnEntries(
  tx: Tx,
  source: ImportSource,
  plan: ExtraPlan,
  { entries, labels, report }: Parts,
): Promise<void> {
  await labels.ensure(
    null,
    entries.flatMap(({ tags }) => tags),
  );
  for (const [at, { id, type }] of plan.own.entries()) {
    if (type !== 'choice') continue;
    await labels.ensure(
      id,
      entries.flatMap(({ own }) => (own[at] == null ? [] : [String(own[at])])),
    );
  }
  const added = await readAdded(tx, source, entries);
  const all = await mapInSlices(entries, (entry) => writeOf(entry, plan, { labels, report }));
  const writes = Map.groupBy(all, ({ prospectId }) => added.has(prospectId));
  const { accountId, memberId, importRunId } = source;
  const scope = { accountId, memberId, importRunId, kind: 'imported' as const };
  const rowOf = new Map(entries.map(({ prospectId, row }) => [prospectId, row]));
  // The history of a company that the import adds says so alone.
  for (const { tooManyTags, tooLong } of [
    await applyOwn(tx, scope, writes.get(true) ?? [], true),
    await writeOwn(tx, scope, writes.get(false) ?? []),
  ]) {
    const tell = (id: number, column: string, reason: string) =>
      report.add({ kind: 'blanked', row: rowOf.get(id) ?? 0, column, value: '', reason });
    for (const id of tooManyTags)
      tell(id, 'タグ', `タグは1社に${MAX_COMPANY_TAGS}個までです。この会社には付けません。`);
    for (const id of tooLong) {
      const limit = MAX_OWN_LENGTH.toLocaleString('ja-JP');
      tell(id, '', `自社の項目は1社で合わせて${limit}文字までです。この会社の値は取り込みません。`);
    }
  }
}

function writeOf(entry: OwnEntry, plan: ExtraPlan, { labels, report }: Pick<Parts, 'labels' | 'report'>): OwnWrite {
  const { prospectId, row, ownerId } = entry;
  const blank = (column: string, text: string, reason: string) =>
    report.add({ kind: 'blanked', row, column, value: shownValue(text), reason });
  const values = new Map<number, OwnValue>();
  for (const [at, { id, label, type }] of plan.own.entries()) {
    const value = entry.own[at] ?? null;
    if (value === null) continue;
    const read = type === 'choice' ? labels.idOf(id, String(value)) : value;
    if (type === 'choice' && typeof read === 'string') blank(label, String(value), read);
    else values.set(id, read);
  }
  const addLabels = entry.tags.flatMap((tag) => {
    const id = labels.idOf(null, tag);
    if (typeof id === 'number') return [id];
    blank('タグ', tag, id);
    return [];
  });
  return {
    prospectId,
    ...(values.size > 0 && { values }),
    ...(addLabels.length > 0 && { addLabels }),
    ...(ownerId !== null && { ownerId }),
  };
}

/** Finds the companies that this import adds. */
async function readAdded(
  tx: Tx,
  { accountId, importRunId }: ImportSource,
  entries: readonly OwnEntry[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM prospect
    WHERE account_id = ${accountId} AND import_run_id = ${importRunId}
      AND id = ANY (${entries.map(({ prospectId }) => prospectId)}::bigint[])`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
