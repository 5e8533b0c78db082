import { describe, expect, test, vi } from 'vitest';
import { checkedBodies } from './checked-bodies.ts';
import { visibleOfHtml } from './visible-text.ts';

const KEY_A = 'a'.repeat(32);
const KEY_B = 'b'.repeat(32);

/** Lawful is a body that shows the key after the word 停止 by at most 10 characters. */
const isLawful = (html: string, key: string) => new RegExp(`停止.{0,10}${key}`, 's').test(visibleOfHtml(html).text);
const scene = (first: string) => {
  const parse = vi.fn(isLawful);
  const bodies = checkedBodies(parse);
  bodies.remember(first.replaceAll('KEY', KEY_A), KEY_A);
  return { parse, isKnown: (html: string) => bodies.isKnown(html.replaceAll('KEY', KEY_B), KEY_B) };
};

test('a body that differs in its own key and in names is known, and parsed once for all of them', () => {
  const { parse, isKnown } = scene('<p>株式会社花</p><p>山田</p><p>停止 KEY</p>');
  expect(isKnown('<p>株式会社花</p><p>山田</p><p>停止 KEY</p>')).toBe(true);
  expect(parse).not.toHaveBeenCalled();
  expect(isKnown('<p>株式会社草</p><p>鈴木</p><p>停止 KEY</p>')).toBe(true);
  expect(isKnown('<p>株式会社木</p><p>佐藤</p><p>停止 KEY</p>')).toBe(true);
  expect(parse).toHaveBeenCalledTimes(1);
});

describe('is not known', () => {
  test.each([
    ['the proof differs', '<p>花</p><p>停止 KEY</p>', '<p>花</p><p>再開 KEY</p>'],
    ['the proof is in a text that differs', '<p>花</p><p>停止 KEY</p>', '<p>花</p><p>停止 KEY 草</p>'],
    ['a text between the place and its notice differs', '<p>停止<i>花</i>KEY</p>', '<p>停止<i>草</i>KEY</p>'],
    ['the notice comes from a name', '<p>停止</p><p>KEY</p>', '<p>再開</p><p>KEY</p>'],
    ['a tag differs', '<p>花</p><p>停止 KEY</p>', '<p hidden>花</p><p>停止 KEY</p>'],
    ['a comment differs', '<!-- 花 --><p>停止 KEY</p>', '<!-- 草 --><p>停止 KEY</p>'],
    ['there are more tags', '<p>停止 KEY</p>', '<p>停止 KEY</p><br>'],
    ["another mail's key", '<p>花</p><p>停止 KEY</p>', `<p>草</p><p>停止 ${KEY_A}</p>`],
    [
      'a text became blank',
      '<table>花<tr><td>停止 KEY</td></tr></table>',
      '<table> <tr><td>停止 KEY</td></tr></table>',
    ],
    ['a text closes a comment', '<!-- > 花> <p>停止 KEY</p>', '<!-- > 草--> <p>停止 KEY</p>'],
    ['a text opens a tag', '<p>花</p><p>停止 KEY</p>', '<p>草 < 花</p><p>停止 KEY</p>'],
  ])('where %s', (_name, first, next) => expect(scene(first).isKnown(next)).toBe(false));
});

test('nothing is known before a body is remembered', () => {
  const bodies = checkedBodies(isLawful);
  expect(bodies.isKnown('', KEY_A)).toBe(false);
});
