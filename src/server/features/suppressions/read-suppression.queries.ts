import { sql } from 'kysely';
import type { z } from 'zod';
import type { suppressionNotice } from '#contract/suppressions.ts';
import { SUPPRESSION_CLASS_NAMES } from '#contract/suppressions-names.ts';
import { SUPPRESSION_CLASSES } from '#domain/law/suppression.ts';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';

type Notice = z.output<typeof suppressionNotice>;

/**
 * Reads why the account must not mail an address. Of several reasons the owner's own will comes first.
 * @returns null for an address that it may mail, or for none
 */
export async function readSuppression(tx: Tx, accountId: number, address: string | null): Promise<Notice | null> {
  if (address === null) return null;
  const key = addressKey(address);
  const domain = domainOf(key);
  const { rows } = await sql<Omit<Notice, 'created_at'> & { readonly created_at: Date }>`
    SELECT id, kind, class, source, reason, created_at FROM suppression
    WHERE account_id = ${accountId} AND (kind = 'address' AND value = ${key} OR kind = 'domain' AND value = ${domain})
    ORDER BY array_position(${SUPPRESSION_CLASSES}::text[], class), kind
    LIMIT 1`.execute(tx);
  const [found] = rows;
  if (!found) return null;
  const reason = found.reason || SUPPRESSION_CLASS_NAMES[found.class];
  return { ...found, reason, created_at: formatSecond(found.created_at.getTime()) };
}
