/** Constants of the specification (section 9) and limits of ours. One place for each number. */

export const PAGE_SIZES = [20, 50, 100, 200] as const;
export const DEFAULT_PAGE_SIZE = 50;
/** On a phone, where each row is a card. */
export const DEFAULT_CARDS = 20;

/** How many targets one attack list may take: the choices of `取得件数`. */
export const FETCH_LIMITS = [1, 10, 50, 100, 200, 300, 400, 500, 1000] as const;
export const DEFAULT_FETCH_LIMIT = 10;
export const MAX_TARGETS = 1000;

/** Days between two mails of a group to one company: `再送信間隔（日）`. 0: they may be mailed again at once. */
export const DEFAULT_RESEND_DAYS = 7;
export const MAX_RESEND_DAYS = 3650;

export const DEFAULT_TEST_LIMIT = 10;

/** RFC 5321 4.5.3.1: a path is at most 256 octets with its two brackets; a local part at most 64. */
export const MAX_EMAIL_LENGTH = 254;
export const MAX_LOCAL_PART_LENGTH = 64;
/** RFC 1035 2.3.4: octets of one label of a domain. */
export const MAX_DOMAIN_LABEL_LENGTH = 63;

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;

export const MAX_REMARKS_LENGTH = 1000;
export const MAX_NAME_LENGTH = 100;
export const MAX_SUBJECT_LENGTH = 200;
/** Of each body. A mail program that shows 102 kB of HTML and hides the rest is not rare. */
export const MAX_TEMPLATE_LENGTH = 100_000;
/** Different terms of one text filter. */
export const MAX_FILTER_TERMS = 100;
/**
 * Characters of all filters together as an address writes them: it stays below 12 KiB with its path, tab, order and
 * page.
 */
export const MAX_FILTERS_IN_ADDRESS = 12 * 1024 - 256;

/** The pickers of candidate dates and reservations: from tomorrow 08:00, three months long, Asia/Tokyo, no weekends. */
export const PICKER_MONTHS = 3;
export const PICKER_FIRST_HOUR = 8;
/** The last hour that may be picked: 20:45 is the last time. */
export const PICKER_LAST_HOUR = 20;
export const PICKER_STEP_MINUTES = 15;

/** A reservation that could not be started so long after its time is missed: its mail would surprise. */
export const LATEST_START_MINUTES = 60;

/** Of one mail. */
export const MAX_CANDIDATE_DATES = 100;
export const DEFAULT_CANDIDATE_START = '9:00';
export const DEFAULT_CANDIDATE_END = '18:00';

/** Session lifetimes, milliseconds. */
export const SESSION_IDLE_MS = 8 * 60 * 60 * 1000;
export const SESSION_ABSOLUTE_MS = 24 * 60 * 60 * 1000;

/** What one request may be (design §9, bad-inputs.md). Lengths in bytes or characters, as the thing is counted. */
export const MAX_BODY_BYTES = 16 * 1024;
/** Of calls that take an attack list, a template or SendGrid's events. */
export const MAX_LARGE_BODY_BYTES = 1024 * 1024;
/** Above an address with all its filters inside another one, encoded twice: /login?from=… */
export const MAX_URL_LENGTH = 24 * 1024;
export const MAX_QUERY_PARAMETERS = 200;
export const MAX_JSON_DEPTH = 32;
/** Of one object. The largest that a call takes has some twenty. */
export const MAX_JSON_NAMES = 100;

/** Screens of one account that a process tells of progress as it comes; more of them ask for it. */
export const MAX_STREAMS = 8;

/**
 * Requests a minute: of one account, and of one network to the calls open to visitors. Far above what a person does.
 */
export const ACCOUNT_REQUESTS_PER_MINUTE = 600;
export const VISITOR_REQUESTS_PER_MINUTE = 60;
