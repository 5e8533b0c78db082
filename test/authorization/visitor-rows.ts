import type { FullTenant } from './full-tenant.ts';
import type { MatrixRow } from './matrix-row.ts';

const NEXT_PASSWORD = '次の馬 電池 ホチキス 橋';
const key = 'x'.repeat(43);

/** The rows of the matrix for visitors' calls, which take only a key. */
export const VISITOR_ROWS: Record<string, MatrixRow> = {
  'POST /auth/login': {
    open: true,
    own: () => ({ path: '/auth/login', body: { email: 'nobody@example.com', password: 'wrong password' } }),
    foreign: () => ({}),
  },
  'POST /auth/password_reset': {
    open: true,
    own: () => ({ path: '/auth/password_reset', body: { email: 'nobody@example.com' } }),
    foreign: () => ({}),
  },
  'POST /auth/password_reset/confirm': {
    open: true,
    own: ({ resetKey }: FullTenant) => ({
      path: '/auth/password_reset/confirm',
      body: { key: resetKey, new_password: NEXT_PASSWORD },
    }),
    foreign: () => ({}),
  },
  'POST /auth/oidc/check': { open: true, own: () => ({ path: '/auth/oidc/check', body: {} }), foreign: () => ({}) },
  'POST /auth/oidc/start': {
    open: true,
    own: () => ({ path: '/auth/oidc/start', body: { key: 'x'.repeat(22), browser: key } }),
    foreign: () => ({}),
  },
  'POST /auth/oidc/finish': {
    open: true,
    own: () => ({ path: '/auth/oidc/finish', body: { state: 'state', code: 'code', browser: key } }),
    foreign: () => ({}),
  },
  'POST /setup/check': { open: true, own: () => ({ path: '/setup/check', body: { key } }), foreign: () => ({}) },
  'POST /setup': {
    open: true,
    own: () => ({
      path: '/setup',
      body: { key, company: '会社', name: '氏名', email: 'new@example.com', new_password: NEXT_PASSWORD },
    }),
    foreign: () => ({}),
  },
};
