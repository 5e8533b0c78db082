import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { renderPart, toastText } from '#test/web/render.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';
import { Menu } from './menu.tsx';

const pressIn = (key: object) => fireEvent.keyDown(screen.getByRole('textbox'), { key: 'Enter', ...key });

function openDialog(variant: 'primary' | 'outline' | 'danger', disabled = false) {
  const onPress = vi.fn();
  renderPart(
    <Dialog title="題" onClose={() => undefined}>
      <input aria-label="text" />
      <Button>other</Button>
      <Button variant={variant} disabled={disabled} onClick={onPress}>
        main
      </Button>
    </Dialog>,
  );
  return onPress;
}

it.each(['primary', 'outline'] as const)('Ctrl+Enter presses the %s button of a dialog', (variant) => {
  const onPress = openDialog(variant);
  pressIn({ ctrlKey: true });
  pressIn({ metaKey: true });
  expect(onPress).toHaveBeenCalledTimes(2);
});

it('Ctrl+Enter does nothing while an input method composes, nor does Enter alone', () => {
  const onPress = openDialog('primary');
  pressIn({ ctrlKey: true, isComposing: true });
  pressIn({});
  expect(onPress).not.toHaveBeenCalled();
});

it('stays open at an Escape of the input method, and closes at the next', () => {
  const onClose = vi.fn();
  renderPart(
    <Dialog title="例" onClose={onClose}>
      <input aria-label="field" />
    </Dialog>,
  );
  const press = (more: object) => fireEvent.keyDown(screen.getByLabelText('field'), { key: 'Escape', ...more });
  press({ isComposing: true });
  press({ keyCode: 229 });
  expect(onClose).not.toHaveBeenCalled();
  press({});
  expect(onClose).toHaveBeenCalledOnce();
});

it('Ctrl+Enter presses no button that is disabled or that cannot be undone', () => {
  const disabled = openDialog('primary', true);
  pressIn({ ctrlKey: true });
  expect(disabled).not.toHaveBeenCalled();
  cleanup();
  const danger = openDialog('danger');
  pressIn({ ctrlKey: true });
  expect(danger).not.toHaveBeenCalled();
});

/** Renders a page whose button opens a dialog, which opens another. */
function Nested() {
  const [open, setOpen] = useState(0);
  const close = () => setOpen(open - 1);
  return (
    <>
      <button type="button" onClick={() => setOpen(1)}>
        outside
      </button>
      {open > 0 ? (
        <Dialog title="first" onClose={close}>
          <button type="button" onClick={() => setOpen(2)}>
            inside
          </button>
        </Dialog>
      ) : null}
      {open > 1 ? (
        <Dialog title="second" onClose={close}>
          <input aria-label="field" data-autofocus />
        </Dialog>
      ) : null}
    </>
  );
}

const button = (name: string) => screen.getByRole('button', { name });
const titles = () => screen.queryAllByRole('dialog').map((dialog) => dialog.querySelector('h2')?.textContent);

it('takes the focus, and gives it back to its opener: one dialog at each Escape', async () => {
  renderPart(<Nested />);
  await userEvent.click(button('outside'));
  expect(document.activeElement).toBe(button('閉じる'));
  await userEvent.click(button('inside'));
  expect([titles(), document.activeElement]).toEqual([['first', 'second'], screen.getByLabelText('field')]);
  await userEvent.keyboard('{Escape}');
  expect([titles(), document.activeElement]).toEqual([['first'], button('inside')]);
  // The focused element is removed, so the focus is lost.
  await act(async () => button('inside').remove());
  await userEvent.keyboard('{Escape}');
  expect([titles(), document.activeElement]).toEqual([[], button('outside')]);
});

