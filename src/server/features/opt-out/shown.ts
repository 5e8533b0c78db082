/** What the page shows. */
export type Shown =
  /**
   * `address` null: that of an erased person. `domain`: the reader may refuse for all of it; null: other companies have
   * addresses there.
   */
  | {
      readonly kind: 'offer';
      readonly senderName: string;
      readonly address: string | null;
      readonly domain: string | null;
    }
  /** Refused just now. */
  | { readonly kind: 'done'; readonly senderName: string; readonly canUndo: boolean }
  /** Refused before. `at`: epoch milliseconds. */
  | { readonly kind: 'refused'; readonly at: number; readonly canUndo: boolean }
  | { readonly kind: 'undone'; readonly senderName: string }
  | { readonly kind: 'too_late' | 'too_often' | 'test' | 'example' | 'unknown' | 'unavailable' };

/** A refusal whose open mails are still to be cancelled. */
export interface StoredRefusal {
  /** Of the suppressions. */
  readonly ids: readonly number[];
  readonly shown: Shown;
}
