import { randomUUID } from 'node:crypto';

/**
 * Remembers the HTML of one mail of a run that was found lawful, so that the next ones need not be parsed
 * (decisions/legal-profile). Bodies with the same tags are read alike: texts without < and > cannot change what a
 * parser makes of them. So a body is lawful if it differs from the remembered one only in texts that prove nothing.
 */
export interface CheckedBodies {
  /** Returns whether a body is lawful as the remembered one is; false: it must be parsed. */
  readonly isKnown: (html: string, mailKey: string) => boolean;
  /** Remembers a body that is lawful, unless another one is. */
  readonly remember: (html: string, mailKey: string) => void;
}

/** Stands for each mail's own key. Nobody can write it into a template. */
const ANY_KEY = randomUUID().replaceAll('-', '');

/** Stands for a text that differs. It is longer than the distance of a refusal place and its notice. */
const FILLER = '。'.repeat(200);

/** The most sets of differing texts of a run that are remembered. Names make a few. */
const MAX_VERDICTS = 100;

const TAG = /(<[^<>]*>)/;
/** Texts at even places, tags at odd ones. */
const piecesOf = (html: string, mailKey: string): string[] => html.replaceAll(mailKey, ANY_KEY).split(TAG);

const isPlain = (text: string): boolean => !(text.includes('<') || text.includes('>'));

/** @param isLawful parses a body; its second argument is the key in its refusal link */
export function checkedBodies(isLawful: (html: string, mailKey: string) => boolean): CheckedBodies {
  let known: readonly string[] | null = null;
  /** Whether the body stays lawful whatever the texts at these places are. */
  const verdicts = new Map<string, boolean>();

  function verdictOf(pieces: readonly string[], differing: readonly number[]): boolean {
    const places = differing.join();
    const found = verdicts.get(places);
    if (found !== undefined) return found;
    const neutral = pieces.map((piece, place) => (differing.includes(place) ? FILLER : piece)).join('');
    const verdict = isLawful(neutral, ANY_KEY);
    if (verdicts.size < MAX_VERDICTS) verdicts.set(places, verdict);
    return verdict;
  }

  return {
    isKnown(html, mailKey) {
      if (known === null) return false;
      const differing = differingTexts(known, piecesOf(html, mailKey));
      return differing !== null && (differing.length === 0 || verdictOf(known, differing));
    },
    remember(html, mailKey) {
      if (known !== null) return;
      const pieces = piecesOf(html, mailKey);
      if (pieces.every((piece, place) => place % 2 === 1 || isPlain(piece))) known = pieces;
    },
  };
}

/** Returns the places of the texts that differ; null: a tag differs, or a text that could change how tags are read. */
function differingTexts(known: readonly string[], pieces: readonly string[]): number[] | null {
  if (known.length !== pieces.length) return null;
  const differing: number[] = [];
  for (const [place, piece] of pieces.entries()) {
    const other = known[place] ?? '';
    if (piece === other) continue;
    if (place % 2 === 1 || isBlank(other) || isBlank(piece) || !isPlain(piece)) return null;
    differing.push(place);
  }
  return differing;
}

/** A parser treats white space in a special way, for example between the rows of a table. */
const isBlank = (text: string): boolean => text.trim() === '';
