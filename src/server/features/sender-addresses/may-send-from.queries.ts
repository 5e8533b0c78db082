import { type Expression, type RawBuilder, sql } from 'kysely';

/** A profile, or the place of its values in a query. */
interface From {
  readonly accountId: Expression<unknown>;
  /** NULL: the mail server of the environment. */
  readonly mailboxId: Expression<unknown>;
  /** The address in addressKey's form. */
  readonly key: Expression<unknown>;
}

/** Whether a mailbox lets mails leave from an address: its own, or one that a check has proved. */
export const allowsFrom = ({ accountId, mailboxId, key }: From): RawBuilder<boolean> => sql<boolean>`EXISTS (
  SELECT FROM mailbox AS box
  WHERE box.account_id = ${accountId} AND box.id = ${mailboxId}
    AND (lower(box.address COLLATE "C") = ${key} OR ${key} = ANY (box.other_from)))`;

/**
 * Whether real mails may leave from an address: by a mailbox that is checked and allows it; without a mailbox, if the
 * address is confirmed. A check confirms no address, as else a member's own server would open the environment's to any.
 */
export const maySendFrom = (from: From): RawBuilder<boolean> => sql<boolean>`CASE WHEN ${from.mailboxId} IS NULL
  THEN EXISTS (SELECT FROM confirmed_address AS confirmed
    WHERE confirmed.account_id = ${from.accountId} AND confirmed.address_key = ${from.key})
  ELSE ${allowsFrom(from)} AND EXISTS (SELECT FROM mailbox AS checked
    WHERE checked.account_id = ${from.accountId} AND checked.id = ${from.mailboxId} AND checked.state = 'ok') END`;

/** The values of a row of sender_profile. */
export const FROM_OF_PROFILE: From = {
  accountId: sql.ref('sender_profile.account_id'),
  mailboxId: sql.ref('sender_profile.mailbox_id'),
  key: sql`lower(sender_profile.email COLLATE "C")`,
};