/** Renders a page with a dialog that asks before it closes. */
function Asking() {
  const [open, setOpen] = useState(0);
  return (
    <>
      <button type="button" onClick={() => setOpen(1)}>
        outside
      </button>
      {open === 0 ? null : (
        <Dialog title="first" onClose={() => setOpen(2)}>
          <input aria-label="field" data-autofocus />
          {open === 1 ? null : (
            <Dialog title="second" onClose={() => setOpen(1)}>
              <button type="button" onClick={() => setOpen(0)}>
                discard
              </button>
            </Dialog>
          )}
        </Dialog>
      )}
    </>
  );
}

it('restores the focus when the dialog above it closes both', async () => {
  renderPart(<Asking />);
  await userEvent.click(button('outside'));
  await userEvent.keyboard('{Escape}');
  await userEvent.click(button('discard'));
  expect([titles(), document.activeElement]).toEqual([[], button('outside')]);
});

it('closes by a press outside, but not by a text selection that ends outside', () => {
  const onClose = vi.fn();
  renderPart(
    <Dialog title="例" onClose={onClose}>
      <p>text</p>
    </Dialog>,
  );
  const dialog = screen.getByRole('dialog');
  fireEvent.pointerDown(screen.getByText('text'));
  fireEvent.click(dialog);
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.pointerDown(dialog);
  fireEvent.click(dialog);
  expect(onClose).toHaveBeenCalledOnce();
});

it('ignores the second press of the double click that opened it, outside and on what appeared under the pointer', () => {
  // Events of jsdom count their time from 1970.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
  onTestFinished(() => clock.mockRestore());
  const [onClose, onPress] = [vi.fn(), vi.fn()];
  renderPart(
    <Dialog title="例" onClose={onClose}>
      <button type="button" onClick={onPress}>
        under
      </button>
    </Dialog>,
  );
  const dialog = screen.getByRole('dialog');
  const press = (at: Element, detail: number) => {
    fireEvent.pointerDown(at);
    fireEvent.click(at, { detail });
  };
  press(dialog, 2);
  press(button('under'), 2);
  expect([onClose.mock.calls, onPress.mock.calls]).toEqual([[], []]);
  press(button('under'), 1);
  press(dialog, 1);
  expect([onClose.mock.calls.length, onPress.mock.calls.length]).toEqual([1, 1]);
});

it('stays open at any number of Escapes if it must stay open', async () => {
  const onClose = vi.fn();
  renderPart(
    <Dialog title="例" onClose={onClose}>
      <input aria-label="field" />
    </Dialog>,
  );
  await userEvent.keyboard('{Escape}{Escape}{Escape}');
  expect(onClose).toHaveBeenCalledTimes(3);
  expect(titles()).toEqual(['例']);
});

it('leaves Escape to a menu that is open in it', async () => {
  const onClose = vi.fn();
  renderPart(
    <Dialog title="例" onClose={onClose}>
      <Menu label="menu">
        <a href="/account">account</a>
      </Menu>
    </Dialog>,
  );
  await userEvent.click(button('menu'));
  await userEvent.keyboard('{Escape}');
  expect([screen.queryByRole('link'), onClose.mock.calls.length]).toEqual([null, 0]);
  await userEvent.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});

it('closes earlier success toasts as it opens, but no errors: none lies over it for a moment', async () => {
  renderPart(<Nested />);
  act(() => {
    toast('success', '保存しました');
    toast('error', '通信できません');
  });
  await screen.findByText('保存しました');
  fireEvent.click(button('outside'));
  expect(screen.queryByText('保存しました')).toBeNull();
  expect(screen.queryByText('通信できません')).not.toBeNull();
});

it('moves the toasts into the top dialog, and back at the end', async () => {
  renderPart(<Nested />);
  await userEvent.click(button('outside'));
  await userEvent.click(button('inside'));
  act(() => toast('info', '保存しました'));
  expect(await toastText('status')).toBe('保存しました');
  const home = () => screen.getByText('保存しました').closest('dialog')?.querySelector('h2')?.textContent;
  expect(home()).toBe('second');
  await userEvent.keyboard('{Escape}');
  expect(home()).toBe('first');
  await userEvent.keyboard('{Escape}');
  expect(home()).toBeUndefined();
});
