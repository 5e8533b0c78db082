import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { checkDomainHealth, listDomainHealth } from '#contract/senders/domain-health.ts';
import { domainState, type Finding } from '#domain/dns/health.ts';
import { DOMAIN_TEST_LATE_MS, type DomainTestState, type TestFinding } from '#domain/dns/test-mail.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { HOUR_MS, MINUTE_MS } from '#domain/time-units.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { DomainPath } from './check-domain.ts';

/** A domain's last test mail, as stored. All fields are null where none was sent. */
interface StoredTest {
  readonly sent_at: Date | null;
  readonly waits: boolean | null;
  readonly test_result: readonly TestFinding[] | null;
  readonly arrived_at: Date | null;
}

/** A finding as stored. */
export type StoredFinding = Finding & {
  /** Epoch milliseconds at which the DNS answered. */
  readonly at: number;
};

/** A domain of the account's senders, with the last check and the last test mail. */
export interface OwnDomain extends StoredTest {
  readonly domain: string;
  readonly senders: number;
  /** How its senders' mails leave. */
  readonly paths: readonly DomainPath[];
  /** null: never checked. */
  readonly result: readonly StoredFinding[] | null;
  readonly checked_at: Date | null;
  readonly failed_at: Date | null;
}

/** The domain of the address of a row of `sender_profile`. */
export const senderDomain = sql<string>`lower(substring(sender_profile.email FROM '[^@]*$') COLLATE "C")`;

export const sendersInUse = sql`
  sender
  JOIN sender_profile ON sender_profile.account_id = sender.account_id AND sender_profile.id = sender.profile_id
  JOIN sender_group
    ON sender_group.account_id = sender.account_id AND sender_group.id = sender.sender_group_id
    AND sender.active AND sender_group.active`;

/** The mailbox by which a sender's mails leave, if they do. */
const ownMailbox = sql`
  LEFT JOIN mailbox ON mailbox.account_id = sender_profile.account_id AND mailbox.id = sender_profile.mailbox_id`;
const usedPaths = sql`array_agg(DISTINCT coalesce(mailbox.kind, 'relay'))`;

interface DomainWindow {
  readonly limit: number;
  readonly offset: number;
}

/** The domains of the account's senders that are in use. @param only this domain; undefined: all */
const ownDomains = (accountId: number, only: string | undefined) => sql`
  SELECT ${senderDomain} AS domain, count(DISTINCT sender_profile.id)::int AS senders,
    ${usedPaths} AS paths
  FROM ${sendersInUse} ${ownMailbox}
  WHERE sender.account_id = ${accountId} AND (${only ?? null}::text IS NULL OR ${senderDomain} = ${only ?? null})
  GROUP BY 1`;

/** Lists the domains that most senders in use have, of all accounts, and counts all. As kaitaku_service. */
export async function listDomainsInUse(db: Db, limit: number) {
  const { rows } = await sql<Pick<OwnDomain, 'domain' | 'paths'> & { readonly total: number }>`
    SELECT ${senderDomain} AS domain, ${usedPaths} AS paths, (count(*) OVER ())::integer AS total
    FROM ${sendersInUse} ${ownMailbox}
    GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${limit}`.execute(db);
  return { domains: rows, total: rows[0]?.total ?? 0 };
}

/** Reads a page of the domains of the account's senders by name. */
export async function loadOwnDomains(
  tx: Tx,
  accountId: number,
  only: string | undefined,
  { limit, offset }: DomainWindow = { limit: 1, offset: 0 },
): Promise<OwnDomain[]> {
  const { rows } = await sql<OwnDomain>`
    SELECT own.domain, own.senders, own.paths, domain_check.result, domain_check.checked_at, domain_check.failed_at,
      domain_test.sent_at, domain_test.waits, domain_test.result AS test_result, domain_test.arrived_at
    FROM (${ownDomains(accountId, only)} ORDER BY 1 LIMIT ${limit} OFFSET ${offset}) AS own
    LEFT JOIN domain_check ON domain_check.account_id = ${accountId} AND domain_check.domain = own.domain
    LEFT JOIN domain_test ON domain_test.account_id = ${accountId} AND domain_test.domain = own.domain
    ORDER BY own.domain COLLATE "C"`.execute(tx);
  return rows;
}

