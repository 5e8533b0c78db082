import type { CallAnswer } from '#contract/call.ts';
import type { checkDomainHealth } from '#contract/domain-health.ts';
import type { Finding } from '#domain/domain-health.ts';
import { DOMAIN_CHECKS_PER_MINUTE } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import { notFound, Refusal } from '../../platform/refusal.ts';
import type { CheckSetup } from './check-domain.ts';
import { loadOwnDomains, type StoredFinding, shownDomain, storeCheck } from './domain-check.queries.ts';

interface Parts extends CheckSetup {
  readonly leavesMachine: boolean;
  /** Counts a check of an account. It returns null, or the seconds to wait. */
  readonly rate: (accountId: number) => number | null;
  readonly now: () => number;
}

/**
 * Asks the DNS about a domain of the account's senders, and stores what it says.
 * No transaction is open while the DNS is asked. What it does not answer keeps its earlier finding.
 * @returns the domain as the list shows it; 404 for a domain of no sender; 429
 */
export async function checkOwnDomain(
  account: AccountDb,
  name: string,
  { rate, now, leavesMachine, ...setup }: Parts,
): Promise<CallAnswer<typeof checkDomainHealth> | Refusal> {
  const load = () => account.snapshot(async (tx) => (await loadOwnDomains(tx, account.id, name))[0]);
  if ((await load()) === undefined) return notFound();
  const wait = rate(account.id);
  if (wait !== null) return new Refusal(429, 'too_many_checks', TOO_MANY, wait);
  // Imported here: mailauth takes 33 MB, and most processes check no domain for hours.
  const { checkDomain } = await import('./check-domain.ts');
  const findings = await checkDomain(name, setup);
  return account.transaction(async (tx) => {
    const [own] = await loadOwnDomains(tx, account.id, name);
    if (own === undefined) return notFound();
    const at = now();
    const result = merged(findings, own.result ?? [], at);
    const hasFailed = findings.some(({ level }) => level === 'unknown');
    const times = await storeCheck(tx, { accountId: account.id, domain: name, result, now: at, hasFailed });
    return shownDomain({ ...own, result, ...times }, { leavesMachine, now: at });
  });
}

const TOO_MANY = `ドメインの確認は1分間に${DOMAIN_CHECKS_PER_MINUTE}回までです。しばらくしてから、もう一度お試しください。`;

/** Keeps the earlier finding of each check that the DNS did not answer now. */
function merged(findings: readonly Finding[], before: readonly StoredFinding[], at: number): StoredFinding[] {
  return findings.map((finding) => {
    const earlier = before.find(({ check, level }) => check === finding.check && level !== 'unknown');
    return finding.level === 'unknown' && earlier !== undefined ? earlier : { ...finding, at };
  });
}
