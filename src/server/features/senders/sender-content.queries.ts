import { asFlag } from '../../platform/as-flag.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows } from '../../platform/database/list-rows.ts';
import { fieldProblem, notFound, type Problem } from '../../platform/problem.ts';
import { readTemplate } from '../mail-content/template.ts';
import { FROM_OF_PROFILE, maySendFrom } from '../sender-addresses/may-send-from.queries.ts';
import type { OwnContent, Person } from './sender.queries.ts';

/** Checks what only the server can: the template and the subject. */
export async function contentProblem(
  tx: Tx,
  accountId: number,
  { template_id, subject, active }: OwnContent,
  path: string,
): Promise<Problem | null> {
  const template = await tx
    .selectFrom('mail_template')
    .select(['archived_at', 'subject'])
    .where('account_id', '=', accountId)
    .where('id', '=', template_id)
    // Keeps the template from being deleted until the sender refers to it.
    .forKeyShare()
    .executeTakeFirst();
  if (!template) return notFound();
  if (template.archived_at !== null && active) return templateArchived(`${path}.template_id`);
  // An inactive sender sends nothing, so its template's subject may be unusable.
  const used = subject ?? (active ? template.subject : null);
  const read = used === null ? null : readTemplate('subject', used);
  if (read && !read.ok) {
    const fault = subject === null ? `テンプレートの件名：${read.fault}` : read.fault;
    return fieldProblem(`${path}.subject`, 'invalid_template', `${fault}。`);
  }
  return null;
}

/** Refuses a changed limit above the operator's. */
export function limitProblem(
  path: string,
  before: Pick<Person, 'mails_per_minute'>,
  { mails_per_minute: wanted }: Pick<Person, 'mails_per_minute'>,
  operatorPerMinute: number | null,
): Problem | null {
  if (wanted === before.mails_per_minute || wanted === null || operatorPerMinute === null) return null;
  if (wanted <= operatorPerMinute) return null;
  const message = `1〜${operatorPerMinute}で入力してください（このサーバーの上限です）。`;
  return fieldProblem(`${path}.mails_per_minute`, 'above_limit', message);
}

export function templateArchived(path: string): Problem {
  const message = 'このテンプレートはアーカイブされています。別のテンプレートを選ぶか、テンプレートを戻してください。';
  return fieldProblem(path, 'template_archived', message);
}

/** Returns whether real mails may leave from a profile's address, as the API's flag. */
export const confirmedFlag = async (tx: Tx, accountId: number, profileId: number) => {
  const { is_confirmed } = await tx
    .selectFrom('sender_profile')
    .select(maySendFrom(FROM_OF_PROFILE).as('is_confirmed'))
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .executeTakeFirstOrThrow();
  return asFlag(is_confirmed);
};

/** Counts a sender's or group's reservations that have not started. Missed ones count: they hold their targets. */
export const countPendingReservations = (
  tx: Tx,
  accountId: number,
  of: { readonly sender_id: number } | { readonly sender_group_id: number },
): Promise<number> =>
  countRows(tx, 'reservation', ownRows('reservation', accountId, { ...of, active: true, is_sent: false }));

/** What to do with the reservations first. They may get another sender of the same group. */
const WAYS_OUT = {
  sender: '先に予約を削除するか、予約の変更でほかのテンプレートを選んでください。',
  group: '先に予約を削除してください',
} as const;

/** Refuses to deactivate what reservations use. */
export const hasReservations = (count: number, of: keyof typeof WAYS_OUT, path = 'update_info.active'): Problem =>
  fieldProblem(path, 'has_reservations', `予約が${count}件あります。${WAYS_OUT[of]}`);
