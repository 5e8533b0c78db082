/** How Japanese texts are put together, for the catalogue (words.ts) and for what screens put together themselves. */

/** So many mails, companies, rows. */
export const count = (value: number): string => `${value.toLocaleString('ja-JP')}件`;

export const inBrackets = (text: string): string => `（${text}）`;

/** A text with what it is measured in, or what else is to be known of it. */
export const withNote = (text: string, note: string): string => text + inBrackets(note);

/** A sentence of the server as a message, which ends without 。 on screen (CONTRIBUTING.md). */
export const asMessage = (sentence: string): string => sentence.replace(/。$/, '');

/** A message as a sentence among others. */
export const asSentence = (message: string): string => `${message}。`;

/** Between the parts of a list, between a reason and its details, between two times. */
export const AND = '、';
export const NAMELY = '：';
export const TO = '〜';
