import { DAY_MS, HOUR_MS } from './time-units.ts';

/** Constants of the specification (section 9) and our own limits. Each is defined only here. */

export const PAGE_SIZES = [20, 50, 100, 200] as const;
/** The most companies that can be chosen for an attack list: one page. */
export const MAX_CHOSEN_COMPANIES = 200;
export const DEFAULT_PAGE_SIZE = 50;

/** The choices of `取得件数`: the most targets that one attack list takes. */
export const FETCH_LIMITS = [1, 10, 50, 100, 200, 300, 400, 500, 1000] as const;
export const DEFAULT_FETCH_LIMIT = 10;
export const MAX_TARGETS = 1000;
/** The most rows of a specification's list that is read without `limit`, and of all attack lists in it. */
export const MAX_WHOLE_LIST_ROWS = 10_000;
export const MAX_WHOLE_LIST_TARGETS = 100_000;
/** The longest period of the audit that a call reads, the most events that its pages reach, and how long they stay. */
export const MAX_AUDIT_DAYS = 366;
export const MAX_AUDIT_ROWS = 10_000;
export const AUDIT_YEARS = 5;

/**
 * Days between two mails of a group to one company: `再送信間隔（日）`. With 0 a company may be mailed again at once.
 */
export const DEFAULT_RESEND_DAYS = 7;
export const MAX_RESEND_DAYS = 3650;

export const DEFAULT_TEST_LIMIT = 10;

/** RFC 5321 4.5.3.1: a path has at most 256 octets with its two brackets; a local part at most 64. */
export const MAX_EMAIL_LENGTH = 254;
export const MAX_LOCAL_PART_LENGTH = 64;
/** RFC 1035 2.3.4: octets of one label of a domain. */
export const MAX_DOMAIN_LABEL_LENGTH = 63;

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;

export const MAX_REMARKS_LENGTH = 1000;
/** Some companies write two or three numbers. */
export const MAX_PHONE_LENGTH = 100;
export const MAX_NAME_LENGTH = 100;
export const MAX_SUBJECT_LENGTH = 200;
export const MAX_SIGNATURE_LENGTH = 1000;
export const MAX_SIGNATURE_LINES = 30;
/** The most bcc addresses of one sender: each mail goes to all of them. */
export const MAX_BCC = 10;
/** The most groups, and senders (pairs of a profile and a template), of one account. */
export const MAX_SENDER_GROUPS = 200;
/** The most active members of an account with its open invitations, and the most members with the stopped ones. */
export const MAX_TEAM = 200;
export const MAX_MEMBERS = 1000;
/** The most addresses of one call that invites. */
export const MAX_INVITED_AT_ONCE = 20;
/** How long the link of an invitation is valid. */
export const INVITATION_DAYS = 7;
/** How long an ended invitation is listed, and how long it is kept. */
export const INVITATION_LISTED_DAYS = 30;
export const INVITATION_KEPT_DAYS = 90;
export const MAX_SENDERS = 5000;

/** Own fields and tags of an account, archived ones too; the options of one field of the type 'choice'. */
export const MAX_OWN_FIELDS = 50;
export const MAX_FIELD_OPTIONS = 50;
export const MAX_TAGS = 500;
/** The tags of one company, and the characters of one own value and of all of a company together. */
export const MAX_COMPANY_TAGS = 30;
export const MAX_OWN_VALUE_LENGTH = 500;
export const MAX_OWN_LENGTH = 4000;
/** The conditions on own fields and tags of one list, and the own columns that its rows carry. */
export const MAX_OWN_CONDITIONS = 10;
export const MAX_OWN_COLUMNS = 10;
/** The tags that one file may bring. */
export const MAX_IMPORT_TAGS = 100;
/** The rows of one file from which a company gets people, own values and tags: ten for each person it may have. */
export const MAX_IMPORT_COMPANY_ROWS = 2000;
export const MAX_EXTERNAL_ID_LENGTH = 100;
/** The people of one company, archived ones too. */
export const MAX_PEOPLE_OF_COMPANY = 200;

