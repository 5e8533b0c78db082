import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { hashOf } from '../../suppressions/suppression-hash.queries.ts';
import type { Receipt, ReceiptContact } from './receipts.ts';

/*
 * Receipts whose address was erased (decisions/receipts). The row of the erasure (`erased_address`) is younger than the
 * claim of such a mail, so a database that has the row has all that the receipt proves.
 */

/** A receipt of a real mail. Only these are compared: a test mail that is sent twice harms nobody. */
export type ComparedReceipt = Receipt & { readonly contact: ReceiptContact };

export const isCompared = (receipt: Receipt): receipt is ComparedReceipt => receipt.contact !== null;

const addressOf = ({ contact }: Receipt) => (contact && 'address' in contact ? contact.address : null);
const hexOf = ({ contact }: Receipt) => (contact && 'addressHash' in contact ? contact.addressHash : null);

/**
 * Receipts as rows, with their accounts as `account`; for what follows FROM.
 * `place` counts from 1; the address is NULL, and `hex` is not, where it was replaced by its hash.
 */
export const receiptRows = (receipts: readonly Receipt[]): RawBuilder<unknown> => {
  const column = (of: (receipt: Receipt) => number | string | null) => receipts.map(of);
  return sql`
    (SELECT account_id, id, claim_no, message_id, attempts, reply, at, claimed_at, sender_group_id, prospect_id, hex,
      address, lower(address COLLATE "C") AS address_key, place
    FROM unnest(${column(({ accountId }) => accountId)}::bigint[], ${column(({ id }) => id)}::bigint[],
      ${column(({ claimNo }) => claimNo)}::integer[], ${column(({ messageId }) => messageId)}::text[],
      ${column(({ attempts }) => attempts)}::integer[], ${column(({ reply }) => reply)}::text[],
      ${column(({ at }) => at)}::double precision[], ${column(({ claimedAt }) => claimedAt)}::double precision[],
      ${column(({ contact }) => contact?.senderGroupId ?? null)}::bigint[],
      ${column(({ contact }) => contact?.prospectId ?? null)}::bigint[],
      ${column(addressOf)}::text[], ${column(hexOf)}::text[]) WITH ORDINALITY
      AS given (account_id, id, claim_no, message_id, attempts, reply, at, claimed_at, sender_group_id, prospect_id,
        address, hex, place)) AS receipt
    JOIN account ON account.id = receipt.account_id`;
};

/** address_hash() of a row of receiptRows(). */
const receiptHash = sql`coalesce(decode(receipt.hex, 'hex'), ${hashOf('receipt.address_key')})`;

/** The erasure of the address of a row of receiptRows(), later than the claim of its mail; for what follows FROM. */
export const laterErasure = sql`erased_address AS erased
  WHERE erased.account_id = receipt.account_id AND erased.hash = ${receiptHash}
    AND erased.erased_at > to_timestamp(receipt.claimed_at / 1000)`;

/** The condition that an address is that of a row of receiptRows(). @param column of addresses */
export const isReceiptsAddress = (column: string) => sql<boolean>`${hashOf(column)} = ${receiptHash}`;

/** Receipts live three days, and clocks differ. */
const RECENT = sql`interval '4 days'`;

/** Names each erasure of which receipts may still have the address. */
export async function readRecentErasures(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT concat_ws(' ', account_id, encode(hash, 'hex'), erased_at) AS name FROM erased_address
    WHERE erased_at > now() - ${RECENT}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Takes erased addresses out of receipts.
 * A test mail has no contact, but the server's reply may name its address: of an erased mail it goes.
 * @returns for each receipt that must change: what takes its place
 */
export async function withoutErased(db: Db, receipts: readonly Receipt[]): Promise<Map<Receipt, Receipt>> {
  const asked = receipts.filter((receipt) => addressOf(receipt) !== null || (!isCompared(receipt) && receipt.reply));
  if (asked.length === 0) return new Map();
  const { rows } = await sql<{ place: number; addressHash: string }>`
    SELECT place::integer, encode(hash, 'hex') AS "addressHash" FROM (
      SELECT receipt.place, CASE WHEN receipt.address_key IS NULL
        THEN (SELECT d.erased_hash FROM delivery d
          WHERE d.account_id = receipt.account_id AND d.id = receipt.id AND d.message_id = receipt.message_id)
        ELSE (SELECT erased.hash FROM ${laterErasure}) END AS hash
      FROM ${receiptRows(asked)}
    ) AS found WHERE hash IS NOT NULL`.execute(db);
  const hashes = new Map(rows.map(({ place, addressHash }) => [asked[place - 1], addressHash]));
  return new Map(
    asked.flatMap((receipt) => {
      const addressHash = hashes.get(receipt);
      return addressHash === undefined ? [] : [[receipt, hashed(receipt, addressHash)]];
    }),
  );
}

function hashed({ contact, ...receipt }: Receipt, addressHash: string): Receipt {
  if (contact === null) return { ...receipt, reply: '', contact };
  const { senderGroupId, prospectId } = contact;
  return { ...receipt, reply: '', contact: { senderGroupId, prospectId, addressHash } };
}

/** An erasure that a receipt proves, and the database lacks: it is in a state from before. */
export interface LostErasure {
  readonly accountId: number;
  /** address_hash() of the address, in hexadecimal digits. */
  readonly addressHash: string;
  /** Companies that have the address. */
  readonly prospectIds: readonly number[];
}

/** Finds the erasures that the database lacks. */
export async function findLostErasures(db: Db, receipts: readonly Receipt[]): Promise<LostErasure[]> {
  const asked = receipts.filter((receipt) => hexOf(receipt) !== null);
  if (asked.length === 0) return [];
  const { rows } = await sql<LostErasure>`
    SELECT receipt.account_id AS "accountId", receipt.hex AS "addressHash",
      coalesce(json_agg(DISTINCT prospect.id) FILTER (WHERE prospect.id IS NOT NULL), '[]') AS "prospectIds"
    FROM ${receiptRows(asked)}
    LEFT JOIN prospect ON prospect.account_id = receipt.account_id AND prospect.id = receipt.prospect_id
      AND ${isReceiptsAddress('prospect.email_search')}
    WHERE NOT EXISTS (SELECT FROM ${laterErasure})
    GROUP BY 1, 2 ORDER BY 1, 2`.execute(db);
  return rows;
}
