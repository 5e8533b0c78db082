import type { Client } from '../client.ts';
import { codeAt, setUpSecondStep } from '../second-step.ts';
import type { MatrixRow } from './matrix-row.ts';

const ended = (sessionId: string) => ({ path: `/session/${sessionId}`, body: { update_info: { active: 0 } } });

/** Sets up a second step where there is none. @returns a recovery code, else a wrong code */
async function recoveryCode(client: Client, password: string): Promise<string> {
  const { codes } = await setUpSecondStep(client, { password }).catch(() => ({ codes: [] }));
  return codes[0] ?? 'none';
}

/**
 * The rows of the matrix for sessions, the second step and the company's log-in. A full tenant has a session besides
 * that of the asker.
 */
export const SESSION_ROWS: Record<string, MatrixRow> = {
  'GET /session/list': { own: () => ({ path: '/session/list' }), foreign: () => ({}) },
  'PUT /session/:id': {
    own: ({ sessionId }) => ended(sessionId),
    foreign: ({ sessionId }) => ({ path: { ask: ended(sessionId), gets: { status: 404 } } }),
  },
  'POST /session/end_others': { own: () => ({ path: '/session/end_others' }), foreign: () => ({}) },
  'POST /auth/two_factor/start': {
    own: ({ password }) => ({ path: '/auth/two_factor/start', body: { current_password: password } }),
    foreign: () => ({}),
  },
  'POST /auth/two_factor/confirm': {
    own: async ({ password }, client) => {
      const { body } = await client.post('/auth/two_factor/start', { current_password: password });
      const { secret = '' } = body as { secret?: string };
      return { path: '/auth/two_factor/confirm', body: { code: codeAt(secret, Date.now()) } };
    },
    foreign: () => ({}),
  },
  'POST /auth/two_factor/off': {
    own: async ({ password }, client) => {
      const code = await recoveryCode(client, password);
      return { path: '/auth/two_factor/off', body: { current_password: password, code } };
    },
    foreign: () => ({}),
  },
  'GET /oidc': { own: () => ({ path: '/oidc' }), foreign: () => ({}) },
  'PUT /oidc': {
    own: ({ password }) => ({
      path: '/oidc',
      body: {
        current_password: password,
        update_info: {
          provider: 'other',
          issuer: 'https://idp.example',
          client_id: 'client',
          client_secret: 'secret',
          domains: ['haru.example'],
          active: 0,
        },
      },
    }),
    foreign: () => ({}),
  },
  'POST /auth/recovery_codes': {
    own: async ({ password }, client) => {
      const code = await recoveryCode(client, password);
      return { path: '/auth/recovery_codes', body: { current_password: password, code } };
    },
    foreign: () => ({}),
  },
};
