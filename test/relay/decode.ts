import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** A mail as Python's email package parses it (decode.py). */
export interface DecodedMail {
  readonly subject: string;
  readonly fromName: string;
  readonly from: string;
  readonly to: readonly [string];
  readonly messageId: string;
  readonly date: string;
  readonly envelopeTo: string;
  /** null: the mail has no such field. */
  readonly listUnsubscribe: string | null;
  readonly listUnsubscribePost: string | null;
  /** The names of the fields that the DKIM signature covers, in lower case; null: the mail is not signed. */
  readonly signed: readonly string[] | null;
  readonly text: string;
  readonly html: string;
  readonly defects: readonly string[];
}

export function decodeMails(files: readonly string[]): DecodedMail[] {
  const output = execFileSync('python3', [join(import.meta.dirname, 'decode.py'), ...files], {
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as DecodedMail);
}
