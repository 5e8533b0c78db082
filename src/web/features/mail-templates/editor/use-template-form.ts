import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { MailTemplate } from '#contract/mail-templates.ts';
import { asksForReply } from '#domain/law/opt-out-line.ts';
import { hasStatus } from '#web/lib/query-client.ts';
import { setDraft, useSession } from '#web/lib/session-store.ts';
import { toast } from '#web/lib/toast.ts';
import { type Faults, saveFaults, storedFaults } from './template-faults.ts';
import { draftName, formOf, readDraft, sameContent, type TemplateForm, trimmed } from './template-form.ts';
import { type SavedTemplate, saveTemplate, TEMPLATES, templateQuery } from './template-query.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

/** Returns the edited template, its faults, and the actions on it. */
export function useTemplateForm(template: MailTemplate) {
  const { id } = template;
  const name = draftName(id);
  const draft = useSession(({ drafts }) => drafts[name]);
  const stored = useMemo(() => formOf(template), [template]);
  const typed = useMemo(() => readDraft(draft, stored), [draft, stored]);
  const form = typed ?? stored;
  const dirty = !sameContent(form, stored);
  const client = useQueryClient();

  const mutation = useMutation({
    mutationFn: (sent: TemplateForm) => saveTemplate(id, sent),
    onSuccess: async (saved, sent) => {
      const { queryKey } = templateQuery(id);
      // A pending answer would restore the old content.
      await client.cancelQueries({ queryKey });
      for (const list of TEMPLATES) void client.invalidateQueries({ queryKey: [list] });
      client.setQueryData(queryKey, (before) => before && savedAs(before, sent, saved));
      const now = readDraft(useSession.getState().drafts[name], stored);
      // Text typed meanwhile continues from the saved version. It must be set after the query data above, or this tab
      // would be in conflict with itself.
      if (now !== undefined)
        notifyManager.schedule(() => setDraft(name, JSON.stringify({ ...now, version: saved.version })));
      toast('success', TEMPLATE_MESSAGES.saved);
    },
    onError: (error) => {
      // 404: the template is gone, or one of its senders has moved to another.
      const isStale = hasStatus(error, 404) || hasStatus(error, 409);
      if (isStale) void client.invalidateQueries({ queryKey: templateQuery(id).queryKey });
    },
  });
  const { mutate, isPending, error, variables, reset } = mutation;

  // A draft equal to the stored content is removed.
  const isSpent = draft !== undefined && !dirty;
  useEffect(() => {
    if (isSpent) setDraft(name, null);
  }, [isSpent, name]);

  const faults: Faults = {
    ...(dirty ? {} : storedFaults(template)),
    ...(variables === undefined ? {} : saveFaults(error, variables)),
  };

  return {
    form,
    dirty,
    /** Another save has happened since the editing began. */
    conflict: dirty && form.version !== stored.version,
    busy: isPending,
    faults,
    name,
    change(change: Partial<TemplateForm>): void {
      if (error !== null) reset();
      setDraft(name, JSON.stringify({ ...form, ...change }));
    },
    /** @param onProblem gets the faults by field */
    save(version: string, onProblem: (faults: Faults) => void): void {
      if (isPending) return;
      const sent = trimmed({ ...form, version });
      setDraft(name, JSON.stringify({ ...sent, version: form.version }));
      mutate(sent, { onError: (refusal) => onProblem(saveFaults(refusal, sent)) });
    },
    discard(): void {
      reset();
      setDraft(name, null);
    },
  };
}

export type EditedTemplate = ReturnType<typeof useTemplateForm>;

/** The template as the server has it after the save. */
function savedAs(before: MailTemplate, sent: TemplateForm, saved: SavedTemplate): MailTemplate {
  const { version, number, updated_at, reservations } = saved;
  const { name, subject, text_body, html_body, editor, subjects } = sent;
  const senders = before.senders.map((sender) => {
    const own_subject = subjects[sender.id] ?? null;
    return { ...sender, own_subject, subject: own_subject ?? subject };
  });
  const updated_by = useSession.getState().current_user?.name ?? null;
  const text_follows = sent.text_follows ? 1 : 0;
  const asks_for_reply = asksForReply(sent) ? 1 : 0;
  const content = { name, subject, text_body, html_body, editor, text_follows, asks_for_reply } as const;
  return { ...before, ...content, senders, version, number, updated_at, updated_by, reservations, faults: [] };
}
