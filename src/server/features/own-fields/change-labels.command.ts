import { type RawBuilder, sql } from 'kysely';
import type { ChangeKind } from '#contract/companies/companies.ts';
import { MAX_COMPANY_TAGS } from '#domain/limits.ts';
import type { Tx } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { findSets, idsOf, membersOf } from './label-sets.queries.ts';
import { type OwnChanges, valueChanges } from './next-own.ts';
import { type OwnField, readOwnFields, readTags } from './own-fields.queries.ts';
import { deleteEmpty, fieldsByOption, sortLabels } from './own-rows.queries.ts';

/** The labels that companies get and lose. An added option replaces its field's other one. */
export interface LabelChange {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** The fields and tags of an account, to which the ids of a change belong. */
export interface KnownLabels {
  readonly fields: readonly OwnField[];
  /** The field of each option. */
  readonly fieldOf: ReadonlyMap<number, number>;
}

/**
 * Reads what a change of labels needs.
 * @returns null where the account has not one of them, or an added one is archived
 */
export async function readLabels(tx: Tx, accountId: number, change: LabelChange): Promise<KnownLabels | null> {
  const fields = await readOwnFields(tx, accountId);
  const tags = await readTags(tx, accountId);
  const offered = new Set<number>();
  const all = new Set<number>();
  const options = fields.flatMap((field) =>
    field.options.map((option) => ({ ...option, archived: option.archived || field.archived })),
  );
  for (const { id, archived } of [...tags, ...options]) {
    all.add(id);
    if (!archived) offered.add(id);
  }
  const isKnown = change.add.every((id) => offered.has(id)) && change.remove.every((id) => all.has(id));
  return isKnown ? { fields, fieldOf: fieldsByOption(fields) } : null;
}

/** What a change makes of a set of labels. */
export interface NextSet {
  readonly members: string | null;
  readonly changes: OwnChanges;
}

/**
 * Applies a change to a set.
 * @param members null: no set
 * @returns 'too_many' where the company would have too many tags; null where nothing changes
 */
export function nextSet(
  members: string | null,
  { add, remove }: LabelChange,
  fieldOf: ReadonlyMap<number, number>,
): NextSet | 'too_many' | null {
  const old = idsOf(members);
  const next = new Set(old.filter((id) => !remove.includes(id)));
  for (const id of add) {
    const field = fieldOf.get(id);
    if (field !== undefined) for (const other of next) if (fieldOf.get(other) === field) next.delete(other);
    next.add(id);
  }
  const [before, after] = [sortLabels(old, fieldOf), sortLabels([...next].toSorted(byNumber), fieldOf)];
  const changes = valueChanges(before, after);
  if (Object.keys(changes).length === 0) return null;
  if (after.tags.length > Math.max(before.tags.length, MAX_COMPANY_TAGS)) return 'too_many';
  return { members: next.size === 0 ? null : membersOf(next), changes };
}

const byNumber = (a: number, b: number): number => a - b;

interface SetCount {
  readonly label_set_id: number | null;
  readonly members: string | null;
  readonly companies: number;
}

/** Counts the companies by their sets. */
async function readSets(tx: Tx, accountId: number, ids: readonly number[]): Promise<readonly SetCount[]> {
  const { rows } = await sql<SetCount>`
    SELECT own.label_set_id, label_set.members, count(*)::integer AS companies
    FROM prospect
    LEFT JOIN prospect_own AS own ON own.account_id = ${accountId} AND own.prospect_id = prospect.id
    LEFT JOIN label_set ON label_set.account_id = ${accountId} AND label_set.id = own.label_set_id
    WHERE prospect.account_id = ${accountId} AND prospect.id = ANY (${ids}::bigint[])
    GROUP BY own.label_set_id, label_set.members`.execute(tx);
  return rows;
}

/** Counts the companies that a change of labels would alter, and those that would have too many tags. */
export async function countLabelChanges(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  change: LabelChange,
  { fieldOf }: KnownLabels,
): Promise<{ found: number; changed: number; too_many: number }> {
  const counts = { found: 0, changed: 0, too_many: 0 };
  await mapInSlices(await readSets(tx, accountId, ids), ({ members, companies }) => {
    const next = nextSet(members, change, fieldOf);
    counts.found += companies;
    if (next === 'too_many') counts.too_many += companies;
    else if (next !== null) counts.changed += companies;
  });
  return counts;
}

interface LabelScope {
  readonly accountId: number;
  readonly memberId: number | null;
  readonly kind: ChangeKind;
}

/**
 * Changes the labels of many companies: computes once for each different set.
 * @param ids locked by the transaction, which shares the account's row: no tag is merged meanwhile
 * @returns how many changed; the others are unchanged, with too many tags as well
 */
export async function changeLabels(
  tx: Tx,
  { accountId, memberId, kind }: LabelScope,
  ids: readonly number[],
  change: LabelChange,
  { fieldOf }: KnownLabels,
): Promise<number> {
  const sets = await readSets(tx, accountId, ids);
  const found = await mapInSlices(sets, ({ label_set_id, members }) => {
    const next = nextSet(members, change, fieldOf);
    return next === null || next === 'too_many' ? [] : [{ old: label_set_id, ...next }];
  });
  const steps = found.flat();
  const wanted = new Set(steps.flatMap((step) => step.members ?? []));
  const idOf = await findSets(tx, accountId, [...wanted]);
  const given = steps.map(({ old, members, changes }) => ({
    old,
    next: members === null ? null : idOf.get(members),
    changes,
  }));
  const step = sql`
    jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS step (old integer, next integer, changes jsonb)`;
  const { rows } = await sql<{ prospect_id: number }>`
    INSERT INTO prospect_change (account_id, member_id, prospect_id, kind, changes)
    SELECT ${accountId}::bigint, ${memberId}::bigint, prospect.id, ${kind}::text, step.changes
    ${ofSteps(accountId, ids, step)}
    RETURNING prospect_id`.execute(tx);
  const changed = rows.map(({ prospect_id }) => prospect_id);
  if (changed.length === 0) return 0;
  await sql`
    INSERT INTO prospect_own AS own (account_id, prospect_id, label_set_id)
    SELECT ${accountId}::bigint, prospect.id, step.next
    ${ofSteps(accountId, changed, step)}
    ORDER BY prospect.id
    ON CONFLICT (account_id, prospect_id)
      DO UPDATE SET label_set_id = excluded.label_set_id, updated_at = now()`.execute(tx);
  await deleteEmpty(tx, accountId, changed);
  return changed.length;
}

const ofSteps = (accountId: number, ids: readonly number[], step: RawBuilder<unknown>) => sql`
  FROM prospect
  LEFT JOIN prospect_own AS before ON before.account_id = ${accountId} AND before.prospect_id = prospect.id
  JOIN ${step} ON step.old IS NOT DISTINCT FROM before.label_set_id
  WHERE prospect.account_id = ${accountId} AND prospect.id = ANY (${ids}::bigint[])`;
