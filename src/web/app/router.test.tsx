import type { RouteObject } from 'react-router';
import { expect, test } from 'vitest';
import { SCREENS } from '#test/e2e/screens.ts';
import { ROUTES } from './router.tsx';

const pathsOf = (routes: readonly RouteObject[]): string[] =>
  routes.flatMap(({ path, children = [] }) => [...(path === undefined ? [] : [path]), ...pathsOf(children)]);

test('the walk through the client knows every route', () => {
  expect(pathsOf(ROUTES).toSorted()).toStrictEqual(SCREENS);
});
