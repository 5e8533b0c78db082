import { type Selectable, sql } from 'kysely';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import { BLOCK_REASONS, type BlockReason } from '#domain/sending/eligibility.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { DB } from '#server/platform/database/db-types.ts';
import type { Tenant } from './prospects.ts';

/** A group's settings, which the rules in SQL get too. `now` is in epoch milliseconds. */
interface Settings {
  readonly now: number;
  readonly daysFromLastday: number;
  readonly sendTo: SendTo;
}

/**
 * Returns why a group may not mail each company of an account, computed from the rows of all related tables.
 * Written from the meaning of the tables, one company after another; it shares no SQL with the server.
 * @returns reasons by company id; null: it may be mailed
 */
export async function blockReasonsByLedgers(
  db: Db,
  { accountId, senderGroupId }: Tenant,
  { now, daysFromLastday, sendTo }: Settings,
): Promise<ReadonlyMap<number, BlockReason | null>> {
  const rowsOf = async <Table extends keyof DB>(table: Table) => {
    const rows = sql<Selectable<DB[Table]>>`SELECT * FROM ${sql.table(table)} WHERE account_id = ${accountId}`;
    return (await rows.execute(db)).rows;
  };
  const isOwn = (row: { readonly sender_group_id: number }) => row.sender_group_id === senderGroupId;
  const [rule] = await rowsOf('account_rule');
  const suppressions = await rowsOf('suppression');
  const switches = (await rowsOf('active_prospect')).filter(isOwn);
  const targets = (await rowsOf('reservation_target')).filter(isOwn);
  const rejections = (await rowsOf('address_rejection')).filter(isOwn);
  const contacts = await rowsOf('contact_state');
  const mailedAddresses = await rowsOf('address_contact');
  const open = (await rowsOf('delivery')).filter(
    ({ state, test_send_mode }) => !test_send_mode && ['queued', 'claimed', 'sending', 'unknown'].includes(state),
  );
  // An automatic reply does not express the company's will.
  const answers = (await rowsOf('reply')).filter((reply) => reply.kind !== 'auto_reply' && reply.handled_at === null);
  const doubtful = answers.filter(({ doubted_address }) => doubted_address !== null);

  const cutoff = now - daysFromLastday * DAY_MS;
  const isRecent = (at: Date) => daysFromLastday > 0 && at.getTime() >= cutoff;

  const reasonOf = (company: Selectable<DB['prospect']>): BlockReason | null => {
    // The main contact person's address is copied to the company.
    const ofPerson = sendTo === 'company' ? null : company.person_email;
    const address = addressKey(ofPerson ?? company.company_email ?? '');
    const isOf = ({ prospect_id }: { readonly prospect_id: number }) => prospect_id === company.id;
    const hasAddress = (row: { readonly address_key: string | null }) => address !== '' && row.address_key === address;
    const concerns = (mail: (typeof open)[number]) => isOf(mail) || hasAddress(mail);
    const wasMailed = (by: (row: { readonly sender_group_id: number }) => boolean) =>
      contacts.some((contact) => by(contact) && isOf(contact) && isRecent(contact.last_sent_at)) ||
      mailedAddresses.some((mailed) => by(mailed) && hasAddress(mailed) && isRecent(mailed.last_sent_at));
    const isOther = (row: { readonly sender_group_id: number }) => !isOwn(row);
    const holds: Record<BlockReason, boolean> = {
      archived: company.archived_at !== null,
      inactive: switches.some((one) => isOf(one) && !one.active),
      no_email: address === '',
      suppressed: suppressions.some(({ kind, value }) => value === (kind === 'address' ? address : domainOf(address))),
      maybe_refused: doubtful.some((reply) => isOf(reply) || reply.doubted_address === address),
      replied: answers.some((reply) => isOf(reply) && reply.doubted_address === null),
      refused_by_notice: company.publication_notice === 'refused',
      reserved: targets.some((target) => isOf(target) && target.pending && !target.test_send_mode),
      open_delivery: open.some((mail) => isOwn(mail) && concerns(mail)),
      rejected: rejections.some((rejection) => hasAddress(rejection) && isRecent(rejection.rejected_at)),
      recently_sent: wasMailed(isOwn),
      recently_sent_elsewhere:
        rule?.across_groups === true &&
        (wasMailed(isOther) || (daysFromLastday > 0 && open.some((mail) => isOther(mail) && concerns(mail)))),
    };
    return BLOCK_REASONS.find((reason) => holds[reason]) ?? null;
  };
  return new Map((await rowsOf('prospect')).map((company) => [company.id, reasonOf(company)]));
}
