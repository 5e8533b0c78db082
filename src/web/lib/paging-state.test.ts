import { expect, it, vi } from 'vitest';
import { USER } from '#test/web/samples.ts';
import { usePaging } from './paging-state.ts';
import { startSession } from './session-store.ts';

it.each([
  ['a phone', true, 20],
  ['a wide screen', false, 50],
])('starts a session on %s (narrow: %s) with %d rows', (_screen, matches, rows) => {
  const { matchMedia } = window;
  vi.stubGlobal('matchMedia', () => ({ matches }));
  startSession('token-1', USER);
  vi.stubGlobal('matchMedia', matchMedia);
  expect(usePaging.getState().pagenate_count).toBe(rows);
});
