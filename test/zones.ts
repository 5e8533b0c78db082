/**
 * The time zone of all processes unless TZ names another.
 * For most of the day its date differs from that of users and of UTC.
 */
export const OWN_ZONE = 'Pacific/Kiritimati';

/** The zones of servers and users, and one with daylight saving time. */
export const OTHER_ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York'] as const;
