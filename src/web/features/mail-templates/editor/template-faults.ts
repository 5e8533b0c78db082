import type { MailTemplate } from '#contract/mail-templates.ts';
import { ApiError } from '#web/lib/query-client.ts';
import { type FieldKey, sendersOf, subjectKey, type TemplateForm } from './template-form.ts';

export type Faults = Readonly<Record<FieldKey, string>>;

/** Returns the faults of the stored template, by field. */
export const storedFaults = ({ faults, senders }: MailTemplate): Faults =>
  Object.fromEntries(
    faults.map(({ path, message }) => {
      const sender = senders[Number(/^senders\.(\d+)/.exec(path)?.[1])];
      return [sender ? subjectKey(sender.id) : path, message];
    }),
  );

/** Returns the server's messages about the fields of a change. */
export function saveFaults(error: Error | null, form: TemplateForm): Faults {
  const senders = sendersOf(form);
  return faultsOf(error, (path) => {
    const sender = senders[Number(/^update_info\.senders\.(\d+)/.exec(path)?.[1])];
    return sender ? subjectKey(sender.id) : path.replace('update_info.', '');
  });
}

/** Returns the server's messages by field. @param keyOf the field of a path of the request */
export function faultsOf(error: Error | null, keyOf: (path: string) => FieldKey): Faults {
  const details = error instanceof ApiError ? (error.failure.details ?? []) : [];
  return Object.fromEntries(details.map(({ path, message }) => [keyOf(path), message]));
}
