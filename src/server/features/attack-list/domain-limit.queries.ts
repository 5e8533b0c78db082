import { sql } from 'kysely';
import {
  crowdedDomains,
  type DomainLimit,
  NO_DOMAIN_LIMIT,
  SHARED_DOMAIN_COMPANIES,
} from '#domain/sending/rules/domain-limit.ts';
import type { Db } from '../../platform/database/db.ts';
import { someInDomain } from './chosen-address.queries.ts';

/**
 * Reads the mails per domain that limit a run to these companies. Looks up only domains that more companies have than
 * the limit, and counts up to the limit.
 * @param emails of the companies that may be mailed
 */
export async function readDomainLimit(
  db: Db,
  accountId: number,
  emails: readonly string[],
  perDomain: number,
): Promise<DomainLimit> {
  if (perDomain === 0) return NO_DOMAIN_LIMIT;
  const domains = crowdedDomains(emails, perDomain);
  if (domains.length === 0) return { perDomain, shared: new Set() };
  const { rows } = await sql<{ domain: string }>`
    SELECT domain FROM unnest(${domains}::text[]) AS crowded (domain)
    CROSS JOIN LATERAL (
      SELECT count(*) AS companies
      FROM (${someInDomain(accountId, sql`domain COLLATE "C"`, SHARED_DOMAIN_COMPANIES)}) AS known
    ) AS counted
    WHERE companies = ${sql.lit(SHARED_DOMAIN_COMPANIES)}`.execute(db);
  return { perDomain, shared: new Set(rows.map(({ domain }) => domain)) };
}
