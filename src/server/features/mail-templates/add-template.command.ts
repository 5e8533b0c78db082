import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { addMailTemplate } from '#contract/templates/mail-templates-list.ts';
import { MAX_TEMPLATES } from '#domain/limits.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows } from '../../platform/database/list-rows.ts';
import { lockAccount, lockGroups } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { readOwnKeys } from '../mail-content/merge-values.queries.ts';
import { choosePairs, newPairsProblem } from '../senders/pairs.command.ts';
import { BLANK_TEMPLATE, sampleOf } from './samples.ts';
import { contentOf, loadTemplate, type TemplateContent } from './template.queries.ts';
import { partsOf, templateFaults } from './template-faults.ts';
import { hasFolder } from './template-list.queries.ts';

type AddInfo = z.output<(typeof addMailTemplate)['body']>['add_info'];

/** Adds a template, in a transaction of the caller. @returns 400 for a subject or copy with a fault, 404 or 409 */
export async function addTemplate(
  tx: Tx,
  member: MemberDb,
  info: AddInfo,
): Promise<CallAnswer<typeof addMailTemplate> | Problem> {
  const { id: accountId, memberId } = member;
  await lockAccount(tx, accountId);
  const { folder_id = null, sender_profile_ids: profiles = [] } = info;
  if (folder_id !== null && !(await hasFolder(tx, accountId, folder_id))) return notFound();
  const source = await sourceOf(tx, accountId, info);
  if (!source) return notFound();
  const content: TemplateContent = {
    ...source,
    name: info.name.trim(),
    subject: info.subject?.trim() ?? source.subject,
  };
  const [fault] = templateFaults(partsOf(content), await readOwnKeys(tx, accountId));
  if (fault) {
    // A copied template may be older than a rule.
    const field = fault.path === 'subject' && info.subject !== undefined ? 'subject' : 'copy_of';
    return fieldProblem(`add_info.${field}`, 'invalid_template', `${fault.message}。`);
  }
  const templates = await countRows(tx, 'mail_template', ownRows('mail_template', accountId));
  if (templates >= MAX_TEMPLATES) return tooManyTemplates();
  if (profiles.length > 0) await lockGroups(tx, accountId);
  const problem = await newPairsProblem(tx, member, profiles);
  if (problem) return problem;
  const { id } = await tx
    .insertInto('mail_template')
    .values({ account_id: accountId, member_id: memberId, folder_id, ...content })
    .returning('id')
    .executeTakeFirstOrThrow();
  const detail = { template_id: id, name: content.name };
  await recordAudit(tx, { accountId, memberId, kind: 'template_added', detail });
  const refused = await choosePairs(tx, member, { template_id: id }, profiles, 'add_info.sender_profile_ids');
  // A returned problem would keep the template, so newPairsProblem must refuse everything that choosePairs does.
  if (refused) throw new Error(`the profiles of the new template ${id} were refused: ${refused.code}`);
  return { status: 'added', id };
}

/** Returns a new template's initial content. @returns undefined if the template to copy does not exist */
async function sourceOf(tx: Tx, accountId: number, { sample, copy_of }: AddInfo): Promise<TemplateContent | undefined> {
  if (sample !== undefined) return sampleOf(sample);
  if (copy_of === undefined) return BLANK_TEMPLATE;
  const copied = await loadTemplate(tx, accountId, copy_of);
  return copied && contentOf(copied);
}

const tooManyTemplates = () =>
  new Problem(
    'too_many_templates',
    `テンプレートは、アーカイブしたものも合わせて${MAX_TEMPLATES}までです。使わないテンプレートを書き換えて使ってください。`,
  );