/** Mailboxes of an account, those that are off too. */
export const MAX_MAILBOXES = 500;
/** Checks of mailboxes that an account may request. One whose log-in is refused counts twice. */
export const MAILBOX_CHECKS_PER_MINUTE = 6;
export const MAILBOX_CHECKS_PER_DAY = 60;
/** The most templates (archived ones count) and folders of one account. */
export const MAX_TEMPLATES = 500;
export const MAX_TEMPLATE_FOLDERS = 100;
/** The contents of a template that are kept, as in the function keep_template_version(). */
export const TEMPLATE_VERSIONS = 50;
/** The days whose mails the list of templates counts. */
export const SENT_COUNT_DAYS = 90;
/** Most lists of mails truncate a longer subject. */
export const LONG_SUBJECT = 30;
/** The same limits as the CHECK constraints of sender_throttle. */
export const MAX_MAILS_PER_MINUTE = 60_000;
/** How long the link in a confirmation mail of a sender's address is valid. */
export const SENDER_CONFIRMATION_HOURS = 24;
/** The longest template body, text or HTML, in characters. Some mail programs clip HTML above 102 kB. */
export const MAX_TEMPLATE_LENGTH = 100_000;
/** The most rows of an exported xlsx file. Excel opens more only slowly, and a CSV file has no limit. */
export const MAX_XLSX_ROWS = 100_000;
/** How long the file of an export can be fetched. */
export const EXPORT_DAYS = 7;
/** What one account may use: bytes and files of uploads and exports, open uploads (a member: fewer), waiting jobs. */
export const MAX_STORED_BYTES = 1024 ** 3;
export const MAX_STORED_FILES = 1000;
export const MAX_OPEN_UPLOADS = 6;
export const MAX_MEMBER_UPLOADS = 2;
export const MAX_WAITING_JOBS = 20;
/** An upload without a new part for this long may be replaced by its member's next one. */
export const STALLED_UPLOAD_MINUTES = 15;
/** The longest search text, in characters, and its most words. Each word costs two LIKE per company. */
export const MAX_SEARCH_LENGTH = 200;
export const MAX_SEARCH_WORDS = 10;
/** The most saved conditions of one member, and the most shared ones of an account. */
export const MAX_SAVED_CONDITIONS = 100;
/** The saved conditions shown as chips, with the numbers of their companies. */
export const CONDITION_CHIPS = 8;
/** The industries that a list offers for the filter: the most frequent ones. */
export const MAX_OFFERED_INDUSTRIES = 100;
/** The most different values of an industry column that are counted. A list with more has free texts there. */
export const MAX_INDUSTRY_VALUES = 5000;
/** The most different terms of one text filter. */
export const MAX_FILTER_TERMS = 100;
/**
 * The most characters of all filters together, percent-encoded. The URL stays below 12 KiB with its path, tab, order
 * and page.
 */
export const MAX_FILTERS_IN_ADDRESS = 12 * 1024 - 256;

/** The pickers of candidate dates and reservations: tomorrow 08:00 to three months later, Asia/Tokyo, no weekends. */
export const PICKER_MONTHS = 3;
export const PICKER_FIRST_HOUR = 8;
/** The last hour that can be picked: 20:45 is the last time. */
export const PICKER_LAST_HOUR = 20;
export const PICKER_STEP_MINUTES = 15;

/** The most companies of one reservation. Larger ones of older versions start, but accept no more. */
export const MAX_RESERVATION_TARGETS = 10_000;

/** A reservation that has not started this long after its time is missed: its mails would surprise. */
export const LATEST_START_MINUTES = 60;

/** A reservation restored less than this before its time is missed, because nobody could stop it in time. */
export const GIVE_BACK_SECONDS = 60;

/** The choices, in seconds, of the undo window of an immediate real order. The first is the default. */
export const UNDO_SECONDS = [0, 10, 30, 60] as const;

/** The undo window that the set-up and the demo choose for their new account. */
export const NEW_ACCOUNT_UNDO_SECONDS = 10 satisfies (typeof UNDO_SECONDS)[number];

/** The most candidate dates of one mail. */
export const MAX_CANDIDATE_DATES = 100;
export const DEFAULT_CANDIDATE_START = '9:00';
export const DEFAULT_CANDIDATE_END = '18:00';

/** Session lifetimes, milliseconds. */
export const SESSION_IDLE_MS = 8 * HOUR_MS;
export const SESSION_ABSOLUTE_MS = DAY_MS;

/** The limits of one request (design §9, bad-inputs.md), in bytes or characters. */
export const MAX_BODY_BYTES = 16 * 1024;
/** The limit of calls that accept an attack list, a template or SendGrid's events. */
export const MAX_LARGE_BODY_BYTES = 1024 * 1024;
/** Fits a URL with all its filters inside another one, encoded twice: /login?from=… */
export const MAX_URL_LENGTH = 24 * 1024;
export const MAX_QUERY_PARAMETERS = 200;
export const MAX_JSON_DEPTH = 32;
/** The most names of one object. The largest object of a call has some twenty. */
export const MAX_JSON_NAMES = 100;

/** The most progress streams of one kind in one process: of a member, and of an account. Further screens poll. */
export const MAX_MEMBER_STREAMS = 8;
export const MAX_ACCOUNT_STREAMS = 100;

/** Requests a minute: of one member, of one account, and of one network to public calls. People stay far below. */
export const MEMBER_REQUESTS_PER_MINUTE = 600;
export const ACCOUNT_REQUESTS_PER_MINUTE = 3000;
export const VISITOR_REQUESTS_PER_MINUTE = 60;

/** DNS checks of domains that an account may request in a minute. */
export const DOMAIN_CHECKS_PER_MINUTE = 10;
/** Test mails from domains to our own inbox that an account may send in an hour. */
export const DOMAIN_TESTS_PER_HOUR = 10;

/** Months after which a finished run's mails may be blanked. Not less than SOFT_BOUNCE_DAYS: 180. */
export const RETENTION_MONTHS_MIN = 6;
export const RETENTION_MONTHS_MAX = 120;

/**
 * The most account ids of a cell, which start at cell × this + 1 (decisions/cells). The last id of the last cell has 12
 * digits: it is a safe integer, and fits into SendGrid's argument.
 */
export const IDS_OF_CELL = 1_000_000_000;
export const CELL_MAX = 999;
