/* Honorifics after a name: those to which a greeting adds none, and those doubled in a template by mistake. */

const HONORIFIC = '(?:様|樣|さま|サマ|御中|各位|殿|先生|さん|氏)';

/**
 * Matches a doubled honorific with up to ten characters before it, so that a person can find it. The match stays within
 * one line. 先生各位 is correct.
 */
const DOUBLED = new RegExp(
  `[^\\s、。，．「」]{0,10}(?!先生[ \\t\\u3000]*各位)${HONORIFIC}(?:[ \\t\\u00a0\\u3000]*${HONORIFIC})+`,
  'gu',
);

/** @returns the doubled honorifics with their context, as in the text */
export const doubledHonorifics = (text: string): string[] => text.match(DOUBLED) ?? [];

const TRAILING = new RegExp(`(?:[ \\t\\u00a0\\u3000]*${HONORIFIC})+$`, 'u');

/** Returns the honorifics of such a place without the name before them: 様様 of 山田様様. */
export const honorificsOf = (doubled: string): string => (TRAILING.exec(doubled)?.[0] ?? doubled).trim();

/** A note after the honorific: 山田 様（営業部）. */
const NOTE = '(?: ?[（(][^（）()]*[）)])?';
/** 鵜殿 and similar words are surnames. */
const ENDING = new RegExp(`^(.*?) ?(${HONORIFIC}${NOTE})$`, 'u');
const SURNAME = /(?:^| )[鵜真湯大]殿$/;

/** Splits a name at its final honorific. The honorific is '' if there is none. */
export function splitHonorific(person: string): { name: string; honorific: string } {
  const [, name = person, honorific = ''] = SURNAME.test(person) ? [] : (ENDING.exec(person) ?? []);
  return { name, honorific };
}
