import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailTemplate } from '#contract/templates/mail-templates.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockGroups } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { readOwnKeys } from '../mail-content/merge-values.queries.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { choosePairs } from '../senders/pairs.command.ts';
import {
  contentOf,
  inOrder,
  type LoadedTemplate,
  loadTemplate,
  loadTemplateState,
  type SavedContent,
  versionOf,
} from './template.queries.ts';
import { faultsProblem, partsOf, templateFaults } from './template-faults.ts';
import { loadVersion } from './template-versions.queries.ts';

type Body = z.output<(typeof updateMailTemplate)['body']>;
type Answer = CallAnswer<typeof updateMailTemplate>;

/**
 * Saves a template that passes the check, unless it has changed since `version`.
 * A repeated save of the same content succeeds without a change.
 * @returns the new version; 400 with the faults of the template; 404; or 409 for a change since `version`
 */
export async function updateTemplate(
  account: MemberDb,
  id: number,
  { version, update_info: info }: Body,
): Promise<Answer | Problem> {
  const ownKeys = await account.snapshot(async (tx) =>
    (await loadTemplate(tx, account.id, id)) ? readOwnKeys(tx, account.id) : null,
  );
  // The 404 comes before the check, so that a fault reveals no template of another account.
  if (!ownKeys) return notFound();
  const subjects = info.senders.map((sender) => ({ id: sender.id, own_subject: sender.subject?.trim() ?? null }));
  const bodies = { text_body: withLf(info.text_body), html_body: withLf(info.html_body) };
  // An omitted subject was checked when it was saved.
  const { subject = 'unchanged' } = info;
  const faults = templateFaults(partsOf({ ...bodies, subject }, subjects), ownKeys);
  if (faults.length > 0) return faultsProblem(faults.map((fault) => ({ ...fault, path: `update_info.${fault.path}` })));
  const { sender_profile_ids } = info;
  const choosesSenders = subjects.length > 0 || sender_profile_ids !== undefined;
  return saveContent(account, id, { version, choosesSenders }, (stored) => {
    if (subjects.some((sender) => stored.senders.every((known) => known.id !== sender.id))) return notFound();
    return {
      name: info.name.trim(),
      subject: info.subject?.trim() ?? stored.subject,
      ...bodies,
      editor: info.editor ?? stored.editor,
      text_follows: info.text_follows === undefined ? stored.text_follows : info.text_follows === 1,
      senders: stored.senders.map(({ id: senderId, own_subject }) => ({
        id: senderId,
        own_subject: (subjects.find((given) => given.id === senderId) ?? { own_subject }).own_subject,
      })),
      sender_profile_ids: sender_profile_ids === undefined ? stored.sender_profile_ids : inOrder(sender_profile_ids),
    };
  });
}

/** Mails are composed from LF line ends. */
const withLf = (text: string): string => text.replace(/\r\n?/g, '\n');

interface Save {
  /** The version that the client read. */
  readonly version: string;
  /** The number of the restored version. */
  readonly restored?: number;
  /** The save may change senders, so it locks out reservations and other changes of senders. */
  readonly choosesSenders?: boolean;
}

/**
 * Replaces the content of a template, unless it has changed since `version`.
 * @param wantedOf makes the new content from the stored one, or refuses
 */
const saveContent = (
  account: MemberDb,
  id: number,
  { version, restored, choosesSenders = false }: Save,
  wantedOf: (stored: LoadedTemplate, tx: Tx) => SavedContent | Problem | Promise<SavedContent | Problem>,
): Promise<Answer | Problem> =>
  account.transaction(async (tx) => {
    if (choosesSenders) await lockGroups(tx, account.id);
    const stored = await loadTemplate(tx, account.id, id, { lock: true });
    if (!stored) return notFound();
    const wanted = await wantedOf(stored, tx);
    if (wanted instanceof Problem) return wanted;
    const before = versionOf(stored);
    // A client that lost the first answer repeats its request: the content is already stored.
    if (versionOf(wanted) === before) return answerOf(tx, account.id, stored);
    if (version !== before) return templateChanged(tx, account.id, stored);
    const problem = choosesSenders ? await chooseSenders(tx, account, stored, wanted) : null;
    if (problem) return problem;
    const updated_at = await write(tx, account, stored, wanted);
    const detail = { template_id: id, ...(restored !== undefined && { restored_version: restored }) };
    await recordAudit(tx, { accountId: account.id, memberId: account.memberId, kind: 'template_changed', detail });
    // Read again under the locks of all groups. A colleague may have changed senders before them, and the client must
    // not get the version of unseen changes.
    const saved = choosesSenders ? await loadTemplate(tx, account.id, id) : undefined;
    return answerOf(tx, account.id, saved ?? { ...stored, ...wanted, updated_at });
  });

