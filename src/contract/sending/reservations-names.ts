/**
 * The states of a reservation. `refused`: due, but it cannot start yet. `missed`: too late to start. `held`: open in a
 * restored backup, it waits for a member. `waiting`: started, with its mails deferred by the rules. `cancelled`:
 * started, and cancelled before any mail was sent.
 */
export const RESERVATION_STATES = [
  'pending',
  'held',
  'missed',
  'refused',
  'waiting',
  'sent',
  'cancelled',
  'deleted',
] as const;
export type ReservationState = (typeof RESERVATION_STATES)[number];

/** The states by which a page can be filtered. No page has deleted reservations. */
export const RESERVATION_FILTER_STATES = [
  'pending',
  'held',
  'missed',
  'refused',
  'waiting',
  'sent',
  'cancelled',
  'all',
] as const;

export const RESERVATION_SORTS = [
  'send_at',
  'subject',
  'group_name',
  'targets',
  'candidates',
  'member_name',
  'state',
] as const;
export type ReservationSort = (typeof RESERVATION_SORTS)[number];

/** The most days, and the most reservations of a day, that the calendar returns. */
export const MAX_CALENDAR_DAYS = 62;
export const CALENDAR_ITEMS = 20;

/** The most companies that one change removes. */
export const MAX_REMOVED_TARGETS = 1000;
