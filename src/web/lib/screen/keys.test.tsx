import { fireEvent, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { useKey } from './keys.ts';

function Page({ onSave, onHelp }: { readonly onSave: () => boolean; readonly onHelp: () => boolean }) {
  useKey('save', onSave);
  useKey('help', onHelp);
  return (
    <>
      <input aria-label="name" />
      <input aria-label="active" type="checkbox" />
    </>
  );
}

function openPage(save: () => boolean = () => true) {
  const onSave = vi.fn(save);
  const onHelp = vi.fn(() => true);
  render(<Page onSave={onSave} onHelp={onHelp} />);
  return { onSave, onHelp };
}

describe('a key of the page', () => {
  it('acts in a text field too if it has Ctrl, and its default action is cancelled', () => {
    const { onSave } = openPage();
    expect(fireEvent.keyDown(screen.getByLabelText('name'), { key: 's', ctrlKey: true })).toBe(false);
    expect(fireEvent.keyDown(document.body, { key: 'S', metaKey: true })).toBe(false);
    expect(fireEvent.keyDown(document.body, { key: 's' })).toBe(true);
    expect(fireEvent.keyDown(document.body, { key: 's', ctrlKey: true, altKey: true })).toBe(true);
    expect(onSave).toHaveBeenCalledTimes(2);
  });

  it('without Ctrl is a letter in a text field', () => {
    const { onHelp } = openPage();
    expect(fireEvent.keyDown(screen.getByLabelText('name'), { key: '?' })).toBe(true);
    expect(onHelp).not.toHaveBeenCalled();
    fireEvent.keyDown(screen.getByLabelText('active'), { key: '?' });
    expect(onHelp).toHaveBeenCalledTimes(1);
  });

  it('is ignored during an IME composition', () => {
    const { onSave } = openPage();
    fireEvent.keyDown(screen.getByLabelText('name'), { key: 's', ctrlKey: true, isComposing: true });
    fireEvent.keyDown(screen.getByLabelText('name'), { key: 's', ctrlKey: true, keyCode: 229 });
    expect(onSave).not.toHaveBeenCalled();
  });

  it('keeps its default action if it does nothing here', () => {
    openPage(() => false);
    expect(fireEvent.keyDown(document.body, { key: 's', ctrlKey: true })).toBe(true);
  });

  it('is ignored if an element has handled it', () => {
    const { onSave } = openPage();
    const field = screen.getByLabelText('name');
    field.addEventListener('keydown', (event) => event.preventDefault());
    fireEvent.keyDown(field, { key: 's', ctrlKey: true });
    expect(onSave).not.toHaveBeenCalled();
  });
});
