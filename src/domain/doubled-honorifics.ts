/**
 * Finds doubled honorifics such as 御中様 and 様様, which are a mistake. A template makes one when it adds 様 to a name
 * that already ends in an honorific.
 */

const HONORIFIC = '(?:様|さま|御中|各位|殿)';
/**
 * Matches a doubled honorific with up to ten characters before it, so that the reader finds the place. The match stays
 * within one line.
 */
const DOUBLED = new RegExp(`[^\\s、。，．「」]{0,10}${HONORIFIC}(?:[ \\t\\u00a0\\u3000]*${HONORIFIC})+`, 'gu');

/** @returns the places where honorifics are doubled, as they are written in the text */
export const doubledHonorifics = (text: string): string[] => text.match(DOUBLED) ?? [];
