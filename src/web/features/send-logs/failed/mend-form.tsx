import { queryOptions } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { COMPANY } from '#web/lib/api/query-keys.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import type { Mail } from '../deliveries/view-deliveries.ts';
import styles from '../send-history.module.css';
import { HISTORY_MESSAGES } from '../words.ts';
import { CAUSE_MESSAGES } from './words.ts';

interface Props {
  readonly mail: Mail;
  readonly company: CompanyDetail;
  /** Whether the field gets the focus at once. */
  readonly startsMending: boolean;
  /** Buttons of further acts. */
  readonly others: ReactNode;
  /** The mail, between the field and the buttons. */
  readonly children: ReactNode;
  readonly onClose: () => void;
  /** Called when the mail is queued to be sent again. */
  readonly onDone: () => void;
}

const messages = CAUSE_MESSAGES.mend;

const isSame = (a: string, b: string | null): boolean => a.toLowerCase() === b?.toLowerCase();

/** Asks for another address of a company whose mail failed, stores it, and sends the mail again. */
export function MendForm({ mail, company, startsMending, others, children, onClose, onDone }: Props) {
  // The stored address and version, if sending again failed after the address was stored.
  const [stored, setStored] = useState({ version: company.version, email: company.company_email ?? '' });
  const id = useId();
  const { busy, field, form } = useForm({
    // What the company got meanwhile needs no typing.
    empty: { company_email: isSame(stored.email, mail.mail_to) ? '' : stored.email },
    check: ({ company_email }) => {
      const email = company_email.trim();
      return email === ''
        ? { company_email: messages.missing }
        : isSame(email, mail.mail_to)
          ? { company_email: messages.same }
          : {};
    },
    send: async ({ company_email }) => {
      const email = company_email.trim();
      if (email !== stored.email) {
        const saved = await mendAddress(company.id, stored.version, email);
        if (!saved.ok) return saved;
        setStored({ version: saved.data.version, email });
      }
      const answer = await retryMail(mail.id);
      if (!answer.ok) return answer;
      const [skipped] = answer.data.skipped;
      if (skipped) toast('warning', messages.skipped(DATA_MESSAGES.leftOut.reasons[skipped.reason]));
      else toast('success', HISTORY_MESSAGES.retry.done(answer.data.accepted));
      onDone();
      return null;
    },
  });
  const { ref } = form;
  useEffect(() => {
    if (startsMending) ref.current?.querySelector('input')?.focus();
  }, [startsMending, ref]);
  return (
    <>
      <form id={id} {...form} className={styles.parts} noValidate>
        <TextField
          label={messages.field}
          help={messages.help}
          type="email"
          autoComplete="off"
          {...field('company_email')}
        />
      </form>
      {children}
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onClose} />}
        others={others}
        act={
          <Button type="submit" form={id} variant="primary" busy={busy}>
            {messages.button}
          </Button>
        }
      />
    </>
  );
}

/** Fetches the company of a mail, always uncached, because an edit sends its version. */
export const companyOf = (id: number) =>
  queryOptions({
    queryKey: [COMPANY, id, 'detail'],
    queryFn: async ({ signal }): Promise<CompanyDetail> =>
      unwrap(await call('getProspect', { params: { id: String(id) } }, { signal })),
    staleTime: 0,
  });

/** Stores another address of a company. An error is reported at the field. */
async function mendAddress(id: number, version: string, company_email: string) {
  const input = {
    params: { id: String(id) },
    body: { version, update_info: { company_email }, acknowledged: 1 as const },
  };
  const answer = await call('updateProspect', input);
  if (answer.ok) return answer;
  const details = (answer.details ?? []).map(({ path, message }) => ({
    path: path.replace(/^update_info\./, ''),
    message,
  }));
  return { ...answer, details };
}

/** Sends one failed mail again, to the current address of its company. */
const retryMail = (id: number) => call('retryDelivery', { params: { id: String(id) } });
