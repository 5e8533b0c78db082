import type { FullTenant } from './full-tenant.ts';
import type { MatrixRow, Nothing } from './matrix-row.ts';

const notFound: Nothing = { status: 404 };
/** Makes a row for a call that takes no name of another account's data. */
const nameless = (path: string): MatrixRow => ({ own: () => ({ path }), foreign: () => ({}) });

const changeTag = (id: number, update_info: object) => ({ path: `/tag/${id}`, body: { update_info } });
const changeField = (id: number, update_info: object) => ({ path: `/custom_field/${id}`, body: { update_info } });
const options = ({ optionId }: FullTenant) => ({ options: [{ id: optionId, label: 'A' }] });

/** The rows of the matrix for the calls about own fields and tags. */
export const OWN_FIELD_ROWS: Record<string, MatrixRow> = {
  'GET /custom_field/list': nameless('/custom_field/list?counts=1'),
  'POST /custom_field': {
    own: () => ({ path: '/custom_field', body: { add_info: { label: '展示会', type: 'text' } } }),
    foreign: () => ({}),
  },
  'PUT /custom_field/:id': {
    own: (owner) => changeField(owner.choiceFieldId, options(owner)),
    foreign: (victim, asker) => ({
      path: { ask: changeField(victim.customFieldId, { archived: 1 }), gets: notFound },
      option: { ask: changeField(asker.choiceFieldId, options(victim)), gets: { status: 400 } },
    }),
  },
  'GET /tag/list': nameless('/tag/list?counts=1'),
  'POST /tag': {
    own: () => ({ path: '/tag', body: { add_info: { label: '重点' } } }),
    foreign: () => ({}),
  },
  'PUT /tag/:id': {
    own: ({ tagId, spareTagId }) => changeTag(spareTagId, { merge_into: tagId }),
    foreign: (victim, asker) => ({
      path: { ask: changeTag(victim.tagId, { archived: 1 }), gets: notFound },
      merge: { ask: changeTag(asker.tagId, { merge_into: victim.tagId }), gets: notFound },
    }),
  },
};
