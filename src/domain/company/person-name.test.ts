import { expect, test } from 'vitest';
import { parseName } from './person-name.ts';

test.each([
  ['山田 太郎', '山田 太郎'],
  ['　山田\u3000太郎 \n', '山田\u3000太郎'],
  ['𠮷野家', '𠮷野家'],
  // A kanji variant, chosen by an invisible selector.
  ['葛\u{e0100}城', '葛\u{e0100}城'],
  ['あ'.repeat(100), 'あ'.repeat(100)],
  ['𠮷'.repeat(100), '𠮷'.repeat(100)],
  // か with its mark as two characters, and joined characters: both display as intended.
  ['か\u3099', 'か\u3099'],
  ['👩\u200d💻', '👩\u200d💻'],
  ["O'Neill <株> & 息子", "O'Neill <株> & 息子"],
])('%j is the name %j', (written, name) => expect(parseName(written)).toStrictEqual({ ok: true, name }));

test.each([
  ['', 'blank'],
  [' \u3000\t', 'blank'],
  ['\u200b\u200d\ufeff', 'blank'],
  ['\u3164', 'blank'],
  ['\u2800', 'blank'],
  ['\u0301', 'blank'],
  ['\u200b\u0301\ufe0f', 'blank'],
  ['\u3099山田', 'unusable_character'],
  ['山田 \u0301太郎', 'unusable_character'],
  ['山\u200b田', 'unusable_character'],
  ['山\ufeff田', 'unusable_character'],
  ['山\u000b田', 'unusable_character'],
  ['あ'.repeat(101), 'too_long'],
  ['𠮷'.repeat(101), 'too_long'],
  ['x'.repeat(5000), 'too_long'],
  ['太郎\u202E郎太', 'unusable_character'],
  ['太郎\u2067郎太', 'unusable_character'],
  ['太郎\n山田', 'unusable_character'],
  ['太郎\r\nBcc: a@example.com', 'unusable_character'],
  ['太\u0000郎', 'unusable_character'],
  ['太\u2028郎', 'unusable_character'],
  ['太\ud842郎', 'unusable_character'],
])('%j is none: %s', (written, fault) => expect(parseName(written)).toStrictEqual({ ok: false, fault }));
