import { sql } from 'kysely';
import type { ChangeKind } from '#contract/companies/companies.ts';
import type { Tx } from '../../platform/database/db.ts';
import { shareAccount } from '../../platform/database/lock-account.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { findSets } from './label-sets.queries.ts';
import { changesBetween, type NextOwn, nextOwn, type OwnChanges, type OwnWrite, storedOwn } from './next-own.ts';
import { type OwnField, readOwnFields } from './own-fields.queries.ts';
import { deleteEmpty, fieldsByOption, NO_OWN, type OwnRow, readOwn } from './own-rows.queries.ts';

/* The one writer of prospect_own and of prospect.external_id, with change-labels.command.ts for bulk acts. */

export interface OwnScope {
  readonly accountId: number;
  /** null: the operator. */
  readonly memberId: number | null;
  /** An import, which no merge of tags runs beside. */
  readonly importRunId?: number;
  readonly kind: ChangeKind;
}

export interface OwnWritten {
  /** What changed, by company. */
  readonly changes: ReadonlyMap<number, OwnChanges>;
  /** Companies whose tags stay, because they would be too many. */
  readonly tooManyTags: readonly number[];
  /** Companies whose values stay, because they would be too long together. */
  readonly tooLong: readonly number[];
}

/** The companies of one statement: their values may be 2 MB. */
const PIECE_COMPANIES = 500;

/**
 * Writes own values, tags, 担当 and 外部ID of companies, each with one row of its history.
 * A company that the account has not is passed over.
 */
export async function writeOwn(tx: Tx, scope: OwnScope, writes: readonly OwnWrite[]): Promise<OwnWritten> {
  const written = await applyOwn(tx, scope, writes);
  await recordOwn(tx, scope, written.changes);
  return written;
}

/**
 * The same without the history, for a caller that writes it with its own changes.
 * @param areNew this transaction has added the companies and written no own values of them: their changes are not
 * returned, and no 外部ID is set
 */
export async function applyOwn(
  tx: Tx,
  scope: Pick<OwnScope, 'accountId' | 'importRunId'>,
  writes: readonly OwnWrite[],
  areNew = false,
): Promise<OwnWritten> {
  const { accountId, importRunId } = scope;
  const written: Written = { changes: new Map(), tooManyTags: [], tooLong: [] };
  if (writes.length === 0) return written;
  if (importRunId === undefined) await shareAccount(tx, accountId);
  const fields = await readOwnFields(tx, accountId);
  const byCompany = [...Map.groupBy(writes, ({ prospectId }) => prospectId)].toSorted(([a], [b]) => a - b);
  for (let at = 0; at < byCompany.length; at += PIECE_COMPANIES) {
    await applyPiece(tx, { accountId, fields, areNew }, byCompany.slice(at, at + PIECE_COMPANIES), written);
  }
  return written;
}

interface Written extends OwnWritten {
  readonly changes: Map<number, OwnChanges>;
  readonly tooManyTags: number[];
  readonly tooLong: number[];
}

/** How the companies of a piece are written. */
interface Place {
  readonly accountId: number;
  /** All of the account. */
  readonly fields: readonly OwnField[];
  readonly areNew: boolean;
}

async function applyPiece(
  tx: Tx,
  { accountId, fields, areNew }: Place,
  piece: readonly (readonly [number, readonly OwnWrite[]])[],
  written: Written,
): Promise<void> {
  const fieldOf = fieldsByOption(fields);
  const given = piece.map(([id]) => id);
  const externalIds = areNew ? new Map(given.map((id) => [id, null])) : await lockCompanies(tx, accountId, given);
  const rows = areNew ? NO_ROWS : await readOwn(tx, accountId, fields, [...externalIds.keys()]);
  const changed: { readonly id: number; readonly next: NextOwn['next'] }[] = [];
  const ids: { readonly id: number; readonly external_id: string }[] = [];
  await mapInSlices(piece, ([id, writes]) => {
    const externalId = externalIds.get(id);
    if (externalId === undefined) return;
    const before = { ...(rows.get(id) ?? NO_OWN), externalId };
    const { next, tooManyTags, tooLong } = nextOwn(before, writes, fieldOf);
    if (tooManyTags) written.tooManyTags.push(id);
    if (tooLong) written.tooLong.push(id);
    if (areNew) {
      if (next.values.size > 0 || next.tags.length > 0 || next.ownerId !== null) changed.push({ id, next });
      return;
    }
    const changes = changesBetween(before, next);
    const names = Object.keys(changes);
    if (names.length === 0) return;
    written.changes.set(id, changes);
    if (names.some((name) => name.startsWith('own.'))) changed.push({ id, next });
    if (externalId === null && next.externalId !== null) ids.push({ id, external_id: next.externalId });
  });
  await storeRows(tx, { accountId, fields, areNew }, changed);
  await storeIds(tx, accountId, ids);
}