/** Lists the domains of the account's senders by name. */
export const listDomains = (
  account: AccountDb,
  { where_info, columns, ...window }: z.output<(typeof listDomainHealth)['query']>,
  shown: ShownParts,
) =>
  account.snapshot(async (tx) => {
    const page = await loadOwnDomains(tx, account.id, where_info?.domain, window);
    const rows = page.map((domain) => pickColumns(shownDomain(domain, shown), columns));
    return pageOf(rows, window, async () => {
      const { rows: found } = await sql<{ count: number }>`
        SELECT count(*)::int AS count FROM (${ownDomains(account.id, where_info?.domain)}) AS own`.execute(tx);
      return onlyRow(found).count;
    });
  });

export interface ShownParts {
  /** false: mails go to the mail catcher, where the DNS is irrelevant. */
  readonly leavesMachine: boolean;
  /** Whether test mails can be sent to our own inbox. */
  readonly canTest: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** After this time a check is repeated: a fault may be repaired by then. */
const FRESH_MS = HOUR_MS;
const FAULTY_MS = 5 * MINUTE_MS;

/** Returns a domain as the API shows it. */
export function shownDomain(
  own: OwnDomain,
  { leavesMachine, canTest, now }: ShownParts,
): CallAnswer<typeof checkDomainHealth> {
  const { domain, senders, paths, result, checked_at, failed_at } = own;
  const findings = result ?? [];
  const state = domainState(findings);
  const holdsMs = state === 'good' && failed_at === null ? FRESH_MS : FAULTY_MS;
  return {
    domain,
    senders,
    state,
    is_due: asFlag(checked_at === null || now - checked_at.getTime() >= holdsMs),
    needs_acknowledgement: asFlag(state === 'bad' && (leavesMachine || paths.some((path) => path !== 'relay'))),
    checked_at: checked_at && formatSecond(checked_at.getTime()),
    failed_at: failed_at && formatSecond(failed_at.getTime()),
    checks: findings.map(({ at, found, ...finding }) => ({
      ...finding,
      found: [...found],
      checked_at: formatSecond(at),
    })),
    self_test: shownTest(own, { canSend: canTest, now }),
  };
}

interface Check {
  readonly accountId: number;
  readonly domain: string;
  readonly result: readonly StoredFinding[];
  readonly now: number;
  readonly hasFailed: boolean;
}

/** Stores a check, and replaces the one before. */
export async function storeCheck(tx: Tx, { accountId, domain, result, now, hasFailed }: Check) {
  const at = new Date(now);
  const values = { result: JSON.stringify(result), checked_at: at, failed_at: hasFailed ? at : null };
  const rows = await tx
    .insertInto('domain_check')
    .values({ account_id: accountId, domain, ...values })
    .onConflict((conflict) => conflict.columns(['account_id', 'domain']).doUpdateSet(values))
    .returning(['checked_at', 'failed_at'])
    .execute();
  return onlyRow(rows);
}

/** Returns the test mail of a domain as the API shows it. @param canSend false: our inbox receives no mail */
function shownTest(
  { sent_at, waits, test_result, arrived_at }: StoredTest,
  { canSend, now }: { readonly canSend: boolean; readonly now: number },
): CallAnswer<typeof checkDomainHealth>['self_test'] {
  const arrivedAt = arrived_at && formatSecond(arrived_at.getTime());
  const isLate = sent_at !== null && now - sent_at.getTime() >= DOMAIN_TEST_LATE_MS;
  const state = waits ? (isLate ? 'late' : 'waiting') : stateAtRest(canSend, arrived_at);
  return {
    state,
    sent_at: sent_at && formatSecond(sent_at.getTime()),
    arrived_at: arrivedAt,
    checks: (test_result ?? []).map(({ found, ...finding }) => ({
      ...finding,
      found: [...found],
      checked_at: arrivedAt ?? '',
    })),
  };
}

function stateAtRest(canSend: boolean, arrivedAt: Date | null): DomainTestState {
  if (arrivedAt !== null) return 'arrived';
  return canSend ? 'none' : 'off';
}
