/** Parts of Japanese texts, used by the catalogues (words.ts) and the screens. */

/** Formats a number of matches, reservations, or things without their own counter. */
export const count = (value: number): string => `${value.toLocaleString('ja-JP')}件`;
export const companies = (value: number): string => `${value.toLocaleString('ja-JP')}社`;
export const persons = (value: number): string => `${value.toLocaleString('ja-JP')}人`;
export const mails = (value: number): string => `${value.toLocaleString('ja-JP')}通`;
export const rows = (value: number): string => `${value.toLocaleString('ja-JP')}行`;

export const inBrackets = (text: string): string => `（${text}）`;

/** Adds a unit or another note to a text. */
export const withNote = (text: string, note: string): string => text + inBrackets(note);

/** Makes a message of a server's sentence: without 。 at its end (CONTRIBUTING.md). */
export const asMessage = (sentence: string): string => sentence.replace(/。$/, '');

/** Makes a sentence of a message, so that others can follow. */
export const asSentence = (message: string): string => `${message}。`;

export const LIST_SEPARATOR = '、';
/** Separates a reason from its details. */
export const DETAIL_SEPARATOR = '：';
/** Separates two times. */
export const RANGE_SEPARATOR = '〜';
/** Separates figures. */
export const FIGURE_SEPARATOR = '・';

/** Says, beside a number of replies, how many of them members have recorded; '' for none. */
export const byHand = (replies: number): string => (replies > 0 ? `手動 ${replies.toLocaleString('ja-JP')}` : '');
