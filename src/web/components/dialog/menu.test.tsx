import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { Menu, MenuGroup } from './menu.tsx';

const focused = () => document.activeElement?.textContent;

it('opens at the down arrow, and arrows, Home and End walk through its groups', async () => {
  renderPart(
    <Menu label="menu">
      <MenuGroup label="first">
        <button type="button">one</button>
        <button type="button" disabled>
          none
        </button>
      </MenuGroup>
      <MenuGroup label="second">
        <button type="button">two</button>
        <button type="button">three</button>
      </MenuGroup>
    </Menu>,
  );
  await userEvent.tab();
  const seen: unknown[] = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End']) {
    await userEvent.keyboard(`{${key}}`);
    seen.push(focused());
  }
  expect(seen).toEqual(['one', 'two', 'three', 'one', 'three', 'one', 'three']);
  await userEvent.keyboard('{Escape}');
  expect([focused(), screen.queryByRole('group')]).toEqual(['menu', null]);
});

it('leaves the focus where its entry has moved it', async () => {
  renderPart(
    <>
      <input aria-label="text" />
      <Menu label="menu">
        <button type="button" onClick={() => screen.getByLabelText('text').focus()}>
          insert
        </button>
      </Menu>
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'menu' }));
  await userEvent.click(screen.getByRole('button', { name: 'insert' }));
  expect(document.activeElement).toBe(screen.getByLabelText('text'));
  expect(screen.queryByRole('button', { name: 'insert' })).toBeNull();
});
