import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import TagBox from './tag-box.tsx';

const tag = (id: number, label: string) => ({ id, label, colour: 0 });
const onPick = vi.fn();
const onMake = vi.fn();

async function type(text: string, labels: readonly string[], mayMake = true) {
  onPick.mockClear();
  onMake.mockClear();
  const tags = labels.map((label, place) => tag(place + 1, label));
  renderPart(<TagBox label="タグ" tags={tags} onPick={onPick} onMake={mayMake ? onMake : undefined} />);
  await userEvent.type(screen.getByRole('combobox'), text);
  return screen.queryAllByRole('option').map(({ textContent }) => textContent);
}

it('makes the typed tag at Enter, where others only contain it', async () => {
  expect(await type('重点{Enter}', ['最重点'])).toEqual(['最重点']);
  expect(onMake).toHaveBeenCalledExactlyOnceWith('重点');
  expect(onPick).not.toHaveBeenCalled();
});

it('takes the typed tag at Enter, whatever stands before it', async () => {
  await type('重点{Enter}', ['最重点', '重点先', '重点']);
  expect(onPick).toHaveBeenCalledExactlyOnceWith(3);
  expect(onMake).not.toHaveBeenCalled();
});

it('lists the typed tag, then the new one, then those that begin so, then the rest', async () => {
  expect(await type('重点', ['最重点', '重点先', '秋'])).toEqual(['「重点」を作る', '重点先', '最重点']);
});

it('lists the same for a member who may make none', async () => {
  expect(await type('重点', ['最重点', '重点先', '重点'], false)).toEqual(['重点', '重点先', '最重点']);
});
