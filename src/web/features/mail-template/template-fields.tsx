import { type Ref, useImperativeHandle, useState } from 'react';
import { flushSync } from 'react-dom';
import type { MailTemplate } from '#contract/mail-template.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { TextField } from '#web/components/text-field.tsx';
import { type Body, BodyTabs } from './body-tabs.tsx';
import { insertInto } from './insert-into.ts';
import styles from './mail-template.module.css';
import { MergeFieldPalette, snippetOf } from './merge-field-palette.tsx';
import { subjectKey } from './template-form.ts';
import type { Faults } from './template-query.ts';
import { useFieldHandles } from './use-field-handles.ts';
import type { EditedTemplate } from './use-template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

export interface FieldsHandle {
  /** Focuses the first field that has a fault. */
  show(faults: Faults): void;
}

interface Props {
  readonly ref: Ref<FieldsHandle>;
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly faults: Faults;
}

export function TemplateFields({ ref, template, edited: { form, change }, faults }: Props) {
  const [body, setBody] = useState<Body>('html');
  const { handleOf, keep } = useFieldHandles();
  /** The last edited field: the id of a sender for its subject. */
  const [target, setTarget] = useState<'body' | number>('body');
  const { senders } = template;

  useImperativeHandle(ref, () => ({
    show(found) {
      const [first] = Object.keys(found);
      if (first === undefined) return;
      // A hidden body cannot take the focus.
      if (first === 'html_body' || first === 'text_body')
        flushSync(() => setBody(first === 'html_body' ? 'html' : 'text'));
      handleOf(first)?.focus();
    },
  }));

  const keepInput = (key: string, set: (text: string) => void) => (input: HTMLInputElement | null) =>
    keep(key)(input && { focus: () => input.focus(), insert: (text) => insertInto(input, text, set) });

  function pick(field: MailTemplate['merge_fields'][number]): void {
    // A subject is one line, so dates go to the body.
    const isSubject = target !== 'body' && field !== 'candidate_dates';
    const key = isSubject ? subjectKey(target) : `${body}_body`;
    handleOf(key)?.insert(snippetOf(field, isSubject ? 'subject' : body));
  }

  const setSubject = (id: number) => (subject: string) => change({ subjects: { ...form.subjects, [id]: subject } });

  return (
    <section className={styles.fields} aria-label={TEMPLATE_MESSAGES.title}>
      <TextField
        ref={keepInput('name', (name) => change({ name }))}
        label={TEMPLATE_MESSAGES.name}
        help={TEMPLATE_MESSAGES.nameHelp}
        error={faults.name}
        maxLength={MAX_NAME_LENGTH}
        value={form.name}
        onChange={(name) => change({ name })}
      />
      {senders.length === 0 ? <p className={styles.help}>{TEMPLATE_MESSAGES.noSender}</p> : null}
      {senders.map(({ id, group, person_in_charge }) => (
        <TextField
          key={id}
          ref={keepInput(subjectKey(id), setSubject(id))}
          label={
            senders.length === 1 ? TEMPLATE_MESSAGES.subject : TEMPLATE_MESSAGES.subjectOf(group, person_in_charge)
          }
          error={faults[subjectKey(id)]}
          maxLength={MAX_SUBJECT_LENGTH}
          value={form.subjects[id] ?? ''}
          onFocus={() => setTarget(id)}
          onChange={setSubject(id)}
        />
      ))}
      <MergeFieldPalette fields={template.merge_fields} onPick={pick} />
      <BodyTabs
        shown={body}
        form={form}
        faults={faults}
        keep={keep}
        onShow={setBody}
        onChange={change}
        onFocus={() => setTarget('body')}
      />
    </section>
  );
}
