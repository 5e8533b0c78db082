import { act, fireEvent, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { TOAST_POSITIONS } from '#web/lib/screen/toast-place.ts';

const say = (...message: Parameters<typeof toast>) => act(async () => toast(...message));
// In steps, because a closing toast starts its animation timer only after React has rendered it.
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 100) await act(async () => vi.advanceTimersByTime(100));
}

describe('toasts', () => {
  it.each([
    ['default', 'status'],
    ['success', 'status'],
    ['info', 'status'],
    ['warning', 'alert'],
    ['error', 'alert'],
  ] as const)('§2.31 announces %s as %s', async (type, role) => {
    renderPart(null);
    await say(type, '保存しました');
    expect(screen.getByRole(role)).toHaveProperty('textContent', '保存しました');
    expect(screen.getByRole('group').closest('[role=alert], [role=status]')).toBe(screen.getByRole(role));
  });

  it.each(TOAST_POSITIONS)('§2.32 is shown at %s', async (position) => {
    renderPart(null);
    await say('info', 'ここです', position);
    expect(screen.getByRole('group').closest('[data-position]')?.getAttribute('data-position')).toBe(position);
  });

  it('shows each line of a message on its own line', async () => {
    renderPart(null);
    await say('success', 'メールが送信されました\n送信 3件');
    expect(screen.getByText('メールが送信されました').tagName).toBe('DIV');
    expect(screen.getByText('送信 3件').tagName).toBe('DIV');
  });

  it('§9.10 disappears after 4 seconds', async () => {
    vi.useFakeTimers();
    renderPart(null);
    await say('info', '消えます');
    await pass(3900);
    expect(screen.queryByText('消えます')).not.toBeNull();
    await pass(1000);
    expect(screen.queryByText('消えます')).toBeNull();
  });

  it('§9.10 stays while the pointer is on it', async () => {
    vi.useFakeTimers();
    renderPart(null);
    await say('info', '読んでいます');
    fireEvent.mouseEnter(screen.getByRole('group'));
    await pass(10_000);
    expect(screen.queryByText('読んでいます')).not.toBeNull();
    fireEvent.mouseLeave(screen.getByRole('group'));
    await pass(5000);
    expect(screen.queryByText('読んでいます')).toBeNull();
  });

  it('§9.10 stays while it has the focus, and returns the focus when it is closed', async () => {
    vi.useFakeTimers();
    renderPart(<button type="button">保存</button>);
    screen.getByRole('button', { name: '保存' }).focus();
    await say('info', '読んでいます');
    const close = screen.getByRole('button', { name: '閉じる' });
    await act(async () => close.focus());
    await pass(10_000);
    expect(screen.queryByText('読んでいます')).not.toBeNull();
    fireEvent.click(close);
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '保存' }));
    await pass(200);
    expect(screen.queryByText('読んでいます')).toBeNull();
  });

  it('§9.10 disappears 4 seconds after it has lost the focus', async () => {
    vi.useFakeTimers();
    renderPart(<button type="button">保存</button>);
    await say('info', '読みました');
    await act(async () => screen.getByRole('button', { name: '閉じる' }).focus());
    await pass(5000);
    await act(async () => screen.getByRole('button', { name: '保存' }).focus());
    await pass(3900);
    expect(screen.queryByText('読みました')).not.toBeNull();
    await pass(500);
    expect(screen.queryByText('読みました')).toBeNull();
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '保存' }));
  });

  it('§9.11 fades for 150 ms before it disappears', async () => {
    vi.useFakeTimers();
    renderPart(null);
    await say('info', '消えていきます');
    const { dataset } = screen.getByRole('group');
    await pass(3900);
    expect(dataset.fading).toBeUndefined();
    await pass(200);
    expect(screen.queryByText('消えていきます')).not.toBeNull();
    expect(dataset.fading).toBe('true');
    await pass(200);
    expect(screen.queryByText('消えていきます')).toBeNull();
  });

  it('restarts instead of piling up when an equal toast is requested', async () => {
    vi.useFakeTimers();
    renderPart(null);
    await say('warning', '同じです');
    await pass(3000);
    const before = screen.getByText('同じです');
    await say('warning', '同じです');
    expect(screen.getAllByRole('group')).toHaveLength(1);
    // Rendered anew, so that it is announced again.
    expect(screen.getByText('同じです')).not.toBe(before);
    await pass(3900);
    expect(screen.queryByText('同じです')).not.toBeNull();
    await pass(400);
    expect(screen.queryByText('同じです')).toBeNull();
    // Another type or position makes another toast.
    await say('warning', '同じです');
    await say('info', '同じです');
    await say('info', '同じです', 'top');
    expect(screen.getAllByRole('group')).toHaveLength(3);
  });

  it('§9.10 queues toasts that do not fit', async () => {
    vi.useFakeTimers();
    renderPart(null);
    for (let index = 1; index <= 7; index++) await say('info', `${index}番`);
    expect(screen.getAllByRole('group')).toHaveLength(5);
    expect(screen.queryByText('7番')).toBeNull();
    await pass(5000);
    expect(screen.queryByText('7番')).not.toBeNull();
  });

  it('closes by its named button', async () => {
    vi.useFakeTimers();
    renderPart(null);
    await say('info', '閉じます');
    fireEvent.click(screen.getByRole('button', { name: '閉じる' }));
    await pass(1000);
    expect(screen.queryByText('閉じます')).toBeNull();
  });

  it('are announced by regions that exist before any message', async () => {
    renderPart(null);
    const regions = [screen.getByRole('alert'), screen.getByRole('status')];
    expect(regions.map(({ textContent }) => textContent)).toEqual(['', '']);
    await act(async () => {
      toast('warning', '急ぎです');
      toast('info', '急ぎません');
    });
    expect([screen.getByRole('alert'), screen.getByRole('status')]).toEqual(regions);
    expect(regions.map(({ textContent }) => textContent)).toEqual(['急ぎです', '急ぎません']);
    // Each message is announced alone, not all open ones.
    expect(regions.map((region) => region.getAttribute('aria-atomic'))).toEqual(['false', 'false']);
  });
});
