import { type Expression, type SqlBool, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type {
  ListedTarget,
  viewLeftOut as leftOutCall,
  previewAttackList as previewCall,
} from '#contract/companies/attack-list.ts';
import type { ProspectSort } from '#contract/companies/prospects-filter.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { LEFT_OUT_REASONS, type LeftOutReason, resendCutoff } from '#domain/sending/eligibility.ts';
import { listJudge } from '#domain/sending/rules/domain-limit.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { DefineList } from '../prospects/list/filtered-list.queries.ts';
import { type FilteredPage, readList } from '../prospects/list/list.queries.ts';
import type { Access } from '../prospects/list/membership.queries.ts';
import { type OwnColumns, withOwnCells } from '../prospects/list/own-columns.queries.ts';
import type { CheckedFilter } from '../prospects/list/own-condition.queries.ts';
import { filterCondition, isEmptyFilter } from '../prospects/list/prospect-filter.queries.ts';
import { isOwnGroup } from '../prospects/list/sender-group.queries.ts';
import { hasStatus, type SendingStatus } from '../prospects/list/sending-status.queries.ts';
import { type AccountRule, readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { readPlan } from '../sending-rules/plan.queries.ts';
import { defineAttackList } from './attack-list-definition.queries.ts';
import { chosenPerson, greeted, mailAddress } from './chosen-address.queries.ts';
import { readDomainLimit } from './domain-limit.queries.ts';
import type { EligibilityScope } from './eligibility.queries.ts';
import { readSendTo } from './follow-up.queries.ts';
import { type RecentlySent, readFirstRelease } from './next-target.queries.ts';

export interface AttackListSettings {
  readonly filter: CheckedFilter;
  /** The own columns that the rows carry. */
  readonly columns?: OwnColumns;
  readonly status?: SendingStatus | undefined;
  readonly sort: ProspectSort;
  readonly daysFromLastday: number;
  /** The run that the mails follow up; undefined: they are first mails. */
  readonly followUpOf?: number | undefined;
  /** Where the mails would go; undefined: as those that they follow up, else to the companies. */
  readonly sendTo?: SendTo | undefined;
  readonly limit: number;
  /** The sender for whom the send days are planned. */
  readonly senderId?: number | undefined;
  /** When the planned sending starts, in epoch milliseconds; undefined: now. */
  readonly sendAt?: number | undefined;
  /** Lists exactly these companies, in this order, without filter, status, sort or limit. */
  readonly chosen?: readonly number[] | undefined;
}

async function readScope(
  tx: Tx,
  accountId: number,
  senderGroupId: number,
  settings: AttackListSettings,
  { now, rule }: { readonly now: number; readonly rule: AccountRule },
): Promise<EligibilityScope> {
  const { daysFromLastday, followUpOf } = settings;
  const cutoff = new Date(resendCutoff(now, daysFromLastday));
  const sendTo = await readSendTo(tx, accountId, settings);
  return { accountId, senderGroupId, sendTo, cutoff, followUpOf, acrossGroups: rule.across_groups === 1 };
}

/** Selects the account's prospects that pass the filter. */
const conditionOf =
  (scope: EligibilityScope, { filter, status }: AttackListSettings) =>
  (access: Access): Expression<SqlBool> =>
    sql<SqlBool>`(${filterCondition(scope.accountId, filter, access)}
      AND ${hasStatus(scope, status, sql.ref('prospect.id'))})`;

/**
 * Reads the first eligible prospects, and counts those that pass the filter but are left out, by reason.
 * The rows and all counts are empty for a sender group of another account. A list without targets names the time from
 * which the re-send interval releases its first company.
 * @param now epoch milliseconds
 */
export async function previewAttackList(
  account: AccountDb,
  senderGroupId: number,
  settings: AttackListSettings,
  now: number,
): Promise<CallAnswer<typeof previewCall>> {
  const { scope, recent, preview } = await readPreview(account, senderGroupId, settings, now);
  if (preview.eligible > 0 || preview.left_out.recently_sent === 0) return preview;
  const last = await readFirstRelease(account, scope, recent);
  return last === null ? preview : { ...preview, next_at: formatMinute(last + settings.daysFromLastday * DAY_MS) };
}

function readPreview(account: AccountDb, senderGroupId: number, settings: AttackListSettings, now: number) {
  const { filter, status, sort, limit, senderId, sendAt = null } = settings;
  return account.snapshot(async (tx) => {
    const rule = await readAccountRule(tx, account.id);
    const scope = await readScope(tx, account.id, senderGroupId, settings, { now, rule });
    const define = defineAttackList(scope, conditionOf(scope, settings), {
      isOfAll: isEmptyFilter(filter) && status === undefined,
    });
    const chosen = settings.chosen && (await readChosen(tx, scope, settings.chosen));
    const { ids, total, leftOut } = chosen
      ? listOfChosen(chosen)
      : await readList(tx, scope, { kind: 'filtered', define }, { sort, offset: 0, limit });
    const counts = LEFT_OUT_REASONS.map((reason) => [reason, leftOut[reason] ?? 0] as const);
    const items = await readItems(tx, scope, ids);
    const rows = await withOwnCells(tx, account.id, settings.columns, items, ({ prospect_id }) => prospect_id);
    const emails = rows.map(({ company_email }) => company_email);
    const { perDomain, shared } = await readDomainLimit(tx, account.id, emails, rule.per_domain);
    const judge = listJudge({ perDomain, shared });
    const mails = emails.filter((email) => judge(email) === null).length;
    const plan = senderId && (await readPlan(tx, { ...scope, senderId }, mails, now, sendAt));
    const preview = {
      rows,
      matched: counts.reduce((sum, [, count]) => sum + count, total),
      eligible: total,
      left_out: Object.fromEntries(counts) as Record<LeftOutReason, number>,
      ...(perDomain > 0 && { domain_rule: { per_domain: perDomain, shared_domains: [...shared] } }),
      ...(plan && { plan: [...plan] }),
    };
    const recent: RecentlySent = chosen ? (chosen.get('recently_sent') ?? []) : define('lookup');
    return { scope, recent, preview };
  });
}

/** Chosen companies by left-out reason; null: mailable. Each set keeps the order of the choice. */
type ChosenByReason = ReadonlyMap<LeftOutReason | null, readonly number[]>;

/**
 * Returns the chosen companies by left-out reason. They are few, so each is looked up. Repeated ids, archived companies
 * and those of another account are missing.
 */
async function readChosen(tx: Tx, scope: EligibilityScope, chosen: readonly number[]): Promise<ChosenByReason> {
  const condition = sql<SqlBool>`prospect.account_id = ${scope.accountId} AND prospect.id = any(${chosen}::bigint[])`;
  const { prospects, leftOut } = defineAttackList(scope, () => condition)('lookup');
  const listed = prospects
    .select(['prospect.id', sql`${leftOut.reason(leftOut.facts)}`.as('reason')])
    .where(isOwnGroup(scope));
  const { rows } = await sql<{ id: number; reason: LeftOutReason | null }>`
    SELECT id, reason FROM (${listed}) AS listed`.execute(tx);
  const reasons = new Map(rows.map(({ id, reason }) => [id, reason]));
  const ids = [...new Set(chosen)].filter((id) => reasons.has(id));
  return Map.groupBy(ids, (id) => reasons.get(id) ?? null);
}

function listOfChosen(chosen: ChosenByReason): FilteredPage<LeftOutReason> {
  const ids = [...(chosen.get(null) ?? [])];
  const leftOut = LEFT_OUT_REASONS.map((reason) => [reason, chosen.get(reason)?.length ?? 0] as const);
  return { ids, total: ids.length, leftOut: Object.fromEntries(leftOut) };
}

/** Reads prospects in the order of the ids. Prospects deleted meanwhile are missing. */
async function readItems(
  db: Db,
  { accountId, senderGroupId, sendTo }: EligibilityScope,
  ids: readonly number[],
): Promise<ListedTarget[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('prospect')
    .leftJoin('contact_state as contact', (join) =>
      join
        .on('contact.account_id', '=', accountId)
        .on('contact.sender_group_id', '=', senderGroupId)
        .onRef('contact.prospect_id', '=', 'prospect.id'),
    )
    .select(['prospect.id', 'company_name', 'ceo', 'contact.last_sent_at'])
    .select([mailAddress(sendTo).as('mail_to'), chosenPerson(sendTo).as('person')])
    .where('prospect.account_id', '=', accountId)
    .where('prospect.id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();
  const items = new Map(
    rows.map(({ id, company_name, mail_to, ceo, person, last_sent_at }) => [
      id,
      {
        prospect_id: id,
        company_name,
        company_email: mail_to ?? '',
        person_in_charge: greeted(person, ceo),
        sent_at: last_sent_at && formatMinute(last_sent_at.getTime()),
        person,
      },
    ]),
  );
  return ids.flatMap((id) => items.get(id) ?? []);
}

interface LeftOutPage extends AttackListSettings {
  readonly reason: LeftOutReason;
  readonly offset: number;
}

/**
 * Reads a page of the prospects that the preview counts under a left-out reason. It is empty for a sender group of
 * another account.
 * @param now epoch milliseconds
 */
export function listLeftOut(
  account: AccountDb,
  senderGroupId: number,
  page: LeftOutPage,
  now: number,
): Promise<CallAnswer<typeof leftOutCall>> {
  const { reason, sort, offset, limit, chosen } = page;
  return account.snapshot(async (tx) => {
    const rule = await readAccountRule(tx, account.id);
    const scope = await readScope(tx, account.id, senderGroupId, page, { now, rule });
    const attackList = defineAttackList(scope, conditionOf(scope, page));
    const define: DefineList = (access) => {
      const { prospects, leftOut } = attackList(access);
      return { prospects: prospects.where(leftOut.reason(leftOut.facts), '=', reason) };
    };
    if (chosen) {
      const ids = (await readChosen(tx, scope, chosen)).get(reason) ?? [];
      return { rows: await readItems(tx, scope, ids.slice(offset, offset + limit)), total: ids.length };
    }
    const { ids, total } = await readList(tx, scope, { kind: 'filtered', define }, { sort, offset, limit });
    return { rows: await readItems(tx, scope, ids), total };
  });
}
