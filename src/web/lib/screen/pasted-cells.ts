import type { ClipboardEvent } from 'react';

const CELL_ENDS = /[\t\r\n]+/;

/**
 * Returns what makes cells that are pasted from a spreadsheet terms of their own.
 * A browser drops the line breaks between them, which makes one word of all.
 * @param separator what stands between two terms of the field
 */
export const pastedCells =
  (separator: string, onChange: (value: string) => void) => (event: ClipboardEvent<HTMLInputElement>) => {
    const cells = event.clipboardData
      .getData('text/plain')
      .split(CELL_ENDS)
      .flatMap((cell) => cell.trim() || []);
    if (cells.length < 2) return;
    event.preventDefault();
    const input = event.currentTarget;
    const from = input.selectionStart ?? input.value.length;
    const to = input.selectionEnd ?? from;
    const joinedTo = (neighbour: string) => (/[^\s,\u3001\uff0c\uff64]/.test(neighbour) ? separator : '');
    const [before, after] = [joinedTo(input.value.charAt(from - 1)), joinedTo(input.value.charAt(to))];
    input.setRangeText(before + cells.join(separator) + after, from, to, 'end');
    onChange(input.value);
  };
