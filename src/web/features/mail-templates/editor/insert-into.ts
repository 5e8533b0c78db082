import { flushSync } from 'react-dom';

/** Inserts text at the cursor of an input, and moves the cursor behind it. */
export function insertInto(input: HTMLInputElement, text: string, set: (value: string) => void): void {
  const { selectionStart, selectionEnd, value } = input;
  const from = selectionStart ?? value.length;
  flushSync(() => set(value.slice(0, from) + text + value.slice(selectionEnd ?? from)));
  input.focus();
  input.setSelectionRange(from + text.length, from + text.length);
}
