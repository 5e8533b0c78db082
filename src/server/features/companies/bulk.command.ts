import { type Expression, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { changeProspects } from '#contract/companies/companies-bulk.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { shareAccount } from '../../platform/database/lock-account.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { changeLabels, countLabelChanges, type LabelChange, readLabels } from '../own-fields/change-labels.command.ts';
import { type CompaniesMax, companiesFault, refuseAdded } from '../prospects/companies-max.queries.ts';
import { checkFilter } from '../prospects/list/own-condition.queries.ts';
import { type GroupScope, ownsSenderGroup } from '../prospects/list/sender-group.queries.ts';
import { findMatching } from '../prospects/prospects.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { type BulkChange, bulkChange, changeableCounts, countPending, type PlainAct } from './bulk.queries.ts';

type Body = z.output<(typeof changeProspects)['body']>;
type Answer = CallAnswer<typeof changeProspects>;

/** The acts on what a sender group notes of a company. */
const OF_GROUP: readonly Body['act'][] = ['activate', 'deactivate', 'append_remarks'];

/** The companies of one transaction: concurrent writers of the same rows wait for seconds at most. */
const PIECE_COMPANIES = 5000;
/** Each may have a set of labels of its own. */
const PIECE_LABELS = 1000;

/**
 * Changes the given companies, or all that meet the condition now.
 * Each batch is its own transaction. A repeated call changes the remaining ones.
 * @returns how many were changed, and how many were not, by reason; 404 for a foreign group; 409 where the restored
 * ones would exceed the account's limit
 */
export async function changeMany(
  account: MemberDb,
  body: Body,
  { companiesMax }: CompaniesMax,
): Promise<Answer | Problem> {
  const scope: GroupScope = { accountId: account.id, senderGroupId: body.sender_group_id };
  const refuse = async (tx: Tx) =>
    OF_GROUP.includes(body.act) ? groupProblem(tx, account, 'sender_group', scope.senderGroupId) : null;
  const found = await account.snapshot(
    async (tx) => (await refuse(tx)) ?? findCompanies(tx, scope, body, companiesMax),
  );
  if (found === null) return notFound();
  if (found instanceof Problem) return found;
  const { ids, before } = found;
  if (body.dry_run === 1) return before;
  let changed = 0;
  const size = body.act === 'label' ? PIECE_LABELS : PIECE_COMPANIES;
  for (let at = 0; at < ids.length; at += size) {
    const piece = ids.slice(at, at + size);
    const companies = await account.transaction(async (tx) => {
      // No tag is merged while companies get it.
      if (body.act === 'label') await shareAccount(tx, account.id);
      await lockCompanies(tx, account.id, piece);
      const refused = await refuse(tx);
      if (refused) return refused;
      const written = await changePiece(tx, account, scope, body, piece);
      if (body.act === 'restore' && !(written instanceof Problem))
        await refuseAdded(tx, account.id, companiesMax, written);
      return written;
    });
    if (companies instanceof Problem) return companies;
    changed += companies;
  }
  const { already, ...others } = before.unchanged;
  // Another person may have changed some of them since the count.
  return { ...before, changed, unchanged: { ...others, already: Math.max(0, already + before.changed - changed) } };
}

async function findCompanies(
  tx: Tx,
  scope: GroupScope,
  body: Body,
  companiesMax: number,
): Promise<{ ids: number[]; before: Answer } | Problem | null> {
  if (!(await ownsSenderGroup(tx, scope))) return null;
  const ids = body.ids === undefined ? await idsOf(tx, scope, body.condition ?? {}) : [...new Set(body.ids)];
  if (ids instanceof Problem) return ids;
  const counts = await countChanged(tx, scope, body, ids);
  if (counts === null) return null;
  const { found, changed, no_email, too_long, too_many } = counts;
  const problem =
    body.act === 'restore' && changed > 0
      ? await companiesFault(tx, scope.accountId, companiesMax, { toCome: changed })
      : null;
  if (problem) return problem;
  const pending = await countPending(tx, scope.accountId, ids);
  const not_found = ids.length - found;
  const already = found - changed - no_email - too_long - too_many;
  const unchanged = { already, not_found, no_email, too_long, too_many };
  return { ids, before: { matched: ids.length, changed, unchanged, ...pending } };
}

/** The body's act as bulk.queries knows it. */
const plainChange = ({ act, remarks = '' }: Body & { readonly act: PlainAct }): BulkChange => ({
  act,
  remarks: remarks.trim(),
});
const isPlain = (body: Body): body is Body & { readonly act: PlainAct } => body.act !== 'label';

const labelsOf = ({ label }: Body): LabelChange => ({ add: label?.add ?? [], remove: label?.remove ?? [] });

/** @returns null where the account has not one of the labels */
async function countChanged(tx: Tx, scope: GroupScope, body: Body, ids: readonly number[]) {
  if (isPlain(body)) return { ...(await changeableCounts(tx, scope, plainChange(body), ids)), too_many: 0 };
  const { accountId } = scope;
  const known = await readLabels(tx, accountId, labelsOf(body));
  if (known === null) return null;
  return { ...(await countLabelChanges(tx, accountId, ids, labelsOf(body), known)), no_email: 0, too_long: 0 };
}

async function idsOf(
  tx: Tx,
  scope: GroupScope,
  condition: NonNullable<Body['condition']>,
): Promise<number[] | Problem> {
  const { status, sender_id: senderId, reservation_id: reservationId, ...wanted } = condition;
  const filter = await checkFilter(tx, scope.accountId, wanted);
  if (filter instanceof Problem) return filter;
  return findMatching(tx, scope, { filter, status, reservations: { senderId, reservationId } });
}

async function changePiece(
  tx: Tx,
  { memberId }: MemberDb,
  scope: GroupScope,
  body: Body,
  ids: readonly number[],
): Promise<number | Problem> {
  const { accountId, senderGroupId } = scope;
  const companies = isPlain(body)
    ? await bulkChange(tx, scope, { ...plainChange(body), memberId }, ids)
    : await labelPiece(tx, { accountId, memberId }, labelsOf(body), ids);
  if (companies === 0 || companies instanceof Problem) return companies;
  const detail = { act: body.act, companies, sender_group_id: senderGroupId };
  await recordAudit(tx, { accountId, memberId, kind: 'companies_changed', detail });
  return companies;
}

/** @returns 404 where a label is gone since the companies were counted */
async function labelPiece(
  tx: Tx,
  { accountId, memberId }: { readonly accountId: number; readonly memberId: number },
  change: LabelChange,
  ids: readonly number[],
): Promise<number | Problem> {
  const known = await readLabels(tx, accountId, change);
  return known === null ? notFound() : changeLabels(tx, { accountId, memberId, kind: 'edited' }, ids, change, known);
}

/** Locks companies by rising id, so that two changes of the same ones do not deadlock. */
async function lockCompanies(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  const locked: Expression<unknown> = sql`
    SELECT id FROM prospect WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])
    ORDER BY id FOR NO KEY UPDATE`;
  await sql`SELECT count(*) FROM (${locked}) AS locked`.execute(tx);
}
