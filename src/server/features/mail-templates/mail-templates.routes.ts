/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   mail_template: keep_first_version, keep_version → mail_template_version
 */

import * as calls from '#contract/templates/mail-templates.ts';
import * as listCalls from '#contract/templates/mail-templates-list.ts';
import { asksForReply } from '#domain/law/opt-out-line.ts';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { notFound } from '../../platform/problem.ts';
import { keysInUse, readOwnKeys } from '../mail-content/merge-values.queries.ts';
import { addTemplate } from './add-template.command.ts';
import { TEMPLATE_SAMPLES } from './samples.ts';
import { type Services, sendTest } from './send-test.command.ts';
import { loadTemplate, loadTemplateState, versionOf } from './template.queries.ts';
import { partsOf, templateFaults } from './template-faults.ts';
import { addFolder, removeFolder, renameFolder } from './template-folders.command.ts';
import { listFolders, listTemplateRows } from './template-list.queries.ts';
import { confirmFooter, moveTemplate, setTemplateArchived } from './template-state.command.ts';
import { listVersions, showVersion } from './template-versions.queries.ts';
import { previewTemplate } from './unsaved-mail.queries.ts';
import { restoreVersion, updateTemplate } from './update-template.command.ts';

export function addMailTemplateRoutes(addRoute: AddRoute, services: Services): void {
  const { now, urlOf } = services;
  addRoute(listCalls.listMailTemplates, ({ query, account }) => listTemplateRows(account, query, now()));
  addRoute(listCalls.listTemplateSamples, async () => [...TEMPLATE_SAMPLES]);
  addRoute(listCalls.addMailTemplate, ({ headers, body, account }) => {
    const request = { call: listCalls.addMailTemplate, key: headers['idempotency-key'], input: body };
    return createOnce(account, request, (tx) => addTemplate(tx, account, body.add_info));
  });

  addRoute(calls.getMailTemplate, ({ params, account }) =>
    account.snapshot(async (tx) => {
      const template = await loadTemplate(tx, account.id, params.id);
      if (!template) return notFound();
      const ownKeys = await readOwnKeys(tx, account.id);
      const { archived_at, senders, sendgrid_footer_confirmed_at, ...shown } = template;
      return {
        ...shown,
        ...(await loadTemplateState(tx, account.id, params.id)),
        version: versionOf(template),
        text_follows: asFlag(template.text_follows),
        archived: asFlag(archived_at !== null),
        updated_at: formatSecond(template.updated_at.getTime()),
        senders: senders.map((sender) => ({
          ...sender,
          subject: sender.own_subject ?? template.subject,
          active: asFlag(sender.active),
        })),
        merge_fields: [...MERGE_FIELDS, ...keysInUse(ownKeys).map((key) => `custom.${key}`)],
        asks_for_reply: asFlag(asksForReply(template)),
        sendgrid_footer_confirmed: asFlag(sendgrid_footer_confirmed_at !== null),
        faults: templateFaults(partsOf(template, senders), ownKeys),
      };
    }),
  );
  addRoute(calls.updateMailTemplate, ({ params, body, account }) => updateTemplate(account, params.id, body));
  addRoute(calls.confirmSendGridFooter, ({ params, body, account }) =>
    confirmFooter(account, params.id, body.update_info.confirmed === 1),
  );
  addRoute(calls.previewMailTemplate, ({ params, body, account }) =>
    previewTemplate(account, params.id, body, { now: now(), publicUrl: urlOf(account.id) }),
  );
  addRoute(calls.sendTemplateTest, ({ params, body, account }) => sendTest(services, account, params.id, body));

  addRoute(listCalls.moveMailTemplate, ({ params, body, account }) =>
    moveTemplate(account, params.id, body.update_info.folder_id),
  );
  addRoute(listCalls.archiveMailTemplate, ({ params, account }) => setTemplateArchived(account, params.id, true));
  addRoute(listCalls.restoreMailTemplate, ({ params, account }) => setTemplateArchived(account, params.id, false));

  addRoute(calls.listTemplateVersions, ({ params, query, account }) => listVersions(account, params.id, query));
  addRoute(calls.getTemplateVersion, ({ params, account }) => showVersion(account, params.id, params.number));
  addRoute(calls.restoreTemplateVersion, ({ params, body, account }) =>
    restoreVersion(account, params.id, params.number, body.version),
  );

  addRoute(listCalls.listTemplateFolders, ({ query, account }) => listFolders(account, query));
  addRoute(listCalls.addTemplateFolder, ({ headers, body, account }) => {
    const request = { call: listCalls.addTemplateFolder, key: headers['idempotency-key'], input: body };
    return createOnce(account, request, (tx) => addFolder(tx, account, body.add_info.name));
  });
  addRoute(listCalls.updateTemplateFolder, ({ params, body, account }) => renameFolder(account, params.id, body));
  addRoute(listCalls.removeTemplateFolder, ({ params, account }) => removeFolder(account, params.id));
}
