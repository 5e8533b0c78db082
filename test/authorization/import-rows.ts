import type { Client } from '../client.ts';
import type { Ask, MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };
const ofImport = (askOf: (id: number) => Ask): MatrixRow => ({
  own: ({ importId }) => askOf(importId),
  foreign: ({ importId }) => ({ path: { ask: askOf(importId), gets: notFound } }),
});

const CONTENT = Buffer.from('会社名\n新しい会社\n');

/** Begins an upload. @returns its id */
async function begin(client: Client): Promise<number> {
  const add_info = { name: '新しい.csv', bytes: CONTENT.length };
  return ((await client.post('/import', { add_info })).body as { id: number }).id;
}

/** The rows of the matrix for imports. */
export const IMPORT_ROWS: Record<string, MatrixRow> = {
  'POST /import': {
    own: () => ({ path: '/import', body: { add_info: { name: '新しい.csv', bytes: 10 } } }),
    foreign: () => ({}),
  },
  'PUT /import/:id/content': {
    own: async (_, client) => ({ path: `/import/${await begin(client)}/content?start=0`, body: CONTENT }),
    foreign: ({ importId }) => ({
      path: { ask: { path: `/import/${importId}/content?start=0`, body: CONTENT }, gets: notFound },
    }),
  },
  'GET /import/list': {
    own: () => ({ path: '/import/list' }),
    foreign: () => ({ plain: { ask: { path: '/import/list' }, gets: { status: 200 } } }),
  },
  'GET /import/:id': ofImport((id) => ({ path: `/import/${id}` })),
  'GET /import/:id/look': ofImport((id) => ({ path: `/import/${id}/look` })),
  'POST /import/:id/check': ofImport((id) => ({ path: `/import/${id}/check`, body: { add_info: {} } })),
  'GET /import/:id/change/list': ofImport((id) => ({ path: `/import/${id}/change/list` })),
  'GET /import/:id/line/list': ofImport((id) => ({ path: `/import/${id}/line/list` })),
  'GET /import/:id/faults': ofImport((id) => ({ path: `/import/${id}/faults` })),
  'POST /import/:id/run': ofImport((id) => ({ path: `/import/${id}/run`, body: { add_info: { mode: 'leave_out' } } })),
  'POST /import/:id/discard': {
    own: async (_, client) => ({ path: `/import/${await begin(client)}/discard`, body: {} }),
    foreign: ({ importId }) => ({ path: { ask: { path: `/import/${importId}/discard`, body: {} }, gets: notFound } }),
  },
  'POST /import/:id/file/delete': {
    own: ({ doneImportId }) => ({ path: `/import/${doneImportId}/file/delete`, body: {} }),
    foreign: ({ doneImportId }) => ({
      path: { ask: { path: `/import/${doneImportId}/file/delete`, body: {} }, gets: notFound },
    }),
  },
  'POST /import/:id/undo': {
    own: ({ doneImportId }) => ({ path: `/import/${doneImportId}/undo`, body: {} }),
    foreign: ({ doneImportId }) => ({
      path: { ask: { path: `/import/${doneImportId}/undo`, body: {} }, gets: notFound },
    }),
  },
};
