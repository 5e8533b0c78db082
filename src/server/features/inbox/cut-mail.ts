import { MAIL_BYTES_MAX } from './inbox-mail.ts';

/*
 * Limits of what a parser gets of a mail. A parser keeps each line, part and field as an object, some of them outside
 * of the heap that a thread can limit: of 256 KB of line breaks it made 600 MB. What is above a limit is cut before,
 * and the rest counts: a report with a long letter behind it is still one.
 */

export const MAIL_LIMITS = {
  bytes: MAIL_BYTES_MAX,
  /** A mail of this size with lines of usual length has 4,000. */
  lines: 10_000,
  parts: 1000,
  /** Lines of one header, of the mail or of a part, with those that continue a field, and their bytes. */
  headerLines: 2000,
  headerBytes: 128 * 1024,
};

/** What is read of a mail that cannot be parsed as a whole. */
const HEADER_BYTES_MAX = 32 * 1024;

/**
 * Returns a mail within the limits; the same bytes where it is.
 * It ends before the first line or part above them. Fields above them are left out, and what follows its header stays.
 */
export const cutMail = (raw: Uint8Array): Uint8Array => cut(raw.subarray(0, MAIL_LIMITS.bytes));

/** Returns the header of a mail, within the limits and 32 KB, with the empty line that ends it. */
export const headerOf = (raw: Uint8Array): Uint8Array =>
  Buffer.concat([cut(raw.subarray(0, HEADER_BYTES_MAX), 'header'), Buffer.from('\r\n\r\n')]);

const [TAB, LF, CR, SPACE, DASH] = [9, 10, 13, 32, 45];

function cut(raw: Uint8Array, wanted: 'header' | 'all' = 'all'): Uint8Array {
  const judge = lineJudge();
  const kept: Uint8Array[] = [];
  let at = 0;
  // Where the lines begin that are kept and not yet in `kept`.
  let from = 0;
  while (at < raw.length) {
    const lineEnd = raw.indexOf(LF, at);
    const end = lineEnd < 0 ? raw.length : lineEnd + 1;
    const line = raw.subarray(at, end);
    const judged = judge(line);
    if (judged === 'end' || (judged === 'header-end' && wanted === 'header')) break;
    if (judged === 'left out') {
      if (from < at) kept.push(raw.subarray(from, at));
      from = end;
    }
    at = end;
  }
  const last = raw.subarray(from, at);
  return kept.length === 0 ? last : Buffer.concat([...kept, last]);
}

/**
 * Returns what judges the lines of a mail, one after the other. Only the parser knows which lines begin parts: here
 * each line with `--` does, so that no line of a header is missed.
 */
function lineJudge(): (line: Uint8Array) => 'kept' | 'left out' | 'header-end' | 'end' {
  const counts = { lines: 0, parts: 0 };
  let header = { lines: 0, bytes: 0 };
  let isHeader = true;
  let isFieldKept = true;
  const isLeftOut = (line: Uint8Array): boolean => {
    if (line[0] !== SPACE && line[0] !== TAB) isFieldKept = true;
    isFieldKept &&= header.lines < MAIL_LIMITS.headerLines && header.bytes + line.length <= MAIL_LIMITS.headerBytes;
    if (isFieldKept) header = { lines: header.lines + 1, bytes: header.bytes + line.length };
    return !isFieldKept;
  };
  return (line) => {
    const isPart = line[0] === DASH && line[1] === DASH;
    const isHeaderEnd = isHeader && line.every((byte) => byte === CR || byte === LF);
    if (isHeader && !isPart && !isHeaderEnd && isLeftOut(line)) return 'left out';
    counts.lines += 1;
    if (isPart) {
      counts.parts += 1;
      header = { lines: 0, bytes: 0 };
    }
    if (counts.lines > MAIL_LIMITS.lines || counts.parts > MAIL_LIMITS.parts) return 'end';
    isHeader = isPart || (isHeader && !isHeaderEnd);
    return isHeaderEnd ? 'header-end' : 'kept';
  };
}
