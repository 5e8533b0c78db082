/** The kinds of replies: of a company, of a robot, or entered by a member. */
export const REPLY_KINDS = ['reply', 'auto_reply', 'manual'] as const;
export type ReplyKind = (typeof REPLY_KINDS)[number];

/**
 * The trust in a reply's From. `single`: one plain address, which anybody may have written. `authenticated`: the inbox
 * server also states that its domain sent the reply (DMARC). `none`: neither.
 */
export type FromTrust = 'none' | 'single' | 'authenticated';

/** The most open replies to one mail that are stored, and the most of robots. */
export const MAX_OPEN_ANSWERS = 20;
/** The most further replies that are counted. */
export const MAX_FOLDED_ANSWERS = 1000;

/** Prefixes of a subject copied from our mail. */
const ANSWERING = /^(?:re|fwd?|aw|返信?|転送)(?:\[\d{1,2}\]|\^?\d{1,2})? ?[:：]/i;

/** A bound on subjects that repeat a prefix. */
const MAX_PREFIXES = 10;

/** Whether a subject answers another, however programs have folded or prefixed either. */
export function answersSubject(subject: string, answered: string): boolean {
  return isAnswering(subject) && bareSubject(subject) === bareSubject(answered);
}

/** Returns a subject without prefixes and blanks. */
function bareSubject(subject: string): string {
  let bare = subject.normalize('NFKC').trim();
  for (let prefixes = 0; prefixes < MAX_PREFIXES && ANSWERING.test(bare); prefixes += 1) {
    bare = bare.replace(ANSWERING, '').trim();
  }
  return bare.replace(/\s+/g, '');
}

/** Checks whether a subject is copied from our mail, and not the writer's own. */
export const isAnswering = (subject: string): boolean => ANSWERING.test(subject.trim());

/** Returns the subject of a mail that follows one of ours: `Re:` with its subject, without repeating `Re:`. */
export const answeringSubject = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`);
