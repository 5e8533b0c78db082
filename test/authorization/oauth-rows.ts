import type { MatrixRow } from './matrix-row.ts';

/** The rows of the matrix for registrations at providers, and the consents of mailboxes. */
export const OAUTH_ROWS: Record<string, MatrixRow> = {
  // Each account has one registration a provider: no call names another account's.
  'GET /oauth_app/:provider': { own: () => ({ path: '/oauth_app/google' }), foreign: () => ({}) },
  'PUT /oauth_app/:provider': {
    own: () => ({ path: '/oauth_app/google', body: { update_info: { client_id: 'next', secret: 'next secret' } } }),
    foreign: () => ({}),
  },
  'POST /mailbox/:id/authorize': {
    own: ({ googleMailboxId }) => ({ path: `/mailbox/${googleMailboxId}/authorize` }),
    foreign: ({ googleMailboxId }) => ({
      path: { ask: { path: `/mailbox/${googleMailboxId}/authorize` }, gets: { status: 404 } },
    }),
  },
  'POST /mailbox/authorized': {
    own: ({ consentState }) => ({ path: '/mailbox/authorized', body: { state: consentState, code: 'code' } }),
    // The provider cannot be reached.
    ownGets: 400,
    foreign: ({ consentState }) => ({
      'body, state': {
        ask: { path: '/mailbox/authorized', body: { state: consentState, code: 'code' } },
        gets: { status: 400 },
      },
    }),
  },
};
