import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { asksForReply } from '#domain/law/opt-out-line.ts';
import { hasCode, hasStatus } from '#web/lib/api/query-client.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { keepWhole } from '#web/lib/form/merged-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import {
  changedField,
  draftName,
  readDraft,
  storedFaults,
  storedOf,
  type TemplateForm,
  trimmed,
  writeDraft,
} from './template-form.ts';
import { type SavedTemplate, saveTemplate, TEMPLATES, templateQuery } from './template-query.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

/** Returns the edited template, its errors, and the actions on it. A save sends the version that it replaces. */
export function useTemplateForm(template: MailTemplate) {
  const { id, version } = template;
  const client = useQueryClient();
  const stored = useMemo(() => storedOf(template), [template]);
  const { queryKey } = templateQuery(id);
  const edited: EditedForm<TemplateForm, string> = useDraftForm({
    name: draftName(id),
    stored,
    read: readDraft,
    write: writeDraft,
    merge: keepWhole,
    send: async (form: TemplateForm, seen: string) => {
      const sent = trimmed(form);
      const isOfOthers = String(sent.sender_profile_ids) !== String(stored.form.sender_profile_ids);
      const saved = await saveTemplate(id, seen, sent, isOfOthers);
      // The answer to a pending request would restore the old content.
      await client.cancelQueries({ queryKey });
      for (const list of TEMPLATES) void client.invalidateQueries({ queryKey: [list] });
      client.setQueryData(queryKey, (before) => before && savedAs(before, sent, saved));
      // The ticked people are senders of the template now.
      if (isOfOthers) void client.invalidateQueries({ queryKey });
      return saved;
    },
    onSaved: () => toast('success', TEMPLATE_MESSAGES.saved),
    // 404: the template was deleted, or one of its senders has moved to another template.
    isConflict: (error) => hasStatus(error, 404) || hasCode(error, 'template_changed'),
    reload: () => client.invalidateQueries({ queryKey }),
    fieldOf: changedField,
    showsItself: () => false,
  });
  const { isDirty, base } = edited;
  return {
    ...edited,
    seen: base.version ?? version,
    /** Another save has happened since editing began. */
    isOutdated: isDirty && base.version !== version,
    faults: { ...(isDirty ? {} : storedFaults(template)), ...edited.faults },
    /** Changes the form. Clears all errors of the last save, because a field can also change the body. */
    change(change: Partial<TemplateForm>): void {
      edited.forgetProblem();
      edited.change(change);
    },
  };
}

export type EditedTemplate = ReturnType<typeof useTemplateForm>;

/** Returns the template as the server stores it after the save. */
function savedAs(before: MailTemplate, sent: TemplateForm, saved: SavedTemplate): MailTemplate {
  const { version, number, updated_at, reservations } = saved;
  const { name, subject, text_body, html_body, editor, subjects } = sent;
  const sender_profile_ids = [...sent.sender_profile_ids];
  const senders = before.senders.map((sender) => {
    const own_subject = subjects[sender.id] ?? null;
    return { ...sender, own_subject, subject: own_subject ?? subject };
  });
  const updated_by = useSession.getState().current_user?.name ?? null;
  const text_follows = sent.text_follows ? 1 : 0;
  const asks_for_reply = asksForReply(sent) ? 1 : 0;
  const content = { name, subject, text_body, html_body, editor, text_follows, asks_for_reply } as const;
  return {
    ...before,
    ...content,
    senders,
    sender_profile_ids,
    version,
    number,
    updated_at,
    updated_by,
    reservations,
    faults: [],
  };
}
