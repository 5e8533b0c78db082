import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ApiFailure } from '#web/lib/api/call.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { senderProfiles } from '#web/lib/data/sender-profiles.ts';
import { addTemplate, type NewTemplate } from './change-templates.ts';
import { type Sample, type TemplateRow, templateSamples } from './list-templates.ts';
import type { NewTemplateKind } from './template-list.tsx';
import { CREATE_MESSAGES } from './words.ts';

export type Kind = NewTemplateKind['kind'];

interface Form {
  readonly kind: Kind;
  readonly sample: string;
  readonly copyOf: string;
  readonly name: string;
  readonly subject: string;
  readonly folder: string;
}

type Faults = Readonly<Record<string, string>>;

/** Manages the form of a new template. Name and subject come from its sample or source until the user types others. */
export function useNewTemplate(initial: NewTemplateKind, templates: readonly TemplateRow[]) {
  const samples = useQuery(templateSamples);
  const profiles = useQuery(senderProfiles);
  const [typed, setTyped] = useState<Partial<Form>>({
    kind: initial.kind,
    ...(initial.kind === 'copy' && { copyOf: String(initial.of) }),
  });
  const { keyOf } = useOnceKey();
  const [faults, setFaults] = useState<Faults>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** Whether 作成 was pressed before the samples have loaded. The dialog stays usable meanwhile. */
  const [isWaiting, setWaiting] = useState(false);
  /** The current `typed`, for the time at which the samples have loaded. */
  const latestTyped = useRef(typed);
  const form = completed(typed, samples.data, templates);

  function change(part: Partial<Form>): void {
    latestTyped.current = { ...typed, ...part };
    setTyped(latestTyped.current);
    setFaults({});
    setProblem(null);
  }

  /** Returns the form completed by its sample, or null if the samples cannot be loaded. */
  async function completeForm(): Promise<Form | null> {
    if (form.kind !== 'sample' || samples.data) return form;
    setWaiting(true);
    const { data } = await samples.refetch();
    setWaiting(false);
    return data ? completed(latestTyped.current, data, templates) : null;
  }

  /**
   * @param isOpen whether the dialog is still open when the samples have loaded
   * @returns the id of the new template, or null
   */
  async function create(isOpen: () => boolean): Promise<number | null> {
    if (busy || isWaiting) return null;
    const complete = await completeForm();
    if (complete === null || !isOpen()) return null;
    setBusy(true);
    const id = await add(complete);
    setBusy(false);
    return id;
  }

  async function add(complete: Form): Promise<number | null> {
    const missing = missingOf(complete);
    setFaults(missing);
    if (Object.keys(missing).length > 0) return null;
    // If the account has only one person, the template is assigned to that person.
    const { data: people } = profiles.data === undefined ? await profiles.refetch() : profiles;
    // The query's own toast shows the cause.
    if (people === undefined) return null;
    const request = requestOf(complete, people.length === 1 ? people.map(({ id }) => id) : []);
    const answer = await addTemplate(request, keyOf(request));
    if (answer.ok) return answer.data.id;
    const found = faultsOf(answer);
    setFaults(found);
    setProblem(Object.keys(found).length === 0 ? answer.message : null);
    return null;
  }

  return { form, samples, faults, problem, busy, isWaiting, change, create };
}

const faultsOf = ({ details = [] }: ApiFailure): Faults =>
  Object.fromEntries(details.map(({ path, message }) => [path.replace(/^add_info\./, ''), message]));

function completed(typed: Partial<Form>, samples: readonly Sample[] = [], templates: readonly TemplateRow[]): Form {
  const chosen: Chosen = { kind: 'sample', sample: samples[0]?.key ?? '', copyOf: '', folder: '', ...typed };
  const from = beginningOf(chosen, samples, templates);
  return { name: from?.name ?? '', subject: from?.subject ?? '', ...chosen, ...typed };
}

type Chosen = Omit<Form, 'name' | 'subject'>;

/** Returns what a template begins with: its sample, or the one that it copies, by another name. */
function beginningOf({ kind, sample, copyOf }: Chosen, samples: readonly Sample[], templates: readonly TemplateRow[]) {
  if (kind === 'sample') return samples.find(({ key }) => key === sample);
  const copied = kind === 'copy' ? templates.find(({ id }) => String(id) === copyOf) : undefined;
  return copied && { name: CREATE_MESSAGES.copyName(copied.name), subject: copied.subject };
}

function missingOf({ kind, copyOf, name, subject }: Form): Faults {
  return {
    ...(kind === 'copy' && copyOf === '' && { copy_of: CREATE_MESSAGES.missing }),
    ...(name.trim() === '' && { name: CREATE_MESSAGES.missing }),
    ...(subject.trim() === '' && { subject: CREATE_MESSAGES.missing }),
  };
}

const requestOf = ({ kind, sample, copyOf, name, subject, folder }: Form, people: number[]): NewTemplate => ({
  name: name.trim(),
  subject: subject.trim(),
  ...(people.length > 0 && { sender_profile_ids: people }),
  ...(folder !== '' && { folder_id: Number(folder) }),
  ...(kind === 'sample' && { sample: sample as NonNullable<NewTemplate['sample']> }),
  ...(kind === 'copy' && { copy_of: Number(copyOf) }),
});
