import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { AtAnAddress } from '#test/web/render.tsx';
import type { Router } from './router/router.ts';
import { useSearchChanges } from './use-search-changes.ts';

/** Renders the hook at an address that changes only when the test says so. */
function renderAt(start: string) {
  const asked: string[] = [];
  const navigate: Router['navigate'] = async (to) => {
    asked.push(typeof to === 'string' ? to : to.search);
  };
  let search = start;
  const wrapper = ({ children }: { children: ReactNode }) => (
    <AtAnAddress location={{ pathname: '/', search, hash: '', key: 'default' }} navigate={navigate}>
      {children}
    </AtAnAddress>
  );
  const { result, rerender } = renderHook(useSearchChanges, { wrapper });
  return {
    change: (values: Record<string, string>) => act(() => result.current.change(values)),
    reach(next: string) {
      search = next;
      rerender();
    },
    last: () => asked.at(-1),
  };
}

it('a change keeps those before it, of which the address has only the first yet', () => {
  const { change, reach, last } = renderAt('');
  change({ a: '1' });
  change({ b: '2' });
  reach('?a=1');
  change({ c: '3' });
  expect(last()).toBe('a=1&b=2&c=3');
});

it('a change to what the address is already holds nothing back', () => {
  const { change, reach, last } = renderAt('?a=1');
  change({ a: '1' });
  change({ b: '2' });
  reach('?a=1&b=2');
  reach('?z=1');
  change({ c: '3' });
  expect(last()).toBe('z=1&c=3');
});

it('an address from elsewhere drops the changes that it does not have', () => {
  const { change, reach, last } = renderAt('?a=1');
  change({ b: '2' });
  reach('?a=9');
  change({ c: '3' });
  expect(last()).toBe('a=9&c=3');
});
