import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../../platform/database/db-types.ts';
import { archivedIds } from './group-state.queries.ts';
import { isInByLookup } from './membership.queries.ts';
import type { OrderedIds, PartContext } from './order-part.ts';
import { type ReservationFilter, reservationTimes } from './reserved-prospects.queries.ts';

/* The parts of an order that are read from the state of the companies in the group. */

const eb = expressionBuilder<DB, never>();

/**
 * The condition that a row of the group is about a prospect on the list. Such rows stay when a company is archived; a
 * list of archived companies has rows of its own.
 */
const isOnList = (context: PartContext, id: Expression<number>): Expression<SqlBool> =>
  context.rows === undefined
    ? eb.and([context.isListed(id), eb.not(isInByLookup(archivedIds(context.scope), id))])
    : context.isListed(id);

/** The group's rows about prospects on the list. */
const activeProspects = (context: PartContext) =>
  eb
    .selectFrom('active_prospect as own')
    .select('own.prospect_id as id')
    .where('own.account_id', '=', context.scope.accountId)
    .where('own.sender_group_id', '=', context.scope.senderGroupId)
    .where((where) => isOnList(context, where.ref('own.prospect_id')));

/** The companies that the group has deactivated. */
export const inactiveById = (context: PartContext): OrderedIds =>
  activeProspects(context).where('own.active', '=', false).orderBy('own.prospect_id', context.direction);

/** The companies with remarks. Their index holds the first 100 characters; only equal ones need a sort. */
export const byRemarks = (context: PartContext): OrderedIds =>
  activeProspects(context)
    .where('own.remarks', '<>', '')
    .orderBy(sql`left(own.remarks, 100)`, context.direction)
    .orderBy(sql`own.remarks COLLATE "C"`, context.direction)
    .orderBy('own.prospect_id', context.direction);

/** The companies that the group has mailed. */
export const bySentAt = (context: PartContext): OrderedIds =>
  eb
    .selectFrom('contact_state as contact')
    .select('contact.prospect_id as id')
    .where('contact.account_id', '=', context.scope.accountId)
    .where('contact.sender_group_id', '=', context.scope.senderGroupId)
    // The condition of the index: it holds for every row.
    .where(sql<SqlBool>`contact.last_sent_at > '-infinity'`)
    .where((where) => isOnList(context, where.ref('contact.prospect_id')))
    .orderBy('contact.last_sent_at', context.direction)
    .orderBy('contact.prospect_id', context.direction);

/** The companies with a reservation of the group. */
export const bySendAt = (context: PartContext, reservations: ReservationFilter | undefined): OrderedIds =>
  eb
    .selectFrom(reservationTimes(context.scope, reservations).as('reserved'))
    .select('reserved.prospect_id as id')
    .where((where) => isOnList(context, where.ref('reserved.prospect_id')))
    .orderBy('reserved.send_at', context.direction)
    .orderBy('reserved.prospect_id', context.direction);
