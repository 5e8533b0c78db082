import { expect, it } from 'vitest';
import { isDateFormat } from './date-styles.ts';

it('reads a format code of unclosed brackets once', () => {
  expect(isDateFormat('['.repeat(1_000_000))).toBe(false);
  expect(isDateFormat(`${'[$-411]'.repeat(100_000)}ggge`)).toBe(true);
});
