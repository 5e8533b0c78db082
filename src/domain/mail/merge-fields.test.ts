import { expect, test } from 'vitest';
import { isMergeField } from './merge-fields.ts';

test.each(['company_name', 'sender.email', 'company_name.size', 'candidate_date_lines.0'])(
  '%s is filled in',
  (path) => {
    expect(isMergeField(path)).toBe(true);
  },
);

// A whole sender would appear in the mail as [object Object].
test.each(['company_nam', 'company_name2', 'sender', 'account', 'sender.bcc', ''])('%j is not', (path) => {
  expect(isMergeField(path)).toBe(false);
});
