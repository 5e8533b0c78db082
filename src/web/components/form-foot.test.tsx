import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { FormFoot } from './form-foot.tsx';

const discard = vi.fn();
const buttons = () => screen.getAllByRole('button').map(({ textContent, dataset }) => [textContent, dataset.filled]);

it('has one 保存, filled while there is something to save, which can then be discarded', () => {
  const { rerender } = render(<FormFoot isDirty={false} busy={false} told="保存しました" onDiscard={discard} />);
  expect([buttons(), screen.getByRole('status').textContent]).toEqual([[['保存', undefined]], '保存しました']);
  rerender(<FormFoot isDirty busy={false} told={null} onDiscard={discard} />);
  expect(buttons()).toEqual([
    ['変更を破棄', undefined],
    ['保存', 'true'],
  ]);
  expect(screen.getByRole('status').textContent).toBe('');
  screen.getByRole('button', { name: '変更を破棄' }).click();
  expect(discard).toHaveBeenCalledOnce();
});
