import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { Tabs } from './tabs.tsx';

const NAMES = ['one', 'two', 'three'] as const;

function Example(props: { readonly isManual?: boolean; readonly keepsPanels?: boolean; readonly showsAll?: boolean }) {
  const [shown, setShown] = useState<(typeof NAMES)[number]>('one');
  const tabs = NAMES.map((name) => ({ name, label: `tab ${name}`, panel: <input aria-label={`field ${name}`} /> }));
  return <Tabs label="example" tabs={tabs} shown={shown} onShow={setShown} {...props} />;
}

const shown = () => screen.getByRole('tab', { selected: true }).textContent;
const focused = () => document.activeElement?.textContent;

it('is one Tab stop, and shows the tab at each arrow key', async () => {
  renderPart(<Example />);
  await userEvent.tab();
  expect(focused()).toBe('tab one');
  const seen: unknown[] = [];
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'Home', 'End']) {
    await userEvent.keyboard(`{${key}}`);
    expect(focused()).toBe(shown());
    seen.push(shown());
  }
  expect(seen).toEqual(['tab two', 'tab three', 'tab one', 'tab three', 'tab one', 'tab three']);
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByLabelText('field three'));
});

it('moves only the focus if another tab may ask a question; Enter shows it', async () => {
  renderPart(<Example isManual />);
  await userEvent.tab();
  await userEvent.keyboard('{ArrowRight}');
  expect([focused(), shown()]).toEqual(['tab two', 'tab one']);
  await userEvent.keyboard('{Enter}');
  expect(shown()).toBe('tab two');
});

it('names its list and its panel, and connects them', () => {
  renderPart(<Example />);
  expect(screen.getByRole('tablist', { name: 'example' })).toBeDefined();
  const panel = screen.getByRole('tabpanel', { name: 'tab one' });
  expect(screen.getByRole('tab', { name: 'tab one' }).getAttribute('aria-controls')).toBe(panel.id);
});

it.each([
  [true, 'typed'],
  [false, ''],
])('keeps the state of hidden panels: %s', async (keepsPanels, value) => {
  renderPart(<Example keepsPanels={keepsPanels} />);
  await userEvent.type(screen.getByLabelText('field one'), 'typed');
  await userEvent.click(screen.getByRole('tab', { name: 'tab two' }));
  expect(screen.getAllByRole('tabpanel')).toEqual([screen.getByRole('tabpanel', { name: 'tab two' })]);
  await userEvent.click(screen.getByRole('tab', { name: 'tab one' }));
  expect(screen.getByLabelText('field one')).toHaveProperty('value', value);
});

it('shows all panels without tabs where there is room, and goes on with them where there is none', async () => {
  const view = renderPart(<Example showsAll />);
  const one = screen.getByLabelText('field one');
  await userEvent.type(one, 'typed');
  expect(screen.queryByRole('tab')).toBeNull();
  expect(screen.getAllByRole('textbox')).toHaveLength(3);
  view.rerender(<Example showsAll={false} />);
  expect(screen.getAllByRole('textbox')).toEqual([one]);
  await userEvent.click(screen.getByRole('tab', { name: 'tab two' }));
  view.rerender(<Example showsAll />);
  expect(screen.getByLabelText('field one')).toBe(one);
  expect(one).toHaveProperty('value', 'typed');
});
