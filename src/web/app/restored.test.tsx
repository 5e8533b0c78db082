import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { fakeApi, ok, refused } from '#test/web/fake-api.ts';
import { renderApp } from '#test/web/render.tsx';
import { logInAs } from '#test/web/samples.ts';

const WAITING = { runs: 2, mails: 40, reservations: 3, over: 1 };
const ACT = 'すべて予定どおり送信する';

async function open(path: string, answer: () => object, post: () => ReturnType<typeof ok>) {
  logInAs();
  const requests = fakeApi({ 'GET /restored': () => ok(answer()), 'POST /restored': post });
  await renderApp(path);
  return () =>
    requests.filter(({ method, path: to }) => method === 'POST' && to === '/restored').map(({ body }) => body);
}

const confirm = (button: string) =>
  userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: button }));

describe('the runs and reservations on hold since a restore', () => {
  it.each(['/sends', '/reservations'])('is counted on %s, and decided as a whole', async (path) => {
    let left: object = WAITING;
    const decided = await open(
      path,
      () => left,
      () => {
        left = { runs: 0, mails: 0, reservations: 1, over: 1 };
        return ok({ status: 'updated', runs: 2, reservations: 2, over: 1 });
      },
    );
    expect(await screen.findByText('送信 2件（40通）・予約 3件')).toBeDefined();
    await userEvent.click(screen.getByRole('button', { name: ACT }));
    expect(screen.getByText(/一時停止していた送信も送られます。$/)).toBeDefined();
    expect(decided()).toEqual([]);
    await confirm('送信2件と予約2件を予定どおり送信');
    expect(await screen.findByText('送信2件と予約2件を予定どおり送信します')).toBeDefined();
    expect(decided()).toEqual([{ act: 'send' }]);
    // Only the expired reservation is left, which cannot be sent as planned.
    expect(await screen.findByText('予約 1件')).toBeDefined();
    expect(screen.queryByRole('button', { name: ACT })).toBeNull();
  });

  it('are dropped together', async () => {
    let left: object = WAITING;
    const decided = await open(
      '/sends',
      () => left,
      () => {
        left = { runs: 0, mails: 0, reservations: 0, over: 0 };
        return ok({ status: 'updated', runs: 2, reservations: 3, over: 0 });
      },
    );
    await userEvent.click(await screen.findByRole('button', { name: 'すべて送信しない' }));
    await confirm('送信2件と予約3件を取り消し');
    await waitFor(() => expect(screen.queryByText(/バックアップから復元した時点/)).toBeNull());
    expect(decided()).toEqual([{ act: 'drop' }]);
  });

  it('keep the dialog open when the answer is lost, and are not shown if there are none', async () => {
    await open(
      '/sends',
      () => WAITING,
      () => refused(503, '混み合っています。'),
    );
    await userEvent.click(await screen.findByRole('button', { name: ACT }));
    await confirm('送信2件と予約2件を予定どおり送信');
    expect(await screen.findByText('混み合っています')).toBeDefined();
    expect(screen.getByRole('dialog')).toBeDefined();
  });
});
