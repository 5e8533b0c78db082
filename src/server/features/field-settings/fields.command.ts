import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addCustomField, updateCustomField } from '#contract/companies/own-fields.ts';
import { isReservedKey, labelKey } from '#domain/company/own-label.ts';
import { MAX_FIELD_OPTIONS, MAX_OWN_FIELDS } from '#domain/limits.ts';
import { foldHeading } from '#domain/text/fold-heading.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile, contentVersion, isStale } from '../../platform/database/content-version.ts';
import { type Tx, violatedKey } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { tryLockImports } from '../imports/merge/import-run.queries.ts';
import { isKnownHeading } from '../imports/read/table/extra-headings.ts';
import {
  ensureLabels,
  insertFields,
  readStoredLabels,
  tooManyFields,
  tooManyOptions,
} from '../own-fields/ensure.command.ts';
import { type OwnField, readOwnFields } from '../own-fields/own-fields.queries.ts';
import { templatesUsing } from '../own-fields/template-uses.queries.ts';
import { fieldContent } from './field-list.queries.ts';

type AddInfo = z.output<(typeof addCustomField)['body']>['add_info'];
type UpdateInfo = z.output<(typeof updateCustomField)['body']>['update_info'];
type Options = NonNullable<UpdateInfo['options']>;

/**
 * Fields and labels that an import adds are its own until it ends. Who would wait for them holds the account's row, for
 * which the import's end waits.
 */
export const importRunning = () =>
  new Problem('import_running', 'リストの取り込みか確認が動いています。終わってから、もう一度お試しください。');

/** Adds a field, in the caller's transaction. */
export async function addField(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { label, type, key, options = [] }: AddInfo,
): Promise<CallAnswer<typeof addCustomField> | Problem> {
  if (!(await tryLockImports(tx, accountId))) return importRunning();
  await lockAccount(tx, accountId);
  const known = await readOwnFields(tx, accountId);
  const problem =
    labelFault(label, known, 'add_info.label') ?? keyFault(key, known) ?? twinOption(options, 'add_info.options');
  if (problem) return problem;
  if (known.length >= MAX_OWN_FIELDS) return tooManyFields();
  const [added] = await insertFields(tx, accountId, known, [{ label, type, key }]);
  if (added === undefined) throw new Error('the field was not added');
  if (options.length > 0) {
    const labels = await ensureLabels(tx, accountId, added.id, options);
    if (labels instanceof Problem) throw new Error('a new field has no options yet');
  }
  const detail = { custom_field_id: added.id, field_label: label };
  await recordAudit(tx, { accountId, memberId, kind: 'custom_field_added', detail });
  return { status: 'added', ...added };
}

/** Refuses the name of another field, also of an archived one, and of a column of companies or people. */
function labelFault(label: string, others: readonly OwnField[], path: string): Problem | null {
  const folded = foldHeading(label);
  const twin = others.find((field) => foldHeading(field.label) === folded);
  if (twin) {
    const message = twin.archived
      ? `使用をやめた項目に、同じ名前の「${twin.label}」があります。それを戻してお使いください。`
      : `同じ名前の項目「${twin.label}」があります。`;
    return fieldProblem(path, 'label_taken', message);
  }
  const isReserved = folded === '' || isKnownHeading(label);
  return isReserved
    ? fieldProblem(path, 'label_taken', '会社か人の項目と同じ名前です。取り込みで見分けられる名前にしてください。')
    : null;
}

function keyFault(key: string | undefined, known: readonly OwnField[]): Problem | null {
  if (key === undefined) return null;
  const twin = known.find((field) => field.key === key);
  if (twin) return fieldProblem('add_info.key', 'label_taken', `項目「${twin.label}」の差し込み名と同じです。`);
  return isReservedKey(key)
    ? fieldProblem('add_info.key', 'label_taken', 'この差し込み名は使えません。別の名前にしてください。')
    : null;
}

function twinOption(labels: readonly string[], path: string): Problem | null {
  const keys = labels.map(labelKey);
  const twin = keys.findIndex((key, index) => keys.indexOf(key) < index);
  return twin < 0 ? null : fieldProblem(`${path}.${twin}`, 'label_taken', `選択肢「${labels[twin]}」が2つあります。`);
}

