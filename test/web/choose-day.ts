import { fireEvent, screen } from '@testing-library/react';

const cellOf = (day: string) => document.querySelector<HTMLElement>(`[role="dialog"] td[data-day="${day}"] button`);
/** Shows the month before or after. Returns false at the end of the window. */
const step = (name: string): boolean => {
  const button = screen.getByRole('button', { name });
  const canStep = button.getAttribute('aria-disabled') !== 'true';
  fireEvent.click(button);
  return canStep;
};

/** Opens a field at the month of a day. Returns the day's button. @throws where the window has no such month */
export function openDay(label: string, day: string): HTMLElement {
  const field = screen.getByLabelText<HTMLButtonElement>(label);
  if (field.getAttribute('aria-expanded') !== 'true') fireEvent.click(field);
  const towards = day < field.value ? '前の月' : '次の月';
  while (cellOf(day) === null && step(towards));
  const cell = cellOf(day);
  if (cell === null) throw new Error(`${label} shows no ${day}`);
  return cell;
}

/** Chooses a day in the grid of its field, as a person does. */
export const chooseDay = (label: string, day: string): void => void fireEvent.click(openDay(label, day));

/** Returns the days that a field offers, or only shows. */
export function daysOf(label: string, isOff = false): string[] {
  fireEvent.click(screen.getByLabelText(label));
  while (step('前の月'));
  const days: string[] = [];
  do {
    for (const cell of document.querySelectorAll<HTMLElement>('[role="dialog"] td[data-day]')) {
      const isDisabled = cell.querySelector('[aria-disabled="true"]') !== null;
      if (isDisabled === isOff) days.push(cell.dataset.day ?? '');
    }
  } while (step('次の月'));
  fireEvent.keyDown(screen.getByRole('dialog', { name: `${label}のカレンダー` }), { key: 'Escape' });
  return days;
}
