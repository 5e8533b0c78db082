import { cleanup, fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

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
