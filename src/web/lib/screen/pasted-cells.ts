import type { ClipboardEvent } from 'react';

const CELL_ENDS = /[\t\r\n]+/;

/**
 * Returns a paste handler that makes a term of each cell copied from a spreadsheet.
 * A browser would remove the line breaks between cells, and join them to one word.
 * @param separator separates two terms in the field
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
