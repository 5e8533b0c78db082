import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withFullForms } from './full-forms.ts';

test.each([
  ['㈱山田', '株式会社山田'],
  ['山田㈱', '山田株式会社'],
  ['山田㈲東京支店', '山田有限会社東京支店'],
  ['㍿山田㍿', '株式会社山田株式会社'],
  ['㈱', '株式会社'],
  ['(株)山田', '株式会社山田'],
  ['（株）山田', '株式会社山田'],
  ['（株)山田', '株式会社山田'],
  ['山田 (有)', '山田 有限会社'],
  ['（有）　山田', '有限会社　山田'],
  ['(株)', '株式会社'],
  ['(有)山田(株)', '有限会社山田株式会社'],
  ['𠮷野㈱', '𠮷野株式会社'],
])('%s is addressed as %s', (name, written) => expect(withFullForms(name)).toBe(written));

test.each([
  '山田(株)東京支店',
  '山田(有)店',
  '山田（株）様',
  '株式会社山田',
  '(同)山田',
  '（医）山田',
  '㈹山田',
  'ｶ)ヤマダ',
  'カ）ヤマダ',
  '(ｶ)ヤマダ',
  '[株]山田',
  '株)山田',
  '',
])('%j stays as it was written', (name) => expect(withFullForms(name)).toBe(name));

test('a written-out name has nothing left to write out, and its own characters in their order', () => {
  const names = fc.string({ unit: fc.constantFrom('㈱', '㈲', '㍿', '(', '（', '株', '有', ')', '）', '山', ' ') });
  fc.assert(
    fc.property(names, (name) => {
      const written = withFullForms(name);
      expect(written).not.toMatch(/[㈱㈲㍿]/u);
      expect(written.replace(/[^山 ]/gu, '')).toBe(name.replace(/[^山 ]/gu, ''));
    }),
  );
});
