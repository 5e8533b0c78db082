/** An edited text, and the version of the stored text that it is based on. */
interface TextDraft {
  readonly text: string;
  /** undefined: unknown. */
  readonly version: string | undefined;
}

/** Returns the draft as the session stores it (session-store.ts). */
export const writeTextDraft = (draft: TextDraft): string => JSON.stringify(draft);

/** Reads a draft. A draft of an older program version is only the text. */
export function readTextDraft(draft: string): TextDraft {
  try {
    const read: unknown = JSON.parse(draft);
    if (typeof read === 'object' && read !== null && 'text' in read && typeof read.text === 'string') {
      return read as TextDraft;
    }
  } catch {
    // The text is no JSON.
  }
  return { text: draft, version: undefined };
}
