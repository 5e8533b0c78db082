/**
 * What has become of a reservation. `refused`: its time has come and it cannot start yet. `missed`: it is too late to
 * start. `held`: it was open in a backup that was restored, and waits for a member. `waiting`: it has started, and its
 * mails are put off by the rules. `cancelled`: it has started, and was taken back before any mail left.
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

/** The states that a page can be narrowed to. Deleted reservations are in no page. */
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

/** The most companies that one change takes out. */
export const MAX_REMOVED_TARGETS = 1000;
