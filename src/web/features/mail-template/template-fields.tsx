import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { MailTemplate } from '#contract/mail-template.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { CodeField, type FieldHandle } from './code-field.tsx';
import styles from './mail-template.module.css';
import { MergeFieldPalette, snippetOf } from './merge-field-palette.tsx';
import { subjectKey } from './template-form.ts';
import type { Faults } from './template-query.ts';
import type { EditedTemplate } from './use-template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

export interface FieldsHandle {
  /** Goes to the first field with a fault. */
  show(faults: Faults): void;
}

interface Props {
  readonly ref: Ref<FieldsHandle>;
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly faults: Faults;
}

const BODIES = ['html', 'text'] as const;
type Body = (typeof BODIES)[number];
const isBody = (text: string | null): text is Body => text === 'html' || text === 'text';

export function TemplateFields({ ref, template, edited: { form, change }, faults }: Props) {
  const [body, setBody] = useState<Body>('html');
  const fields = useRef(new Map<string, FieldHandle>());
  /** The field that was edited last; a body until a subject was. */
  const [target, setTarget] = useState<'body' | number>('body');
  const { senders } = template;

  useImperativeHandle(ref, () => ({
    show(found) {
      const [first] = Object.keys(found);
      if (first === 'html_body' || first === 'text_body') {
        // What is hidden takes no focus.
        flushSync(() => setBody(first === 'html_body' ? 'html' : 'text'));
        fields.current.get(first)?.focus();
      } else if (first !== undefined) fields.current.get(first)?.focus();
    },
  }));

  const keep = (key: string) => (field: FieldHandle | null) => {
    if (field === null) fields.current.delete(key);
    else fields.current.set(key, field);
  };

  const keepInput = (key: string, set: (text: string) => void) => (input: HTMLInputElement | null) =>
    keep(key)(input && { focus: () => input.focus(), insert: (text) => insertInto(input, text, set) });

  function pick(field: MailTemplate['merge_fields'][number]): void {
    // A subject is one line: dates go to the body in any case.
    const isSubject = target !== 'body' && field !== 'candidate_dates';
    const key = isSubject ? subjectKey(target) : `${body}_body`;
    fields.current.get(key)?.insert(snippetOf(field, isSubject ? 'subject' : body));
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
      <Tabs
        value={body}
        onChange={(value) => isBody(value) && setBody(value)}
        classNames={{ root: styles.bodies, panel: styles.body, tab: styles.tab }}
      >
        <Tabs.List aria-label={TEMPLATE_MESSAGES.bodies}>
          {BODIES.map((mode) => (
            <Tabs.Tab key={mode} value={mode}>
              {TEMPLATE_MESSAGES[mode]}
              {faults[`${mode}_body`] === undefined ? '' : TEMPLATE_MESSAGES.faulty}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {BODIES.map((mode) => (
          <Tabs.Panel key={mode} value={mode}>
            <PartBoundary waiting={<div className={styles.codeBox} aria-busy />}>
              <CodeField
                ref={keep(`${mode}_body`)}
                label={TEMPLATE_MESSAGES[mode]}
                help={TEMPLATE_MESSAGES[`${mode}Help`]}
                mode={mode}
                value={form[`${mode}_body`]}
                fault={faults[`${mode}_body`]}
                onChange={(text) => change({ [`${mode}_body`]: text })}
                onFocus={() => setTarget('body')}
              />
            </PartBoundary>
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

/** At its cursor, which then stands behind it. */
function insertInto(input: HTMLInputElement, text: string, set: (value: string) => void): void {
  const { selectionStart, selectionEnd, value } = input;
  const from = selectionStart ?? value.length;
  flushSync(() => set(value.slice(0, from) + text + value.slice(selectionEnd ?? from)));
  input.focus();
  input.setSelectionRange(from + text.length, from + text.length);
}
