/** One honorific is polite, two are a mistake: 御中様, 様様. A template that adds 様 to a name that has one makes them. */

const HONORIFIC = '(?:様|さま|御中|各位|殿)';
/** With up to ten characters before it, so that the reader finds the place. No line break lies between the two. */
const DOUBLED = new RegExp(`[^\\s、。，．「」]{0,10}${HONORIFIC}(?:[ \\t\\u00a0\\u3000]*${HONORIFIC})+`, 'gu');

/** @returns the places where honorifics are doubled, as they stand in the text */
export const doubledHonorifics = (text: string): string[] => text.match(DOUBLED) ?? [];
