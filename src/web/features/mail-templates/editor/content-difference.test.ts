import { expect, it } from 'vitest';
import { type Content, differencesOf } from './content-difference.ts';

const OLD: Content = {
  name: '名前',
  subject: '件名',
  text_body: '一\n二\n三\n',
  html_body: '<p>一</p>',
  editor: 'rich',
  text_follows: true,
};

it('shows the lines that were added and removed, of the parts that differ', () => {
  expect(differencesOf(OLD, { ...OLD, name: '新しい名前', text_body: '一\n弐\n三\n', html_body: '<p>弐</p>' })).toEqual(
    [
      {
        part: 'name',
        pieces: [
          { kind: 'removed', lines: ['名前'] },
          { kind: 'added', lines: ['新しい名前'] },
        ],
      },
      {
        part: 'text_body',
        pieces: [
          { kind: 'same', lines: ['一'] },
          { kind: 'removed', lines: ['二'] },
          { kind: 'added', lines: ['弐'] },
          { kind: 'same', lines: ['三'] },
        ],
      },
    ],
  );
});

it('shows the HTML where it was written by hand, or is all that differs', () => {
  const parts = (newer: Partial<Content>) => differencesOf(OLD, { ...OLD, ...newer }).map(({ part }) => part);
  expect(parts({ html_body: '<p><strong>一</strong></p>' })).toEqual(['html_body']);
  expect(parts({ html_body: '<p>弐</p>', text_body: '弐', editor: 'html' })).toEqual(['text_body', 'html_body']);
});

it('stops comparing texts that have nothing in common', () => {
  const long = (word: string) => Array.from({ length: 5000 }, (_, line) => `${word}${line}`).join('\n');
  expect(differencesOf({ ...OLD, text_body: long('a') }, { ...OLD, text_body: long('b') })).toEqual([
    { part: 'text_body', pieces: undefined },
  ]);
});
