/** Keys of the query cache that several features use, by the specification's names. */
export const PROSPECT_LIST = 'prospect_list';
/** How many companies the saved conditions find. */
export const CONDITION_COUNTS = 'condition_counts';
export const ATTACK_LIST = 'attack_list';
export const RESERVATION_LIST = 'reservation_list';
export const SEND_LOG_LIST = 'send_log_list';
/** What waits since a restore. */
export const RESTORED = 'restored';
/** What is done of the first steps. */
export const FIRST_STEPS = 'first_steps';
/** The mails of runs. */
export const DELIVERIES = 'deliveries';
/** One run, by its id. */
export const SEND_LOG = 'send_log';
/** One job of a worker, by its id. */
export const JOB = 'job';
/** One company, by its id: its details and its history. */
export const COMPANY = 'company';
/** What the mails of each sender group show by law. */
export const LEGAL_PROFILES = 'legal_profile_list';
/** The number of unread notices of the member. */
export const UNREAD_NOTICES = 'unread_notices';
/** The notices of the member. */
export const NOTICE_LIST = 'notice_list';
/** What the member is told of. */
export const NOTICE_SETTINGS = 'notice_setting';
/** How long the account keeps its mails. */
export const MAIL_RETENTION = 'mail_retention';
/** The rules of the account's sending. */
export const ACCOUNT_RULE = 'account_rule';
/** The hours and closing days of a sender group, by its id, and what they say now. */
export const SENDING_RULES = 'sending_rules';
/** What the DNS says about the domains of the senders. */
export const DOMAIN_HEALTH = 'domain_health_list';
/** The state of the mailbox of bounces and answers. */
export const INBOX = 'inbox';
/** The sender groups in use. */
export const SENDER_GROUP_LIST = 'sender_group_list';
/** The people in whose name mails are sent. */
export const SENDER_PROFILE_LIST = 'sender_profile_list';
/** The senders of a group, by its id. */
export const SENDER_LIST = 'sender_list';
/** The groups of senders, the persons in them, and their senders. */
export const SENDER_SETTINGS = 'sender_settings';
/** The templates of the account. */
export const TEMPLATE_LIST = 'template_list';
