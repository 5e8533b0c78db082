/** A text that is being edited, and the version of the stored one that it began from. */
interface TextDraft {
  readonly text: string;
  /** undefined: unknown. */
  readonly version: string | undefined;
}

/** Returns the draft as the session stores it (session-store.ts). */
export const writeTextDraft = (draft: TextDraft): string => JSON.stringify(draft);

/** Reads a draft. One of an older version of this program is the text alone. */
export function readTextDraft(draft: string): TextDraft {
  try {
    const read: unknown = JSON.parse(draft);
    if (typeof read === 'object' && read !== null && 'text' in read && typeof read.text === 'string') {
      return read as TextDraft;
    }
  } catch {
    // A text that is no JSON.
  }
  return { text: draft, version: undefined };
}
