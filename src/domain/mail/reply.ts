/** What came back from a company: its answer, that of a robot, or one that a member noted. */
export const REPLY_KINDS = ['reply', 'auto_reply', 'manual'] as const;
export type ReplyKind = (typeof REPLY_KINDS)[number];

/**
 * What is known of the From of an answer. `single`: it is one plain address, which anybody may have written.
 * `authenticated`: the inbox server says besides that its domain has sent the answer (DMARC). `none`: neither.
 */
export type FromTrust = 'none' | 'single' | 'authenticated';

/** The most answers to one mail that are stored while they are open, and the most of robots. */
export const MAX_OPEN_ANSWERS = 20;
/** The most answers beyond them that are counted. */
export const MAX_FOLDED_ANSWERS = 1000;

/** Subjects that an answer takes over from our mail. */
const ANSWERING = /^(?:re|fwd?|aw|返信?|転送)(?:\[\d{1,2}\]|\^?\d{1,2})? ?[:：]/i;

/** Checks whether a subject is that of our mail, taken over, and not the writer's own. */
export const isAnswering = (subject: string): boolean => ANSWERING.test(subject.trim());
