import type { CallAnswer } from '#contract/call.ts';
import type { checkDomainHealth } from '#contract/senders/domain-health.ts';
import type { Finding } from '#domain/dns/health.ts';
import { DOMAIN_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { UrlOf } from '../../platform/http/hosts.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import type { CheckSetup } from './check-domain.ts';
import { loadOwnDomains, type OwnDomain, type StoredFinding, shownDomain, storeCheck } from './domain-check.queries.ts';

export interface CheckParts extends Omit<CheckSetup, 'publicUrl'> {
  readonly urlOf: UrlOf;
  readonly now: () => number;
}

interface Parts extends CheckParts {
  readonly canTest: boolean;
  /** Counts a check of an account. Returns null, or the seconds to wait. */
  readonly rate: (accountId: number) => number | null;
}

/**
 * Checks a domain of the account's senders at a member's request.
 * @returns the domain as the list shows it; 404 for another domain; 429
 */
export async function checkOwnDomain(
  account: AccountDb,
  name: string,
  { rate, canTest, ...parts }: Parts,
): Promise<CallAnswer<typeof checkDomainHealth> | Problem> {
  if ((await account.snapshot((tx) => loadOwn(tx, account, name))) === undefined) return notFound();
  const wait = rate(account.id);
  if (wait !== null) return new Problem('too_many_checks', TOO_MANY, wait);
  const checked = await checkAndStore(account, name, parts);
  return checked === undefined
    ? notFound()
    : shownDomain(checked, { leavesMachine: parts.leavesMachine, canTest, now: parts.now() });
}

const TOO_MANY = `ドメインの確認は1分間に${DOMAIN_CHECKS_PER_MINUTE}回までです。しばらくしてから、もう一度お試しください。`;

const loadOwn = async (tx: Tx, { id }: AccountDb, name: string): Promise<OwnDomain | undefined> =>
  (await loadOwnDomains(tx, id, name))[0];

/**
 * Checks the DNS of a domain of the account's senders, and stores the findings.
 * No transaction is open meanwhile. Where the DNS does not answer, the earlier finding is kept.
 * @returns undefined: no sender has the domain any more
 */
export async function checkAndStore(
  account: AccountDb,
  name: string,
  { now, urlOf, ...setup }: CheckParts,
): Promise<OwnDomain | undefined> {
  // Imported here: mailauth takes 33 MB, and most processes check no domain for hours.
  const { checkDomain } = await import('./check-domain.ts');
  const before = await account.snapshot((tx) => loadOwn(tx, account, name));
  if (before === undefined) return;
  const findings = await checkDomain(name, { ...setup, publicUrl: urlOf(account.id) }, before.paths);
  return account.transaction(async (tx) => {
    const own = await loadOwn(tx, account, name);
    if (own === undefined) return;
    const at = now();
    const result = merged(findings, own.result ?? [], at);
    const hasFailed = findings.some(({ level }) => level === 'unknown');
    return {
      ...own,
      result,
      ...(await storeCheck(tx, { accountId: account.id, domain: name, result, now: at, hasFailed })),
    };
  });
}

/** Stores that a domain could not be checked. Its findings are kept. */
export const storeFault = (account: AccountDb, name: string, now: number): Promise<void> =>
  account.transaction(async (tx) => {
    const own = await loadOwn(tx, account, name);
    if (own === undefined) return;
    await storeCheck(tx, { accountId: account.id, domain: name, result: own.result ?? [], now, hasFailed: true });
  });

/** Keeps the earlier finding of each check whose DNS query failed. */
function merged(findings: readonly Finding[], before: readonly StoredFinding[], at: number): StoredFinding[] {
  return findings.map((finding) => {
    const earlier = before.find(({ check, level }) => check === finding.check && level !== 'unknown');
    return finding.level === 'unknown' && earlier !== undefined ? earlier : { ...finding, at };
  });
}