const NO_ROWS: ReadonlyMap<number, OwnRow> = new Map();

/** Locks the companies by rising id. @returns the 外部ID of each that the account has */
async function lockCompanies(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  const { rows } = await sql<{ id: number; external_id: string | null }>`
    SELECT id, external_id FROM prospect WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])
    ORDER BY id FOR NO KEY UPDATE`.execute(tx);
  return new Map(rows.map(({ id, external_id }) => [id, external_id]));
}

async function storeRows(
  tx: Tx,
  { accountId, fields, areNew }: Place,
  changed: readonly { readonly id: number; readonly next: NextOwn['next'] }[],
): Promise<void> {
  if (changed.length === 0) return;
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  const rows = changed.map(({ id, next }) => ({ id, owner: next.ownerId, ...storedOwn(next, typeOf) }));
  const sets = await findSets(tx, accountId, [...new Set(rows.flatMap(({ members }) => members ?? []))]);
  const given = rows.map(({ members, ...row }) => ({ ...row, set: members === null ? null : sets.get(members) }));
  await sql`
    INSERT INTO prospect_own AS own (account_id, prospect_id, owner_id, label_set_id, vals, text_search)
    SELECT ${accountId}::bigint, id, owner, set, vals, text
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      AS given (id bigint, owner bigint, set integer, vals jsonb, text jsonb)
    ORDER BY id
    ${areNew ? sql`` : REPLACED}`.execute(tx);
  const empty = rows.filter(({ owner, members, vals }) => owner === null && members === null && isEmpty(vals));
  if (empty.length > 0) {
    await deleteEmpty(
      tx,
      accountId,
      empty.map(({ id }) => id),
    );
  }
}

const REPLACED = sql`ON CONFLICT (account_id, prospect_id) DO UPDATE SET owner_id = excluded.owner_id,
  label_set_id = excluded.label_set_id, vals = excluded.vals, text_search = excluded.text_search, updated_at = now()`;

const isEmpty = (vals: object): boolean => Object.keys(vals).length === 0;

async function storeIds(
  tx: Tx,
  accountId: number,
  ids: readonly { readonly id: number; readonly external_id: string }[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    UPDATE prospect SET external_id = given.external_id, updated_at = now()
    FROM jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) AS given (id bigint, external_id text)
    WHERE prospect.account_id = ${accountId} AND prospect.id = given.id AND prospect.external_id IS NULL`.execute(tx);
}

/** Inserts the history of companies that changed. */
export async function recordOwn(
  tx: Tx,
  { accountId, memberId, importRunId, kind }: OwnScope,
  changes: ReadonlyMap<number, OwnChanges>,
): Promise<void> {
  const all = [...changes].map(([id, of]) => ({ id, changes: of }));
  for (let at = 0; at < all.length; at += PIECE_COMPANIES) {
    await sql`
      INSERT INTO prospect_change (account_id, member_id, prospect_id, import_run_id, kind, changes)
      SELECT ${accountId}::bigint, ${memberId}::bigint, id, ${importRunId ?? null}::bigint, ${kind}::text, changes
      FROM jsonb_to_recordset(${JSON.stringify(all.slice(at, at + PIECE_COMPANIES))}::jsonb)
        AS given (id bigint, changes jsonb)
      ORDER BY id`.execute(tx);
  }
}
