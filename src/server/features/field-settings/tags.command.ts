import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addTag as addCall, updateTag as updateCall } from '#contract/companies/tags.ts';
import { labelKey } from '#domain/company/own-label.ts';
import { MAX_TAGS } from '#domain/limits.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { tryLockImports } from '../imports/merge/import-run.queries.ts';
import { ensureLabels, tooManyTags } from '../own-fields/ensure.command.ts';
import { readTags, type Tag } from '../own-fields/own-fields.queries.ts';
import { tagContent } from './field-list.queries.ts';
import { importRunning } from './fields.command.ts';

/** Adds a tag, or brings an archived one back, in the caller's transaction. */
export async function addTag(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { label, colour }: z.output<(typeof addCall)['body']>['add_info'],
): Promise<CallAnswer<typeof addCall> | Problem> {
  if (!(await tryLockImports(tx, accountId))) return importRunning();
  await lockAccount(tx, accountId);
  const tags = await readTags(tx, accountId);
  const twin = twinOf(tags, label);
  if (twin && !twin.archived) return labelTaken(twin, 'add_info.label');
  if (!twin && tags.length >= MAX_TAGS) return tooManyTags();
  const ids = await ensureLabels(tx, accountId, null, [label]);
  if (ids instanceof Problem) return ids;
  const id = ids.get(label);
  if (id === undefined) throw new Error('the tag was not added');
  if (colour !== undefined) {
    await sql`UPDATE label SET colour = ${colour} WHERE account_id = ${accountId} AND id = ${id}`.execute(tx);
  }
  await recordAudit(tx, { accountId, memberId, kind: 'tag_added', detail: { tag_id: id, tag_label: label } });
  return { status: 'added', id };
}

const twinOf = (tags: readonly Tag[], label: string): Tag | undefined =>
  tags.find((tag) => labelKey(tag.label) === labelKey(label));

const labelTaken = ({ label, archived }: Tag, path: string) =>
  fieldProblem(
    path,
    'label_taken',
    archived
      ? `使用をやめたタグに、同じ名前の「${label}」があります。それを戻すか、統合してお使いください。`
      : `同じ名前のタグ「${label}」があります。`,
  );

type Updated = CallAnswer<typeof updateCall>;

/**
 * Changes a tag, or merges it into another one, unless it has changed since `version`. A repeated change succeeds.
 * @returns 404 for a foreign tag; 409 for a taken name, and beside an import
 */
export function updateTag(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  { update_info: { merge_into, ...info }, version }: z.output<(typeof updateCall)['body']>,
): Promise<Updated | Problem> {
  return transaction(async (tx) => {
    if (!(await tryLockImports(tx, accountId))) return importRunning();
    await lockAccount(tx, accountId);
    const tags = await readTags(tx, accountId);
    const tag = tags.find((one) => one.id === id);
    if (!tag) return notFound();
    const fields = (['label', 'colour', 'archived'] as const).filter(
      (name) => info[name] !== undefined && info[name] !== (name === 'archived' ? Number(tag.archived) : tag[name]),
    );
    const isChanged = fields.length > 0 || merge_into !== undefined;
    if (isChanged && isStale(version, tagContent(tag)))
      return changedMeanwhile('field_changed', { what: 'このタグを' });
    if (merge_into !== undefined) return mergeTag(tx, { accountId, memberId }, tags, { tag, into: merge_into });
    const next = {
      ...tag,
      ...(info.label !== undefined && { label: info.label }),
      ...(info.colour !== undefined && { colour: info.colour }),
      ...(info.archived !== undefined && { archived: info.archived === 1 }),
    };
    const others = tags.filter((one) => one !== tag);
    const twin = twinOf(others, next.label);
    if (twin) return labelTaken(twin, 'update_info.label');
    if (fields.length > 0) {
      await storeTag(tx, accountId, next);
      const detail = { tag_id: id, tag_label: next.label, fields };
      await recordAudit(tx, { accountId, memberId, kind: 'tag_changed', detail });
    }
    return { status: 'updated' as const, version: contentVersion(tagContent(next)) };
  });
}

async function storeTag(tx: Tx, accountId: number, { id, label, colour, archived }: Tag): Promise<void> {
  await sql`
    UPDATE label SET label = ${label}, label_key = ${labelKey(label)}, colour = ${colour},
      archived_at = CASE WHEN ${archived} THEN coalesce(archived_at, now()) END
    WHERE account_id = ${accountId} AND id = ${id}`.execute(tx);
}

/** Rewrites the sets that hold the tag, and removes it. No company is written, and the account's row is locked. */
async function mergeTag(
  tx: Tx,
  { accountId, memberId }: { readonly accountId: number; readonly memberId: number },
  tags: readonly Tag[],
  { tag, into }: { readonly tag: Tag; readonly into: number },
): Promise<Updated | Problem> {
  const target = tags.find(({ id }) => id === into);
  if (!target) return notFound();
  if (target === tag) {
    return fieldProblem('update_info.merge_into', 'invalid_input', 'このタグ自身には統合できません。');
  }
  if (target.archived) {
    const message = '使用をやめたタグには統合できません。統合先の使用を再開してから、もう一度お試しください。';
    return fieldProblem('update_info.merge_into', 'invalid_input', message);
  }
  const holds = sql`members LIKE ${`%,${tag.id},%`}`;
  const { rows } = await sql<{ companies: number }>`
    SELECT count(*)::integer AS companies
    FROM label_set JOIN prospect_own ON prospect_own.account_id = ${accountId} AND label_set_id = label_set.id
    WHERE label_set.account_id = ${accountId} AND ${holds}`.execute(tx);
  await sql`
    UPDATE label_set SET members = ',' || (
      SELECT string_agg(id::text, ',' ORDER BY id)
      FROM (
        SELECT DISTINCT CASE WHEN label = ${String(tag.id)} THEN ${into}::integer ELSE label::integer END AS id
        FROM unnest(string_to_array(btrim(members, ','), ',')) AS label
      ) AS merged) || ','
    WHERE account_id = ${accountId} AND ${holds}`.execute(tx);
  await sql`DELETE FROM label WHERE account_id = ${accountId} AND id = ${tag.id}`.execute(tx);
  const { companies } = onlyRow(rows);
  const detail = { tag_id: tag.id, tag_label: tag.label, into: target.label, companies };
  await recordAudit(tx, { accountId, memberId, kind: 'tags_merged', detail });
  return { status: 'updated', version: contentVersion(tagContent(target)) };
}
