import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import type { Company } from './find-companies.ts';
import { type PreviewedMail, type PreviewRequest, templatePreview } from './preview-query.ts';
import { subjectKey, type TemplateForm } from './template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

const messages = TEMPLATE_MESSAGES.preview;

/** Who gets the mail of the preview, an example or a company, and how a request names it. */
function useRecipient() {
  const [company, setCompany] = useState<Company | null>(null);
  const [hasPerson, setHasPerson] = useState(true);
  const [hasDates, setHasDates] = useState(true);
  const example = { company_name: messages.sampleCompany, person_in_charge: hasPerson ? messages.person : '' };
  const named = {
    ...(company === null ? example : { prospect_id: company.id }),
    has_candidate_dates: hasDates ? 1 : 0,
  } satisfies Partial<PreviewRequest>;
  return { company, setCompany, hasPerson, setHasPerson, hasDates, setHasDates, named };
}

/** The company of the preview, and the mail that it gets. */
export function usePreview({ id, senders }: MailTemplate, form: TemplateForm) {
  const [chosen, setSenderId] = useState<number | null>(null);
  const active = senders.filter((sender) => sender.active === 1);
  const sender = active.find((sender) => sender.id === chosen) ?? active[0];
  // A template that nobody uses any more is shown as its last sender had sent it.
  const senderId = (sender ?? senders[0])?.id ?? null;
  const { named, ...recipient } = useRecipient();
  const own = senderId === null ? null : (form.subjects[senderId] ?? null);
  const request: PreviewRequest = {
    sender_id: senderId,
    subject: own ?? form.subject,
    text_body: form.text_body,
    html_body: form.html_body,
    ...named,
  };
  const subject = senderId === null || own === null ? 'subject' : subjectKey(senderId);
  const answer = useQuery(templatePreview(id, useDebounced(JSON.stringify({ request, subject }))));
  const [mail, setMail] = useState<PreviewedMail | null>(null);
  const { data } = answer;
  // The last valid mail stays visible while the template has faults.
  if (data?.mail && data.mail !== mail) setMail(data.mail);
  const faults: Faults = data?.faults ?? {};
  return {
    request,
    answer,
    mail,
    faults,
    /** The sender of the shown mail, if it can send. */
    sender,
    senderId,
    setSenderId,
    ...recipient,
  };
}

export type Preview = ReturnType<typeof usePreview>;
