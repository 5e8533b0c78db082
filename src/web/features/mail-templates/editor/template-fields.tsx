import IconBraces from '@tabler/icons-react/dist/esm/icons/IconBraces.mjs';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Menu, MenuGroup } from '#web/components/dialog/menu.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { FIELD_OF_MODE } from './body-editors.tsx';
import { BodyTabs } from './body-tabs.tsx';
import type { FieldHandle } from './code-field.tsx';
import styles from './mail-template.module.css';
import { FIELD_GROUPS, type MergeField, mergeFieldName } from './merge-field-names.ts';
import { type FieldKey, subjectKey } from './template-form.ts';
import { TemplateSenders } from './template-senders.tsx';
import { useBodyMode } from './use-body-mode.ts';
import type { EditedTemplate } from './use-template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

export interface FieldsHandle {
  /** Focuses the first field that has an error. */
  show(faults: Faults): void;
}

/** Whether the simple editor shows an error of a body. */
const isRich = (form: EditedTemplate['form'], field: FieldKey): boolean =>
  form.editor === 'rich' && (field === 'html_body' || form.text_follows);

interface Props {
  readonly ref: Ref<FieldsHandle>;
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly faults: Faults;
}

export function TemplateFields({ ref, template, edited: { form, change }, faults }: Props) {
  const isNarrow = useNarrowScreen();
  const body = useBodyMode(form, change);
  const { handleOf, keep } = useFieldHandles();
  /** The key of the last edited subject; null: the body. */
  const [target, setTarget] = useState<FieldKey | null>(null);

  useImperativeHandle(ref, () => ({
    show(found) {
      const [first] = Object.keys(found);
      if (first === undefined) return;
      if (first !== 'html_body' && first !== 'text_body') return handleOf(first)?.focus();
      const mode = isRich(form, first) ? 'rich' : first === 'html_body' ? 'html' : 'text';
      // Renders first: a hidden body cannot take the focus.
      flushSync(() => body.show(mode));
      handleOf(FIELD_OF_MODE[mode])?.focus();
    },
  }));

  const keepInput = (key: FieldKey, set: (text: string) => void) => (input: HTMLInputElement | null) =>
    keep(key)(input && { focus: () => input.focus(), insert: (text) => insertInto(input, text, set) });

  function pick(field: MergeField): void {
    // A subject is one line, so the dates go into the body.
    const subject = field === 'candidate_dates' ? undefined : handleOf(target ?? '');
    if (subject !== undefined) {
      subject.insert(snippetOf(field, 'subject'));
      return;
    }
    // A text part that follows the simple editor cannot be edited.
    const mode = body.mode === 'text' && isRich(form, 'text_body') ? 'rich' : body.mode;
    flushSync(() => body.show(mode));
    handleOf(FIELD_OF_MODE[mode])?.insert(snippetOf(field, mode === 'text' ? 'text' : 'html'));
  }

  const setSubject = (subject: string) => change({ subject });
  const lines = (
    <div key="lines" className={styles.lines}>
      <TextField
        ref={keepInput('name', (name) => change({ name }))}
        label={TEMPLATE_MESSAGES.name}
        info={TEMPLATE_MESSAGES.nameHelp}
        error={faults.name}
        maxLength={MAX_NAME_LENGTH}
        value={form.name}
        onChange={(name) => change({ name })}
      />
      <TextField
        ref={keepInput('subject', setSubject)}
        label={TEMPLATE_MESSAGES.subject}
        error={faults.subject}
        maxLength={MAX_SUBJECT_LENGTH}
        value={form.subject}
        onFocus={() => setTarget('subject')}
        onChange={setSubject}
      />
      <TemplateSenders
        senders={template.senders}
        form={form}
        faults={faults}
        keepInput={keepInput}
        onFocus={(id) => setTarget(subjectKey(id))}
        onChange={change}
      />
    </div>
  );
  const text = (
    <div key="text" className={styles.bodies}>
      <InsertMenu fields={template.merge_fields} onPick={pick} />
      <BodyTabs body={body} form={form} faults={faults} keep={keep} onChange={change} onFocus={() => setTarget(null)} />
    </div>
  );
  return (
    <section className={styles.fields} aria-label={TEMPLATE_MESSAGES.title}>
      {isNarrow ? [text, lines] : [lines, text]}
    </section>
  );
}

/** Inserts text at the cursor of an input, and moves the cursor after it. */
function insertInto(input: HTMLInputElement, text: string, set: (value: string) => void): void {
  const { selectionStart, selectionEnd, value } = input;
  const from = selectionStart ?? value.length;
  flushSync(() => set(value.slice(0, from) + text + value.slice(selectionEnd ?? from)));
  input.focus();
  input.setSelectionRange(from + text.length, from + text.length);
}

/** Stores the handles of the rendered fields by key. */
function useFieldHandles() {
  const handles = useRef(new Map<FieldKey, FieldHandle>());
  return {
    handleOf: (key: FieldKey): FieldHandle | undefined => handles.current.get(key),
    /** Returns the ref of a field. */
    keep:
      (key: FieldKey) =>
      (handle: FieldHandle | null): void => {
        if (handle === null) handles.current.delete(key);
        else handles.current.set(key, handle);
      },
  };
}

/** The kind of field that gets a merge field. A subject is one line, and HTML needs its own line breaks. */
type Place = 'subject' | 'text' | 'html';

/** Returns the Liquid of a merge field. The dates get a condition, because not every mail offers dates. */
function snippetOf(field: MergeField, place: Place): string {
  if (field !== 'candidate_dates') return `{{ ${field} }}`;
  const dates =
    place === 'html'
      ? '<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>'
      : '{{ candidate_dates }}';
  return `{% if candidate_dates != "" %}\n${dates}\n{% endif %}\n`;
}

interface InsertMenuProps {
  readonly fields: readonly MergeField[];
  readonly onPick: (field: MergeField) => void;
}

/** Shows the menu of merge fields in groups. */
function InsertMenu({ fields, onPick }: InsertMenuProps) {
  const label = (
    <>
      <IconBraces size={16} aria-hidden />
      {TEMPLATE_MESSAGES.insert}
      <IconChevronDown size={14} aria-hidden />
    </>
  );
  return (
    <Menu variant="default" label={label} className={styles.insert} panelClass={styles.insertions}>
      <div className={styles.groups}>
        {FIELD_GROUPS.map(([group, grouped]) => (
          <MenuGroup key={group} label={TEMPLATE_MESSAGES.fieldGroups[group]}>
            {grouped
              .filter((field) => fields.includes(field))
              .map((field) => (
                <button key={field} type="button" title={snippetOf(field, 'text')} onClick={() => onPick(field)}>
                  {mergeFieldName(field)}
                </button>
              ))}
          </MenuGroup>
        ))}
      </div>
    </Menu>
  );
}
