import { getMailTemplate, previewMailTemplate, updateMailTemplate } from '#contract/mail-template.ts';
import { MERGE_FIELDS } from '#domain/merge-fields.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { asFlag } from '../../platform/list-rows.ts';
import { notFound } from '../../platform/refusal.ts';
import { previewTemplate } from './preview-template.queries.ts';
import { loadTemplate, versionOf } from './template.queries.ts';
import { partsOf, templateFaults } from './template-faults.ts';
import { updateTemplate } from './update-template.command.ts';

export function addMailTemplateRoutes(addRoute: AddRoute, { now }: { now: () => number }): void {
  addRoute(getMailTemplate, async ({ params, account }) => {
    const template = await account.snapshot((tx) => loadTemplate(tx, account.id, params.id));
    if (!template) return notFound();
    return {
      ...template,
      version: versionOf(template),
      updated_at: formatSecond(template.updated_at.getTime()),
      senders: template.senders.map((sender) => ({ ...sender, active: asFlag(sender.active) })),
      merge_fields: [...MERGE_FIELDS],
      faults: templateFaults(partsOf(template)),
    };
  });

  addRoute(updateMailTemplate, ({ params, body, account }) => updateTemplate(account, params.id, body));

  addRoute(previewMailTemplate, ({ params, body, account }) => previewTemplate(account, params.id, body, now()));
}
