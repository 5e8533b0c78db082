/**
 * Where everything runs unless TZ names another zone: the one whose date differs from that of users and of UTC most of
 * the day.
 */
export const OWN_ZONE = 'Pacific/Kiritimati';

/** Those of servers and users, and of a clock that is put forward and back. */
export const OTHER_ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York'] as const;
