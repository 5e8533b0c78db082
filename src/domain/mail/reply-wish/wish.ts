import { isAnswering } from '../reply.ts';
import { HARMLESS, OFFERS, PERSONS, ROBOTS } from './courtesies.ts';
import { ENGLISH_DOUBTS, ENGLISH_REFUSALS, ENGLISH_SOFTENERS } from './english.ts';
import { type OwnWords, ownWordsOf, plain } from './own-words.ts';
import type { WordRow } from './pieces.ts';
import { DOUBTS, REFUSALS, SOFTENERS } from './words.ts';

/** A reply's wish: none, perhaps no more mails (a member decides), or no more mails. */
export const ANSWER_WISHES = ['none', 'doubtful', 'refusal'] as const;
export type AnswerWish = (typeof ANSWER_WISHES)[number];

/** The content of a reply. */
export interface ReadAnswer {
  /** The text above the quotation, for people. */
  readonly above: string;
  readonly wish: AnswerWish;
  /** The text states that a program wrote it. */
  readonly isRobot: boolean;
}

const ASKING = [...REFUSALS, ...ENGLISH_REFUSALS];
const SOFTENING = [...SOFTENERS, ...ENGLISH_SOFTENERS];
const UNCLEAR = [...DOUBTS, ...ENGLISH_DOUBTS];

/** The rows that count if they are a whole line. */
const alone = (rows: readonly WordRow[]) => rows.filter((row) => row.alone);
const ALONE = { asking: alone(ASKING), unclear: alone(UNCLEAR) };
const WITHIN = ASKING.filter((row) => !row.alone);

/** Only attackers send longer subjects. */
const SUBJECT_LENGTH = 200;

/**
 * Reads a reply's wish from its writer's own sentences.
 * An opt-out is doubtful if its words may be another's: beside unmarked text of our mail, below the mark of a
 * signature, and beside a robot's notice.
 */
export function readWish(text: string, subject = ''): ReadAnswer {
  const words = ownWordsOf(text);
  const own = strongest([
    ...words.sentences.map(wishOf),
    ...ownSubject(subject).flatMap((line) => [wishOf(line), wholeWish(line, 0)]),
    ...words.lines.map(wholeWish),
  ]);
  const below = strongest(words.signature.map(wishOf)) === 'refusal' ? 'doubtful' : 'none';
  const found = strongest([words.holdsOurMail ? atMostDoubtful(own) : own, below]);
  const isAutomatic = saysRobot(words);
  return {
    above: words.above,
    wish: isAutomatic ? atMostDoubtful(found) : found,
    isRobot: isAutomatic && found === 'none',
  };
}

/** A subject copied from our mail is not the writer's. */
const ownSubject = (subject: string): string[] =>
  isAnswering(subject) ? [] : [plain(subject.slice(0, SUBJECT_LENGTH))].filter((line) => line !== '');

const strongest = (wishes: readonly AnswerWish[]): AnswerWish =>
  wishes.reduce((one, other) => (ANSWER_WISHES.indexOf(other) > ANSWER_WISHES.indexOf(one) ? other : one), 'none');

const atMostDoubtful = (wish: AnswerWish): AnswerWish => (wish === 'refusal' ? 'doubtful' : wish);

/** Returns the wish of one sentence. @param sentence half-width and in lower case */
function wishOf(sentence: string): AnswerWish {
  // Japanese words may be broken anywhere, English ones are separated by blanks.
  const forms = [sentence.replace(/\s+/g, ''), sentence];
  if (forms.some((form) => has(OFFERS, form))) return 'none';
  const rest = forms.map(withoutHarmless);
  if (rest.some((form) => has(WITHIN, form))) return rest.some((form) => has(SOFTENING, form)) ? 'doubtful' : 'refusal';
  return rest.some((form) => has(UNCLEAR, form)) ? 'doubtful' : 'none';
}

/**
 * A line broken by a program is no sentence, so only its whole text counts. Below others, `unsubscribe` may be a
 * footer's link.
 */
function wholeWish(line: string, index: number): AnswerWish {
  if (has(ALONE.asking, line)) return index === 0 ? 'refusal' : 'doubtful';
  return has(ALONE.unclear, line) ? 'doubtful' : 'none';
}

const has = (rows: readonly WordRow[], form: string): boolean =>
  rows.some(({ words, beside }) => words.test(form) && (beside === undefined || beside.test(form)));

const withoutHarmless = (form: string): string => HARMLESS.reduce((rest, { words }) => rest.replace(words, '◦'), form);

function saysRobot({ sentences, signature }: OwnWords): boolean {
  const forms = [...sentences, ...signature].flatMap((sentence) => [sentence.replace(/\s+/g, ''), sentence]);
  return forms.some((form) => has(ROBOTS, form)) && !forms.some((form) => has(PERSONS, form));
}
