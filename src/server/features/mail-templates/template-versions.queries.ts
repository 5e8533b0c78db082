import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { pageOf } from '../../platform/database/list-rows.ts';
import type { ListPage, ListWindow } from '../../platform/http/answers.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import type { TemplateContent } from './template.queries.ts';

const versionsOf = (tx: Tx, accountId: number, templateId: number) =>
  tx
    .selectFrom('mail_template_version as version')
    .leftJoin('member', (join) =>
      join.onRef('member.account_id', '=', 'version.account_id').onRef('member.id', '=', 'version.member_id'),
    )
    .where('version.account_id', '=', accountId)
    .where('version.template_id', '=', templateId);

/** Lists the versions of a template, newest first. @returns 404 for an unknown template */
export const listVersions = (account: AccountDb, templateId: number, window: ListWindow) =>
  account.snapshot(async (tx): Promise<ListPage<VersionRow> | Problem> => {
    const rows = await versionsOf(tx, account.id, templateId)
      .select(['number', 'version.name', 'subject', 'at', 'member.name as member'])
      .orderBy('number', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const count = async () => {
      const { versions } = await versionsOf(tx, account.id, templateId)
        .select(({ fn }) => fn.countAll<number>().as('versions'))
        .executeTakeFirstOrThrow();
      return versions;
    };
    const shown = rows.map((row) => ({ ...row, at: formatSecond(row.at.getTime()) }));
    const page = await pageOf(shown, window, count);
    // Every template has a version.
    return page.total === 0 ? notFound() : page;
  });

interface VersionRow {
  readonly number: number;
  readonly name: string;
  readonly subject: string;
  readonly at: string;
  readonly member: string | null;
}

/** Reads the content of one version, with who saved it, and when. */
export async function loadVersion(tx: Tx, accountId: number, templateId: number, number: number) {
  const version = await versionsOf(tx, accountId, templateId)
    .select(['number', 'version.name', 'subject', 'text_body', 'html_body', 'editor', 'text_follows', 'at'])
    .select('member.name as member')
    .where('number', '=', number)
    .executeTakeFirst();
  // Copied from the template, whose CHECK allows only these values.
  return version && { ...version, editor: version.editor as TemplateContent['editor'] };
}

/** Shows one version. @returns 404 for an unknown template or version */
export const showVersion = (account: AccountDb, templateId: number, number: number) =>
  account.snapshot(async (tx) => {
    const version = await loadVersion(tx, account.id, templateId, number);
    if (!version) return notFound();
    return { ...version, text_follows: asFlag(version.text_follows), at: formatSecond(version.at.getTime()) };
  });
