/** Keys of the query cache that several features use, named as in the specification. */
export const PROSPECT_LIST = 'prospect_list';
/** The number of companies that match each saved condition. */
export const CONDITION_COUNTS = 'condition_counts';
export const ATTACK_LIST = 'attack_list';
export const RESERVATION_LIST = 'reservation_list';
export const SEND_LOG_LIST = 'send_log_list';
/** The runs and reservations on hold since a restore. */
export const RESTORED = 'restored';
/** The progress of the first steps. */
export const FIRST_STEPS = 'first_steps';
/** The mails of runs. */
export const DELIVERIES = 'deliveries';
/** One run by id. */
export const SEND_LOG = 'send_log';
/** One job by id. */
export const JOB = 'job';
/** One company by id: its details and its history. */
export const COMPANY = 'company';
/** What each sender group's mails show by law. */
export const LEGAL_PROFILES = 'legal_profile_list';
/** The number of unread notices of the member. */
export const UNREAD_NOTICES = 'unread_notices';
/** The notices of the member. */
export const NOTICE_LIST = 'notice_list';
/** The member's notice settings. */
export const NOTICE_SETTINGS = 'notice_setting';
/** How long the account keeps its mails. */
export const MAIL_RETENTION = 'mail_retention';
/** The rules for the account's sending. */
export const ACCOUNT_RULE = 'account_rule';
/** The account's registration with its company's provider. */
export const COMPANY_LOG_IN = 'oidc';
/** The registrations of mailboxes at their providers, by provider. */
export const OAUTH_APP = 'oauth_app';
/** The hours and closing days of a sender group by id, with their current state. */
export const SENDING_RULES = 'sending_rules';
/** The DNS results of the senders' domains. */
export const DOMAIN_HEALTH = 'domain_health_list';
/** The state of the mailbox for bounces and replies. */
export const INBOX = 'inbox';
/** The active sender groups. */
export const SENDER_GROUP_LIST = 'sender_group_list';
/** The people who send mails. */
export const SENDER_PROFILE_LIST = 'sender_profile_list';
/** The senders of a group by id. */
export const SENDER_LIST = 'sender_list';
/** The sender groups, their persons, and the persons' senders. */
export const SENDER_SETTINGS = 'sender_settings';
/** The templates of the account. */
export const TEMPLATE_LIST = 'template_list';
/** The account's own fields of companies. */
export const OWN_FIELD_LIST = 'custom_field_list';
/** The tags of the account. */
export const TAG_LIST = 'tag_list';
/** The mailboxes of the account. */
export const MAILBOX_LIST = 'mailbox_list';
