import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { hashOf } from '../../suppressions/suppression-hash.queries.ts';
import type { Receipt, ReceiptContact } from './receipts.ts';

/*
 * Receipts whose address was erased (decisions/receipts). The erasure's row (`erased_address`) is younger than the
 * claim of the mail. A database with that row therefore has everything that the receipt proves.
 */

/** A receipt of a real mail. Test mails are not compared: sending one twice harms nobody. */
export type ComparedReceipt = Receipt & { readonly contact: ReceiptContact };

export const isCompared = (receipt: Receipt): receipt is ComparedReceipt => receipt.contact !== null;

const addressOf = ({ contact }: Receipt) => (contact && 'address' in contact ? contact.address : null);
const hexOf = ({ contact }: Receipt) => (contact && 'addressHash' in contact ? contact.addressHash : null);

/**
 * Receipts as rows for FROM, with their accounts as `account`.
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

/** The erasure of a receipt's address after its mail was claimed, for FROM after receiptRows(). */
export const laterErasure = sql`erased_address AS erased
  WHERE erased.account_id = receipt.account_id AND erased.hash = ${receiptHash}
    AND erased.erased_at > to_timestamp(receipt.claimed_at / 1000)`;

/** Selects the address of a row of receiptRows(). @param column of addresses */
export const isReceiptsAddress = (column: string) => sql<boolean>`${hashOf(column)} = ${receiptHash}`;

/** Receipts are kept for three days, and clocks differ. */
const RECENT = sql`interval '4 days'`;

/** Reads a name of each erasure whose address receipts may still have. */
export async function readRecentErasures(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT concat_ws(' ', account_id, encode(hash, 'hex'), erased_at) AS name FROM erased_address
    WHERE erased_at > now() - ${RECENT}`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Removes erased addresses from receipts.
 * A test mail has no contact, but the server's reply may name its address.
 * @returns the replacement of each receipt that must change
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

/** An erasure that a receipt proves and the database lacks: the database was set back to before it. */
export interface LostErasure {
  readonly accountId: number;
  /** address_hash() of the address, in hexadecimal digits. */
  readonly addressHash: string;
  /** Companies that have the address, of their own or of one of their people. */
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
      AND (coalesce(${isReceiptsAddress('prospect.email_search')}, false) OR EXISTS (
        SELECT FROM person WHERE person.account_id = prospect.account_id AND person.prospect_id = prospect.id
          AND ${isReceiptsAddress('person.email_search')}))
    WHERE NOT EXISTS (SELECT FROM ${laterErasure})
    GROUP BY 1, 2 ORDER BY 1, 2`.execute(db);
  return rows;
}
