/** The parts from which Japanese texts are built, by the catalogues (words.ts) and by the screens. */

/** A number of what is matched or reserved, or of what has no unit of its own. */
export const count = (value: number): string => `${value.toLocaleString('ja-JP')}件`;
export const companies = (value: number): string => `${value.toLocaleString('ja-JP')}社`;
export const mails = (value: number): string => `${value.toLocaleString('ja-JP')}通`;
export const rows = (value: number): string => `${value.toLocaleString('ja-JP')}行`;

export const inBrackets = (text: string): string => `（${text}）`;

/** A text with its unit or another note behind it. */
export const withNote = (text: string, note: string): string => text + inBrackets(note);

/** A sentence of the server as a message, which ends without 。 on screen (CONTRIBUTING.md). */
export const asMessage = (sentence: string): string => sentence.replace(/。$/, '');

/** A message as a sentence among others. */
export const asSentence = (message: string): string => `${message}。`;

export const LIST_SEPARATOR = '、';
/** Between a reason and its details. */
export const DETAIL_SEPARATOR = '：';
/** Between two times. */
export const RANGE_SEPARATOR = '〜';
/** Between figures. */
export const FIGURE_SEPARATOR = '・';
