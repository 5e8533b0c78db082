import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { pastedCells } from './pasted-cells.ts';

function Terms({ initial }: { readonly initial: string }) {
  const [value, setValue] = useState(initial);
  return (
    <input
      aria-label="terms"
      value={value}
      onChange={(event) => setValue(event.target.value)}
      onPaste={pastedCells(',', setValue)}
    />
  );
}

/** Pastes at `|`. @returns the field's text afterwards, and whether the browser itself pastes */
function pasted(text: string, initial: string) {
  const at = initial.indexOf('|');
  renderPart(<Terms initial={initial.replace('|', '')} />);
  const input = screen.getByRole<HTMLInputElement>('textbox', { name: 'terms' });
  input.setSelectionRange(at, at);
  const byBrowser = fireEvent.paste(input, { clipboardData: { getData: () => text } });
  return [input.value, byBrowser];
}

it.each([
  ['東京都\r\n大阪府\r\n', '|', '東京都,大阪府'],
  ['東京都\t大阪府', '|', '東京都,大阪府'],
  ['東京都\n\n 大阪府 \n\t\n愛知県', '|', '東京都,大阪府,愛知県'],
  ['東京都\r大阪府', '北海道|', '北海道,東京都,大阪府'],
  ['東京都\n大阪府', '北海道、|沖縄県', '北海道、東京都,大阪府,沖縄県'],
  ['東京都\n大阪府', '北海道, |', '北海道, 東京都,大阪府'],
])('the cells of %j at %j are terms of their own', (text, initial, value) =>
  expect(pasted(text, initial)).toStrictEqual([value, false]),
);

it.each(['東京都', '東京都\r\n', '東京都、大阪府', ''])('%j is pasted by the browser', (text) =>
  expect(pasted(text, '|')).toStrictEqual(['', true]),
);
