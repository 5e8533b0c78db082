import { expect, it, vi } from 'vitest';
import { USER } from '#test/web/samples.ts';
import { usePaging } from './paging-state.ts';
import { startSession } from './session-store.ts';

it.each([true, false])(
  'starts a session with the 50 rows of the specification, on phones too (narrow: %s)',
  (matches) => {
    const { matchMedia } = window;
    vi.stubGlobal('matchMedia', () => ({ matches }));
    startSession('token-1', USER);
    vi.stubGlobal('matchMedia', matchMedia);
    expect(usePaging.getState().pagenate_count).toBe(50);
  },
);
