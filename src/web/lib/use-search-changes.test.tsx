import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { type Navigator, Router, type To } from 'react-router';
import { expect, it } from 'vitest';
import { useSearchChanges } from './use-search-changes.ts';

/** Renders the hook at an address that changes only when the test says so. */
function renderAt(start: string) {
  const asked: string[] = [];
  const go = (to: To) => void asked.push(typeof to === 'string' ? to : (to.search ?? ''));
  const navigator: Navigator = { createHref: String, go: () => undefined, push: go, replace: go };
  let search = start;
  const wrapper = ({ children }: { children: ReactNode }) => (
    <Router location={{ pathname: '/', search }} navigator={navigator}>
      {children}
    </Router>
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
  expect(last()).toBe('?a=1&b=2&c=3');
});

it('a change to what the address is already holds nothing back', () => {
  const { change, reach, last } = renderAt('?a=1');
  change({ a: '1' });
  change({ b: '2' });
  reach('?a=1&b=2');
  reach('?z=1');
  change({ c: '3' });
  expect(last()).toBe('?z=1&c=3');
});

it('an address from elsewhere drops the changes that it does not have', () => {
  const { change, reach, last } = renderAt('?a=1');
  change({ b: '2' });
  reach('?a=9');
  change({ c: '3' });
  expect(last()).toBe('?a=9&c=3');
});
