import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { z } from 'zod';
import { listReservations as listCall } from '#contract/sending/reservations.ts';
import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { DB } from '../../platform/database/db-types.ts';
import { ownRows, pickColumns, wantsColumn } from '../../platform/database/list-rows.ts';
import type { ListText } from '../../platform/http/answers.ts';
import { answerList, type Part } from '../../platform/lists/whole-list.ts';
import type { Problem } from '../../platform/problem.ts';
import {
  addressKeyOf,
  type ChosenPerson,
  chosenPerson,
  greeted,
  mailAddress,
  searchAddress,
  sendToOf,
} from '../attack-list/chosen-address.queries.ts';
import { hasReplied } from '../attack-list/eligibility.queries.ts';
import { isHeldReservation } from '../delivery/pauses/held.command.ts';
import { isDoubted, isSuppressed } from '../suppressions/suppression.queries.ts';
import { isMissed } from './due.command.ts';

/** Lists the account's reservations by time. Their targets are read only if the columns ask for them, in list order. */
export function listReservations(
  account: AccountDb,
  query: z.output<(typeof listCall)['query']>,
): Promise<ListText | Problem> {
  const { columns } = query;
  const order = sql`reservation.send_at, reservation.id`;
  const read = async (tx: Tx, { where, limit, offset }: Part) => {
    const found = await tx
      .selectFrom('reservation')
      .select(['id', 'sender_id', 'sender_group_id', 'send_at', 'is_sent', 'test_send_mode', 'active'])
      .select(TO.as('send_to'))
      .select([
        'candidate_dates as datetime_list',
        'refused_reason',
        isMissed.as('is_missed'),
        isHeldReservation.as('is_held'),
      ])
      .$if(wantsColumn(columns, 'suppressed'), (rows) =>
        rows.select(countTargets(account.id, isOut(account.id)).as('suppressed')),
      )
      .$if(wantsColumn(columns, 'replied'), (rows) =>
        rows.select(
          countTargets(
            account.id,
            sql`NOT ${isOut(account.id)} AND NOT ${isInDoubt(account.id)} AND ${isAnswered(account.id)}`,
          ).as('replied'),
        ),
      )
      .$if(wantsColumn(columns, 'maybe_refused'), (rows) =>
        rows.select(
          countTargets(account.id, sql`NOT ${isOut(account.id)} AND ${isInDoubt(account.id)}`).as('maybe_refused'),
        ),
      )
      .$if(wantsColumn(columns, 'attack_list'), (rows) => rows.select(targetsOf(account.id).as('attack_list')))
      .where(where)
      .orderBy(order)
      .limit(limit)
      .offset(offset)
      .execute();
    return found.map((row) => {
      const wire = {
        ...row,
        send_at: formatSecond(row.send_at.getTime()),
        is_sent: asFlag(row.is_sent),
        test_send_mode: asFlag(row.test_send_mode),
        active: asFlag(row.active),
        is_missed: asFlag(row.is_missed),
        is_held: asFlag(row.is_held),
        datetime_list: row.datetime_list as unknown as CandidateDate[] | null,
        ...(row.attack_list !== undefined &&
          row.send_to !== 'company' && { attack_list: withGreeted(row.attack_list) }),
      };
      return pickColumns(wire, columns);
    });
  };
  return answerList(account, listCall, {
    table: 'reservation',
    own: ownRows('reservation', account.id, query.where_info),
    order,
    query,
    read,
    targetsOf: (ids) => sql`
      SELECT reservation_id AS id FROM reservation_target
      WHERE account_id = ${account.id} AND reservation_id = ANY (${ids}::bigint[])`,
    view: '/reservation/view',
  });
}

/** Counts the real targets that meet a condition on `target` and `prospect`. */
const countTargets = (accountId: number, condition: Expression<SqlBool>) =>
  sql<number>`(
    SELECT count(*)::integer FROM reservation_target AS target
    JOIN prospect ON prospect.account_id = target.account_id AND prospect.id = target.prospect_id
    WHERE target.account_id = ${accountId} AND target.reservation_id = reservation.id AND target.pending
      AND NOT target.test_send_mode AND prospect.account_id = ${accountId} AND ${condition})`;

/** Where the mails of a row of `reservation` go. */
const TO = sendToOf('reservation');

/** The chosen address or domain of a target is suppressed. */
export const isOut = (accountId: number) => isSuppressed(accountId, searchAddress(TO));

/** The company of a target, or its address, has an unclear reply: its mail will be held. */
export const isInDoubt = (accountId: number) => isDoubted(accountId, sql`prospect.id`, addressKeyOf(TO));

/** The company of a target has replied. */
export const isAnswered = (accountId: number) => hasReplied({ accountId, followUpOf: sql.ref('target.follow_up_of') });

/** Replaces each chosen person among the targets, a text of JSON, by whom the mail greets. */
function withGreeted(targets: string): string {
  const rows = JSON.parse(targets) as { readonly person_in_charge: ChosenPerson | string }[];
  return JSON.stringify(
    rows.map(({ person_in_charge: one, ...target }) => ({
      ...target,
      person_in_charge: typeof one === 'string' ? one : greeted(one, null),
    })),
  );
}

const targetsOf = (accountId: number) =>
  sql<string>`${jsonArrayFrom(
    expressionBuilder<DB, 'reservation'>()
      .selectFrom('reservation_target as target')
      .innerJoin('prospect', (join) =>
        join.onRef('prospect.account_id', '=', 'target.account_id').onRef('prospect.id', '=', 'target.prospect_id'),
      )
      .select([
        'target.prospect_id',
        'prospect.company_name',
        sql<string>`coalesce(target.mail_to, ${mailAddress(TO)}, '')`.as('company_email'),
        sql<unknown>`coalesce(${chosenPerson(TO)}, to_json(coalesce(prospect.ceo, '')))`.as('person_in_charge'),
      ])
      .where('target.account_id', '=', accountId)
      .whereRef('target.reservation_id', '=', 'reservation.id')
      .orderBy('target.row_index')
      .orderBy('target.prospect_id'),
  )}::text`;
