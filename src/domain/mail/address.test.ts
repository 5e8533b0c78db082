import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeText } from '../text/text-filter.ts';
import { parseMailAddress } from './address.ts';

describe('one address, however it is wrapped', () => {
  test.each([
    ['info@example.co.jp', 'info@example.co.jp'],
    ['Info＠Example.co.jp', 'Info@example.co.jp'],
    ['ｉｎｆｏ＠ｅｘａｍｐｌｅ．ｃｏ．ｊｐ', 'info@example.co.jp'],
    ['  a@x.jp\r\n', 'a@x.jp'],
    ['　a@x.jp　', 'a@x.jp'],
    ['<a@x.jp>', 'a@x.jp'],
    ['＜a@x.jp＞', 'a@x.jp'],
    ['mailto:a@x.jp', 'a@x.jp'],
    ['MAILTO:a@x.jp?subject=hello', 'a@x.jp'],
    ['<mailto:a@x.jp>。', 'a@x.jp'],
    ['a@x.jp。', 'a@x.jp'],
    ['a@x.jp｡', 'a@x.jp'],
    ["o'brien+tag@x.jp", "o'brien+tag@x.jp"],
    ['a..b.@docomo.ne.jp', 'a..b.@docomo.ne.jp'],
    ['.a@docomo.ne.jp', '.a@docomo.ne.jp'],
    ['"a..b"@docomo.ne.jp', 'a..b@docomo.ne.jp'],
    ['-oQ/tmp@x.jp', '-oQ/tmp@x.jp'],
    ['a@xn--r8jz45g.jp', 'a@xn--r8jz45g.jp'],
    [`${'a'.repeat(64)}@x.jp`, `${'a'.repeat(64)}@x.jp`],
  ])('bad-inputs 89, 114, 115: %j is %s', (written, address) => {
    expect(parseMailAddress(written)).toStrictEqual({ ok: true, address });
  });
});

describe('what is not one plain address is refused with its reason', () => {
  test.each([
    ['', 'blank'],
    [' 　', 'blank'],
    ['<>', 'blank'],
    ['mailto:', 'blank'],
    ['a@x.jp\r\nBcc: b@y.jp', 'control_character'],
    ['a\u0000@x.jp', 'control_character'],
    ['a\u2028@x.jp', 'control_character'],
    ['a\u200b@x.jp', 'control_character'],
    ['a\u202e@x.jp', 'control_character'],
    ['a@x.jp,b@x.jp', 'list'],
    ['a@x.jp;b@x.jp', 'list'],
    ['a@x.jp；b@x.jp', 'list'],
    ['a@x.jp、b@x.jp', 'list'],
    ['a@x.jp b@x.jp', 'list'],
    ['a@x.jp,', 'list'],
    ['0@x.jp,b@y.jp', 'list'],
    ['x:a@y.jp;', 'group'],
    ['"a@evil.jp x"@good.jp', 'quoted'],
    ['"a b"@good.jp', 'quoted'],
    ['""@good.jp', 'quoted'],
    ['a(b)@x.jp', 'comment'],
    [`${'('.repeat(100)}a@x.jp`, 'comment'],
    ['株式会社あ <a@x.jp>', 'display_name'],
    ['a@[127.0.0.1]', 'address_literal'],
    ['[n]@x.jp', 'address_literal'],
    ['a b@x.jp', 'space'],
    ['a@x .jp', 'space'],
    ['info', 'no_at'],
    ['example.co.jp', 'no_at'],
    ['@x.jp', 'local_part'],
    ['a\\b@x.jp', 'local_part'],
    ['例え@x.jp', 'non_ascii_local_part'],
    ['①@x.jp', 'non_ascii_local_part'],
    ['\u212a@x.jp', 'non_ascii_local_part'],
    ['a@例え.jp', 'idn'],
    ['a@\u212aite.jp', 'idn'],
    ['a@localhost', 'domain'],
    ['a@127.0.0.1', 'domain'],
    ['a@x..jp', 'domain'],
    ['a@.jp', 'domain'],
    ['a@x.jp.', 'domain'],
    ['a@-x.jp', 'domain'],
    ['a@x_y.jp', 'domain'],
    ['a@', 'domain'],
    [`${'a'.repeat(65)}@x.jp`, 'too_long'],
    [`a@${'a'.repeat(64)}.jp`, 'too_long'],
    [`a@${'abc.'.repeat(63)}jp`, 'too_long'],
    [`a@${'a'.repeat(255)}`, 'too_long'],
    [`${'('.repeat(10_000)}a@x.jp`, 'too_long'],
  ])('bad-inputs 89, 105, 106, 107, 108, 109, 110, 111, 112, 113, 116, 117, 118: %.60s: %s', (written, reason) => {
    expect(parseMailAddress(written)).toStrictEqual({ ok: false, reason });
  });
});

test('an accepted address is safe in a header and reads as itself', () => {
  const noise = fc.string({ unit: fc.constantFrom(...'ab1@@..<>"(),;: \r\n＠ｘ。-あ'), maxLength: 40 });
  const near = fc
    .tuple(noise, fc.constantFrom('@', '＠'), fc.domain(), fc.constantFrom('', '>', '。', '\n'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(noise, near, fc.emailAddress(), fc.string({ unit: 'grapheme' })), (written) => {
      const parsed = parseMailAddress(written);
      if (!parsed.ok) return;
      expect(parsed.address).toMatch(/^[\x21-\x7e]+@[a-z0-9.-]+$/);
      expect(parsed.address).not.toMatch(/[<>()[\]",;:\s]/);
      expect(parseMailAddress(parsed.address)).toStrictEqual(parsed);
      // prospect.email_search stores the first form; the suppression list, which is matched against it, the second.
      expect(normalizeText(parsed.address)).toBe(parsed.address.toLowerCase());
    }),
  );
});
