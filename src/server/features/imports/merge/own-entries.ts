import { labelKey } from '#domain/company/own-label.ts';
import type { OwnCell } from '../read/cells/extra-row.ts';
import type { ExtraPlan } from '../read/cells/read-extras.ts';
import { shownValue } from '../read/faults.ts';
import type { StagedExtra } from './extra-staging.ts';
import type { Report } from './import-report.ts';

/** What the rows of a company say together in own fields. */
export interface OwnEntry {
  readonly prospectId: number;
  /** The row that counts. */
  readonly row: number;
  /** In the order of the plan's columns; null: no row has one. */
  readonly own: readonly (OwnCell | null)[];
  readonly ownerId: number | null;
  /** Of all rows; each once. */
  readonly tags: readonly string[];
}

interface Parts {
  readonly plan: ExtraPlan;
  /** The person of each row. */
  readonly personOf: ReadonlyMap<number, number>;
  /** The 主担当 of companies. */
  readonly primaries: ReadonlyMap<number, number>;
  readonly report: Pick<Report, 'add'>;
}

const OTHER_VALUE = '同じ会社のほかの行の値を取り込むため、この値は取り込みません。';

/**
 * Joins the rows of each company: the row of its 主担当 counts, else the first; others fill blanks only. Each value that
 * is not taken is a line of the report.
 * @param rows by company and row
 */
export function ownEntries(rows: readonly StagedExtra[], parts: Parts): OwnEntry[] {
  const entries: OwnEntry[] = [];
  for (let from = 0; from < rows.length; ) {
    let end = from + 1;
    while (rows[end]?.prospectId === rows[from]?.prospectId) end += 1;
    entries.push(joined(rows.slice(from, end), parts));
    from = end;
  }
  return entries;
}

function joined(rows: readonly StagedExtra[], { plan, personOf, primaries, report }: Parts): OwnEntry {
  const first = rows[0] as StagedExtra;
  const primary = primaries.get(first.prospectId);
  const lead = (primary !== undefined && rows.find(({ row }) => personOf.get(row) === primary)) || first;
  const own = [...lead.extra.own];
  let { ownerId } = lead.extra;
  const tags = new Map(plan.tag === null ? [] : [[labelKey(plan.tag), plan.tag]]);
  const tell = (row: number, column: string, value: string) =>
    report.add({ kind: 'not_taken', row, firstRow: lead.row, column, value, reason: OTHER_VALUE });
  for (const { row, extra } of [lead, ...rows.filter((one) => one !== lead)]) {
    for (const tag of extra.tags) tags.set(labelKey(tag), tags.get(labelKey(tag)) ?? tag);
    for (const at of fillBlanks(own, extra.own))
      tell(row, plan.own[at]?.label ?? '', shownValue(String(extra.own[at])));
    ownerId ??= extra.ownerId;
    if (extra.ownerId !== null && extra.ownerId !== ownerId) tell(row, '自社担当', '');
  }
  return { prospectId: first.prospectId, row: lead.row, own, ownerId, tags: [...tags.values()] };
}

/** Fills the blanks of values by those of another row. @returns the places of other values, which are not taken */
function fillBlanks(own: (OwnCell | null)[], more: readonly (OwnCell | null)[]): number[] {
  const others: number[] = [];
  for (const [at, value] of more.entries()) {
    if (value === null) continue;
    own[at] ??= value;
    if (!isSame(own[at] ?? null, value)) others.push(at);
  }
  return others;
}

/** Options in other spellings are one. */
const isSame = (a: OwnCell | null, b: OwnCell): boolean =>
  a === b || (typeof a === 'string' && typeof b === 'string' && labelKey(a) === labelKey(b));