/** Answers two members who add the same name at once. */
export async function refuseTwins<Answer>(work: () => Promise<Answer>): Promise<Answer | Problem> {
  try {
    return await work();
  } catch (error) {
    const isTwin = ['custom_field_', 'label_'].some((table) => violatedKey(error)?.startsWith(table));
    if (!isTwin) throw error;
    return new Problem('label_taken', '同じ名前が、いま追加されました。画面を読み込み直してください。');
  }
}

/**
 * Changes a field, unless it has changed since `version`. A repeated change succeeds.
 * @returns 404; 409 for a taken name, and for a field that templates name and that is to be archived
 */
export function updateField(
  { id: accountId, memberId, transaction }: MemberDb,
  id: number,
  { update_info, version }: z.output<(typeof updateCustomField)['body']>,
): Promise<CallAnswer<typeof updateCustomField> | Problem> {
  return transaction(async (tx) => {
    if (!(await tryLockImports(tx, accountId))) return importRunning();
    await lockAccount(tx, accountId);
    const known = await readOwnFields(tx, accountId);
    const field = known.find((one) => one.id === id);
    if (!field) return notFound();
    const problem = await updateFault(tx, accountId, { field, known, update_info });
    if (problem) return problem;
    const fields = changedFields(field, known, update_info);
    if (fields.length > 0 && isStale(version, fieldContent(field)))
      return changedMeanwhile('field_changed', { what: 'この項目を' });
    if (update_info.options !== undefined && fields.includes('options')) {
      const full = await saveOptions(tx, accountId, field, update_info.options);
      if (full) return full;
    }
    await storeField(tx, accountId, field, update_info);
    if (fields.includes('position')) await moveField(tx, accountId, known, field, update_info.position ?? 1);
    if (fields.length > 0) {
      const detail = { custom_field_id: id, field_label: update_info.label ?? field.label, fields };
      await recordAudit(tx, { accountId, memberId, kind: 'custom_field_changed', detail });
    }
    const stored = (await readOwnFields(tx, accountId)).find((one) => one.id === id) ?? field;
    return { status: 'updated' as const, version: contentVersion(fieldContent(stored)) };
  });
}

interface FieldChange {
  readonly field: OwnField;
  readonly known: readonly OwnField[];
  readonly update_info: UpdateInfo;
}

async function updateFault(
  tx: Tx,
  accountId: number,
  { field, known, update_info }: FieldChange,
): Promise<Problem | null> {
  const { label, options, archived } = update_info;
  if (label !== undefined && label !== field.label) {
    const others = known.filter((one) => one !== field);
    const fault = labelFault(label, others, 'update_info.label');
    if (fault) return fault;
  }
  const fault = options && optionsFault(field, options);
  if (fault) return fault;
  return archived === 1 && !field.archived ? templateFault(tx, accountId, field) : null;
}

function optionsFault(field: OwnField, options: Options): Problem | null {
  const path = 'update_info.options';
  if (field.type !== 'choice') return fieldProblem(path, 'invalid_input', '選択肢は、選択の項目にだけ指定できます。');
  const foreign = options.findIndex(({ id }) => id !== undefined && !field.options.some((option) => option.id === id));
  if (foreign >= 0) return fieldProblem(`${path}.${foreign}.id`, 'invalid_input', 'この項目にない選択肢です。');
  const ids = options.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length) return fieldProblem(path, 'invalid_input', '同じ選択肢が2つあります。');
  return twinOption(
    options.map(({ label }) => label),
    path,
  );
}

/** The most templates that a message names. */
const NAMED_TEMPLATES = 3;

async function templateFault(tx: Tx, accountId: number, { key }: OwnField): Promise<Problem | null> {
  const templates = await templatesUsing(tx, accountId, key);
  if (templates.length === 0) return null;
  const names = templates.slice(0, NAMED_TEMPLATES).map(({ name }) => `「${name}」`);
  const others = templates.length > NAMED_TEMPLATES ? `ほか${templates.length - NAMED_TEMPLATES}件` : '';
  const details = templates.map(({ name }) => ({ path: 'templates', message: name }));
  const message = `テンプレート${names.join('')}${others}で使っているため、項目の使用をやめられません。`;
  return new Problem('field_in_use', message, undefined, details);
}

