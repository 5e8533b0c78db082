import { diffLines } from 'diff';
import type { TemplateForm } from './template-form.ts';

export type Content = Pick<TemplateForm, 'name' | 'subject' | 'text_body' | 'html_body' | 'editor' | 'text_follows'>;
export type Part = 'name' | 'subject' | 'text_body' | 'html_body';

export interface DifferentLines {
  readonly kind: 'same' | 'added' | 'removed';
  readonly lines: readonly string[];
}

export interface PartDifference {
  readonly part: Part;
  /** undefined: the texts differ too much to compare quickly. */
  readonly pieces: readonly DifferentLines[] | undefined;
}

/** Bounds a comparison, whose time grows with the product of length and changed lines. */
const MAX_CHANGED_LINES = 2000;

/** Returns the differing parts, each by lines. */
export function differencesOf(older: Content, newer: Content): PartDifference[] {
  return PARTS.filter((part) => older[part] !== newer[part] && isShown(part, older, newer)).map((part) => ({
    part,
    pieces: linesOf(older[part], newer[part]),
  }));
}

const PARTS: readonly Part[] = ['name', 'subject', 'text_body', 'html_body'];

const isSimple = ({ editor, text_follows }: Content): boolean => editor === 'rich' && text_follows;

/** Whether a part is shown. The simple editor writes both: if their texts differ, the HTML is omitted. */
const isShown = (part: Part, older: Content, newer: Content): boolean =>
  part !== 'html_body' || !isSimple(older) || !isSimple(newer) || older.text_body === newer.text_body;

const linesOf = (older: string, newer: string): readonly DifferentLines[] | undefined =>
  diffLines(older, newer, { maxEditLength: MAX_CHANGED_LINES })?.map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value.replace(/\n$/, '').split('\n'),
  }));