async function answerOf(
  tx: Tx,
  accountId: number,
  saved: SavedContent & Pick<LoadedTemplate, 'id' | 'updated_at'>,
): Promise<Answer> {
  const { id, updated_at } = saved;
  const { number, reservations } = await loadTemplateState(tx, accountId, id);
  const at = formatSecond(updated_at.getTime());
  return { status: 'updated', id, version: versionOf(saved), number, updated_at: at, reservations };
}

/** Assigns the chosen profiles to the template, while all groups are locked. @returns why nothing is saved */
const chooseSenders = async (tx: Tx, account: MemberDb, stored: LoadedTemplate, wanted: SavedContent) =>
  duplicateSubject(stored, wanted) ??
  (await groupProblem(tx, account, 'sender', changedSenders(stored, wanted))) ??
  choosePairs(tx, account, { template_id: stored.id }, wanted.sender_profile_ids, 'update_info.sender_profile_ids');

/** Returns the senders whose own subject changes. */
const changedSenders = (stored: LoadedTemplate, { senders }: SavedContent): number[] =>
  senders.flatMap(({ id, own_subject }) =>
    stored.senders.some((known) => known.id === id && known.own_subject === own_subject) ? [] : [id],
  );

/** Refuses the same subject for two active senders of a profile: they would be identical. */
function duplicateSubject(stored: LoadedTemplate, { senders }: SavedContent): Problem | null {
  const ownOf = new Map(senders.map(({ id, own_subject }) => [id, own_subject]));
  const keys = stored.senders
    .filter(({ active }) => active)
    .map(({ id, profile_id }) => `${profile_id} ${ownOf.get(id) ?? ''}`);
  if (new Set(keys).size === keys.length) return null;
  const message = '同じ差出人に、同じ件名は付けられません。どちらかの件名を変えてください。';
  return fieldProblem('update_info.senders', 'sender_exists', message);
}

/** Names who last changed the template or one of its senders. */
async function templateChanged(tx: Tx, accountId: number, { id, updated_at }: LoadedTemplate): Promise<Problem> {
  const { updated_by } = await loadTemplateState(tx, accountId, id);
  const who = updated_by === null ? 'ほかの人' : `${updated_by}さん`;
  return new Problem(
    'template_changed',
    `このテンプレートは、${who}が${timeInSentence(updated_at.getTime(), Date.now())}に変更しました。最新の内容を確認してから、保存し直してください。`,
  );
}

async function write(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  stored: LoadedTemplate,
  wanted: SavedContent,
): Promise<Date> {
  const { senders, ...content } = wanted;
  const ids = new Set(changedSenders(stored, wanted));
  const changed = senders.filter(({ id }) => ids.has(id));
  // Senders may swap subjects, which active ones of a profile must not share. So all are deactivated first.
  const active = await switchOff(tx, accountId, [...ids]);
  for (const { id, own_subject } of changed) {
    await tx
      .updateTable('sender')
      .set({ subject: own_subject, active: active.has(id), member_id: memberId, updated_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .execute();
  }
  const { updated_at } = await tx
    .updateTable('mail_template')
    .set({ ...contentOf(content), member_id: memberId, updated_at: sql<Date>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', stored.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  return updated_at;
}

/** @returns the ids of those that were active */
async function switchOff(tx: Tx, accountId: number, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    UPDATE sender SET active = false
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND active RETURNING id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Saves the content of a version as the newest version. Senders' own subjects are kept.
 * @returns as a save; 404 for an unknown template or version
 */
export const restoreVersion = (account: MemberDb, id: number, number: number, version: string) =>
  saveContent(account, id, { version, restored: number }, async (stored, tx) => {
    const chosen = await loadVersion(tx, account.id, id, number);
    if (!chosen) return notFound();
    const faults = templateFaults(partsOf(chosen), await readOwnKeys(tx, account.id));
    if (faults.length > 0) return faultsProblem(faults);
    const { senders, sender_profile_ids } = stored;
    return { ...contentOf(chosen), senders, sender_profile_ids };
  });