function changedFields(field: OwnField, known: readonly OwnField[], info: UpdateInfo): string[] {
  const { label, position, options, archived } = info;
  const before = field.options.map(({ id, label: text, archived: gone }) => [id, text, gone]);
  const after = options?.map(({ id, label: text, archived: gone = 0 }) => [id, text, gone === 1]);
  const unnamed = field.options.filter(({ id }) => !options?.some((option) => option.id === id));
  const all = after && [...after, ...unnamed.map(({ id, label: text }) => [id, text, true])];
  const places = Math.min(position ?? 0, known.length);
  return [
    ...(label !== undefined && label !== field.label ? ['label'] : []),
    ...(position !== undefined && known[places - 1] !== field ? ['position'] : []),
    ...(all !== undefined && JSON.stringify(all) !== JSON.stringify(before) ? ['options'] : []),
    ...(archived !== undefined && (archived === 1) !== field.archived ? ['archived'] : []),
  ];
}

async function storeField(tx: Tx, accountId: number, field: OwnField, info: UpdateInfo): Promise<void> {
  const { label = field.label, archived = field.archived ? 1 : 0 } = info;
  await sql`
    UPDATE custom_field SET label = ${label}, label_key = ${foldHeading(label)},
      archived_at = CASE WHEN ${archived === 1} THEN coalesce(archived_at, now()) END
    WHERE account_id = ${accountId} AND id = ${field.id}`.execute(tx);
}

/** Numbers all fields again. */
async function moveField(
  tx: Tx,
  accountId: number,
  known: readonly OwnField[],
  field: OwnField,
  position: number,
): Promise<void> {
  const ids = known.filter((one) => one !== field).map(({ id }) => id);
  ids.splice(position - 1, 0, field.id);
  await sql`
    UPDATE custom_field SET position = given.place
    FROM unnest(${ids}::integer[]) WITH ORDINALITY AS given (id, place)
    WHERE custom_field.account_id = ${accountId} AND custom_field.id = given.id`.execute(tx);
}

/**
 * Saves the options in the given order; those that are not given are archived, behind the others.
 * @returns 409 where they would be too many
 */
async function saveOptions(tx: Tx, accountId: number, field: OwnField, options: Options): Promise<Problem | null> {
  const stored = await readStoredLabels(tx, accountId, field.id);
  const idOf = new Map(stored.map(({ id, label_key }) => [label_key, id]));
  const kept = options.map((option) => ({ ...option, id: option.id ?? idOf.get(labelKey(option.label)) }));
  const added = kept.filter(({ id }) => id === undefined).map(({ label }) => label);
  if (stored.length + added.length > MAX_FIELD_OPTIONS) return tooManyOptions();
  const rows = kept.flatMap(({ id, label, archived = 0 }, place) =>
    id === undefined ? [] : [{ id, label, label_key: labelKey(label), archived: archived === 1, place }],
  );
  // Names may change places: no key begins with a space.
  const renamed = rows.map(({ id }) => id);
  await sql`
    UPDATE label SET label_key = ' ' || id
    WHERE account_id = ${accountId} AND field_id = ${field.id} AND id = ANY (${renamed}::integer[])`.execute(tx);
  await sql`
    UPDATE label SET label = coalesce(given.label, label.label), label_key = coalesce(given.label_key, label.label_key),
      position = coalesce(given.place, ${MAX_FIELD_OPTIONS}),
      archived_at = CASE WHEN coalesce(given.archived, true) THEN coalesce(label.archived_at, now()) END
    FROM label AS old
    LEFT JOIN jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS given (id integer, label text, label_key text, archived boolean, place smallint) ON given.id = old.id
    WHERE old.account_id = ${accountId} AND old.field_id = ${field.id}
      AND label.account_id = old.account_id AND label.id = old.id`.execute(tx);
  if (added.length === 0) return null;
  const ids = await ensureLabels(tx, accountId, field.id, added);
  if (ids instanceof Problem) return ids;
  const places = kept.flatMap(({ id, label }, place) => ({ id: id ?? ids.get(label), place }));
  await sql`
    UPDATE label SET position = given.place
    FROM jsonb_to_recordset(${JSON.stringify(places)}::jsonb) AS given (id integer, place smallint)
    WHERE label.account_id = ${accountId} AND label.id = given.id`.execute(tx);
  return null;
}
