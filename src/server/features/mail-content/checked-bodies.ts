import { randomUUID } from 'node:crypto';

/**
 * Caches the HTML of one lawful mail of a run, so that later mails need not be parsed (decisions/legal-profile). Texts
 * without < and > do not change how a parser reads the tags. A body is therefore lawful if it differs from the cached
 * one only in texts that the check does not need.
 */
export interface CheckedBodies {
  /** Returns whether a body is as lawful as the cached one; false: it must be parsed. */
  readonly isKnown: (html: string, mailKey: string) => boolean;
  /** Caches a lawful body, unless one is cached. */
  readonly remember: (html: string, mailKey: string) => void;
}

/** Replaces each mail's own key. Random, so that no template contains it. */
const ANY_KEY = randomUUID().replaceAll('-', '');

/** Replaces a differing text. It is longer than the allowed distance between an opt-out link and its notice. */
const FILLER = '。'.repeat(200);

/** The most cached verdicts of a run, by the set of differing texts. Names cause only a few. */
const MAX_VERDICTS = 100;

const TAG = /(<[^<>]*>)/;
/** Splits a body: texts at even indexes, tags at odd ones. */
const piecesOf = (html: string, mailKey: string): string[] => html.replaceAll(mailKey, ANY_KEY).split(TAG);

const isPlain = (text: string): boolean => !(text.includes('<') || text.includes('>'));

/** @param isLawful parses a body; its second argument is the key in the opt-out link */
export function checkedBodies(isLawful: (html: string, mailKey: string) => boolean): CheckedBodies {
  let known: readonly string[] | null = null;
  /** By the places of differing texts: whether the body stays lawful with any text there. */
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

/** Returns the places of differing texts; null: a tag differs, or a text that could change how tags are read. */
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

/** A parser treats white space specially, for example between table rows. */
const isBlank = (text: string): boolean => text.trim() === '';
