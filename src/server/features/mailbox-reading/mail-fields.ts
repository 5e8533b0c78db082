import { decodeWords } from 'postal-mime';
import { singleFrom } from '#domain/mail/origin.ts';
import { idsIn } from '../inbox/read-mail.ts';

/** What the fields of a mail show, before anything else of it is read. */
export interface MailFields {
  /** Local parts of Message-IDs of its thread that may be ours. */
  readonly uuids: readonly string[];
  /** Its only From address, in the form of addressKey; null: none, or several. */
  readonly from: string | null;
  /** The key of a mail that its subject refuses. */
  readonly refusedKey: string | null;
  /** A server reports a delivery or a complaint: its envelope sender is empty. */
  readonly isReport: boolean;
}

/** Programs may leave the blank of the link as it is written there. */
const REFUSED = /\bunsubscribe(?:[\s+]|%20){1,10}([0-9a-f]{32})\b/i;

/** Longer subjects are read up to here. */
const SUBJECT_LENGTH = 1000;

/** Reads the fields of a mail. @param raw its header, or a part of it */
export function readFields(raw: Uint8Array): MailFields {
  const fields = unfolded(raw);
  const all = (name: string) => fields.flatMap(([known, value]) => (known === name ? value : []));
  const first = (name: string) => all(name)[0] ?? null;
  const subject = decodeWords((first('subject') ?? '').slice(0, SUBJECT_LENGTH));
  return {
    uuids: [...new Set(['in-reply-to', 'references'].flatMap((name) => idsIn(first(name))))],
    from: singleFrom(all('from')),
    refusedKey: REFUSED.exec(subject)?.[1]?.toLowerCase() ?? null,
    isReport:
      first('return-path') === '<>' &&
      (/^multipart\/report\b/i.test(first('content-type') ?? '') || first('x-failed-recipients') !== null),
  };
}

/** Returns names in lower case with values, the lines of each field joined. */
const unfolded = (raw: Uint8Array): (readonly [name: string, value: string])[] =>
  Buffer.from(raw)
    .toString('latin1')
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .flatMap((line) => {
      const colon = line.indexOf(':');
      return colon <= 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const];
    });
