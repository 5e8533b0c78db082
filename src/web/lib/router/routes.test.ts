import { describe, expect, it } from 'vitest';
import { matchRoute, type Route } from './routes.ts';

const Nothing = () => null;
const screen = async () => ({ Component: Nothing });
const route = (path: string): Route => ({ path, screen });
const ROUTES = ['/', '/sends', '/sends/:id', '/reset/:key?', '/settings/groups'].map(route);
const matched = (pathname: string) => {
  const { route: found, params } = matchRoute([...ROUTES, route('*')], pathname);
  return [found.path, params];
};

describe('a path', () => {
  it.each([
    ['/', '/', {}],
    ['/sends', '/sends', {}],
    ['/SENDS/', '/sends', {}],
    ['/sends/5', '/sends/:id', { id: '5' }],
    ['/sends/a%2Fb', '/sends/:id', { id: 'a/b' }],
    ['/sends/%E0%A4%A', '/sends/:id', { id: '%E0%A4%A' }],
    ['/reset', '/reset/:key?', { key: undefined }],
    ['/reset/AbC', '/reset/:key?', { key: 'AbC' }],
    ['/sends/5/6', '*', {}],
    ['/settings', '*', {}],
    ['/%', '*', {}],
  ])('%s has the route %s', (pathname, path, params) => {
    expect(matched(pathname)).toStrictEqual([path, params]);
  });

  it('without a route throws, because the table has a route for every path', () => {
    expect(() => matchRoute(ROUTES, '/nowhere')).toThrow('no route for /nowhere');
  });
});
