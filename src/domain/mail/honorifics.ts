/*
 * Honorifics behind a name: what a greeting adds nothing to, and what stands twice in a template by mistake.
 */

const HONORIFIC = '(?:様|樣|さま|サマ|御中|各位|殿|先生|さん|氏)';

/**
 * Matches a doubled honorific with up to ten characters before it, so that the reader finds the place. The match stays
 * within one line. 先生各位 is right.
 */
const DOUBLED = new RegExp(
  `[^\\s、。，．「」]{0,10}(?!先生[ \\t\\u3000]*各位)${HONORIFIC}(?:[ \\t\\u00a0\\u3000]*${HONORIFIC})+`,
  'gu',
);

/** @returns the places where honorifics are doubled, as they are written in the text */
export const doubledHonorifics = (text: string): string[] => text.match(DOUBLED) ?? [];

const TRAILING = new RegExp(`(?:[ \\t\\u00a0\\u3000]*${HONORIFIC})+$`, 'u');

/** Returns the honorifics of such a place without the name before them: 様様 of 山田様様. */
export const honorificsOf = (doubled: string): string => (TRAILING.exec(doubled)?.[0] ?? doubled).trim();

/** A note behind the honorific: 山田 様（営業部）. */
const NOTE = '(?: ?[（(][^（）()]*[）)])?';
/** 鵜殿 and the like are surnames. */
const ENDING = new RegExp(`^(.*?) ?(${HONORIFIC}${NOTE})$`, 'u');
const SURNAME = /(?:^| )[鵜真湯大]殿$/;

/** Splits a name at the honorific that ends it. The honorific is '' where there is none. */
export function splitHonorific(person: string): { name: string; honorific: string } {
  const [, name = person, honorific = ''] = SURNAME.test(person) ? [] : (ENDING.exec(person) ?? []);
  return { name, honorific };
}
