import { act, render } from '@testing-library/react';
import { flushSync } from 'react-dom';
import { expect, it, onTestFinished } from 'vitest';
import { memoryHistory } from '#test/web/memory-history.ts';
import { createRouter } from '../router/router.ts';
import { RouterView } from '../router/router-view.tsx';
import { REPORT } from './params.ts';
import { useAddress } from './use-address.ts';

type Change = ReturnType<typeof useAddress<typeof REPORT>>[1];

/** The change function that each rendering of the screen received. */
const changes: Change[] = [];

/** Renders its parameters as JSON. */
function Component() {
  const [values, change] = useAddress(REPORT);
  changes.push(change);
  return JSON.stringify(values);
}

async function renderAt(address: string) {
  changes.length = 0;
  const history = memoryHistory(address);
  const router = createRouter([{ path: '/reports', screen: async () => ({ Component }) }], history);
  onTestFinished(router.stop);
  const { container } = await act(async () =>
    render(<RouterView router={router} Frame={({ children }) => children} Fault={() => 'fault'} />),
  );
  return {
    history,
    change: (...args: Parameters<Change>) => changes[0]?.(...args),
    shown: () => JSON.parse(container.textContent ?? '') as Record<string, unknown>,
  };
}

it('a change adds to the previous one, although the screen has not rendered since', async () => {
  const { history, change, shown } = await renderAt('/reports?group=1');
  act(() => {
    change({ template: 2 });
    change({ group: 3 });
    expect(history.location.search).toBe('?group=3&template=2');
    expect(shown()).toStrictEqual({ period: 'this_month', group: 1 });
  });
  expect(shown()).toStrictEqual({ period: 'this_month', group: 3, template: 2 });
});

it('a change is on screen before the next key: a field that shows a parameter does not lag behind', async () => {
  const { change, shown } = await renderAt('/reports');
  act(() => {
    flushSync(() => change({ group: 1 }));
    expect(shown()).toMatchObject({ group: 1 });
  });
});

it('a change replaces the history entry by default', async () => {
  const { history, change, shown } = await renderAt('/reports');
  act(() => change({ group: 1 }, { push: true }));
  act(() => change({ group: 2 }));
  await act(async () => history.go(-1));
  expect(shown()).toStrictEqual({ period: 'this_month' });
});

it('the function that changes it stays the same object, because columns and links keep it', async () => {
  const { change } = await renderAt('/reports');
  act(() => change({ group: 1 }));
  expect(changes.length).toBeGreaterThan(1);
  expect(new Set(changes).size).toBe(1);
});
