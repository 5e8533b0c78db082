import * as fields from '#contract/companies/own-fields.ts';
import * as tags from '#contract/companies/tags.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { listFields, listTagsOf } from './field-list.queries.ts';
import { addField, refuseTwins, updateField } from './fields.command.ts';
import { addTag, updateTag } from './tags.command.ts';

export function addFieldSettingRoutes(addRoute: AddRoute): void {
  addRoute(fields.listCustomFields, ({ query, account }) => listFields(account, query.counts === 1));

  addRoute(fields.addCustomField, ({ headers, body, account }) => {
    const request = { call: fields.addCustomField, key: headers['idempotency-key'], input: body };
    return refuseTwins(() => createOnce(account, request, (tx) => addField(tx, account, body.add_info)));
  });

  addRoute(fields.updateCustomField, ({ params, body, account }) =>
    refuseTwins(() => updateField(account, params.id, body)),
  );

  addRoute(tags.listTags, ({ query, account }) => listTagsOf(account, query.counts === 1));

  addRoute(tags.addTag, ({ headers, body, account }) => {
    const request = { call: tags.addTag, key: headers['idempotency-key'], input: body };
    return refuseTwins(() => createOnce(account, request, (tx) => addTag(tx, account, body.add_info)));
  });

  addRoute(tags.updateTag, ({ params, body, account }) => refuseTwins(() => updateTag(account, params.id, body)));
}
