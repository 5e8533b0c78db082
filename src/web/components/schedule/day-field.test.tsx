import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { Dialog } from '../dialog/dialog.tsx';
import { DayField } from './day-field.tsx';
import { dayChoices } from './picker-choices.ts';

/** A Friday and the Tuesday after it; the days between are a weekend and a holiday. */
const [FRIDAY, TUESDAY] = ['2026-11-20', '2026-11-24'];
const WINDOW = { firstDay: '2026-11-19', lastDay: '2027-01-15' };
const onClose = vi.fn();

function Host({ first }: { readonly first: string }) {
  const [day, setDay] = useState(first);
  return (
    <Dialog title="予約の変更" onClose={onClose}>
      <DayField label="予約日時" days={dayChoices(WINDOW, day)} value={day} onChange={setDay} />
      <button type="button">次へ</button>
    </Dialog>
  );
}
const field = () => screen.getByRole<HTMLButtonElement>('combobox', { name: '予約日時' });
const grid = () => screen.queryByRole('dialog', { name: '予約日時のカレンダー' });
const focused = () => document.activeElement?.querySelector('.visually-hidden')?.textContent;

async function open(first = FRIDAY): Promise<void> {
  renderPart(<Host first={first} />);
  field().focus();
  await userEvent.keyboard('{Enter}');
}

beforeEach(() => onClose.mockClear());

it('opens at its day; arrow keys move by day and week, into other months too, and Enter chooses', async () => {
  await open();
  expect([focused(), field().getAttribute('aria-expanded')]).toEqual(['11月20日（金）', 'true']);
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}');
  expect(focused()).toMatch(/^11月23日（月）/);
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect([focused(), screen.getByText('2026年12月').localName]).toEqual(['12月7日（月）', 'strong']);
  await userEvent.keyboard('{Enter}');
  expect([field().value, field().textContent, grid()]).toEqual(['2026-12-07', '12月7日（月）', null]);
  expect(document.activeElement).toBe(field());
});

it('lets the focus come to days off, and refuses to choose them; no key leaves the window', async () => {
  await open();
  await userEvent.keyboard('{ArrowRight}{Enter}');
  expect([focused(), field().value]).toEqual(['11月21日（土）', FRIDAY]);
  await userEvent.keyboard('{PageUp}');
  expect(focused()).toBe('11月19日（木）');
  await userEvent.keyboard('{PageDown}{PageDown}{PageDown}');
  expect(focused()).toBe('1月15日（金）');
  const next = screen.getByRole('button', { name: '次の月' });
  expect(next.getAttribute('aria-disabled')).toBe('true');
  // The focus stays, and so do the keys.
  await userEvent.click(next);
  await userEvent.keyboard('{Escape}');
  expect(grid()).toBeNull();
});

it('closed, its up and down keys choose the next day that is offered, as those of a select', async () => {
  renderPart(<Host first={FRIDAY} />);
  field().focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect([field().value, grid()]).toEqual([TUESDAY, null]);
  await userEvent.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}{ArrowUp}');
  expect(field().value).toBe('2026-11-19');
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  expect(grid()).not.toBeNull();
});

it('Escape closes the grid, and then the dialog around it; so do a press and a focus elsewhere', async () => {
  await open();
  await userEvent.keyboard('{Escape}');
  expect([grid(), document.activeElement === field(), onClose.mock.calls.length]).toEqual([null, true, 0]);
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
  await userEvent.click(field());
  await userEvent.click(screen.getByRole('heading', { name: '予約の変更' }));
  expect(grid()).toBeNull();
  await userEvent.click(field());
  await userEvent.tab();
  expect([grid(), document.activeElement?.textContent]).toEqual([null, '次へ']);
});
