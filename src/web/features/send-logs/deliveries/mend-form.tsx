import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import dialog from '#web/components/dialog/dialog-body.module.css';
import { DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { COMPANY } from '#web/lib/api/query-keys.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useForm } from '#web/lib/form/use-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { CAUSE_MESSAGES, HISTORY_MESSAGES } from '../words.ts';
import type { Mail } from './view-deliveries.ts';

interface Props {
  readonly mail: Mail;
  readonly onBack: () => void;
  /** Called when the mail is queued to be sent again. */
  readonly onDone: () => void;
}

/** Asks for another address of a company whose mail failed, stores it, and sends the mail again. */
export function MendForm(props: Props) {
  const { data, error, refetch } = useQuery(companyOf(props.mail.prospect_id));
  if (data === undefined) return <NotLoaded hasFailed={error !== null} onRetry={() => void refetch()} />;
  return <Fields {...props} company={data} />;
}

const messages = CAUSE_MESSAGES.mend;

function Fields({ mail, company, onBack, onDone }: Props & { readonly company: CompanyDetail }) {
  // The stored address and version, if sending again failed after the address was stored.
  const [stored, setStored] = useState({ version: company.version, email: company.company_email ?? '' });
  const { busy, field, form } = useForm({
    empty: { company_email: stored.email },
    check: ({ company_email }) => {
      if (company_email.trim() === '') return { company_email: messages.missing };
      return company_email.trim().toLowerCase() === mail.mail_to?.toLowerCase() ? { company_email: messages.same } : {};
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
      if (skipped) {
        const reason = DATA_MESSAGES.leftOut.reasons[skipped.reason];
        toast('warning', messages.skipped(reason));
      } else {
        toast('success', HISTORY_MESSAGES.retry.done(answer.data.accepted));
      }
      onDone();
      return null;
    },
  });
  return (
    <form {...form} noValidate>
      <dl className={dialog.facts}>
        <dt>{messages.old}</dt>
        <dd>{mail.mail_to}</dd>
      </dl>
      <TextField
        label={messages.field}
        help={messages.help}
        type="email"
        autoComplete="off"
        data-autofocus
        {...field('company_email')}
      />
      <DialogFoot
        stay={
          <Button busy={busy} onClick={onBack}>
            {messages.back}
          </Button>
        }
        act={
          <Button type="submit" variant="primary" busy={busy}>
            {messages.button}
          </Button>
        }
      />
    </form>
  );
}

/** Fetches the company of a mail, always uncached, because an edit sends its version. */
const companyOf = (id: number) =>
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
