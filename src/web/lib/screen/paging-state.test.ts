import { expect, it, vi } from 'vitest';
import { USER } from '#test/web/samples.ts';
import { startSession } from '../session/session-store.ts';
import { usePaging } from './paging-state.ts';

it('starts a session with the 50 rows of the specification, on phones too', () => {
  const { matchMedia } = window;
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  startSession('token-1', USER);
  vi.stubGlobal('matchMedia', matchMedia);
  expect(usePaging.getState().pagenate_count).toBe(50);
});
