import IconBraces from '@tabler/icons-react/dist/esm/icons/IconBraces.mjs';
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { type ReactNode, type Ref, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Menu, MenuGroup } from '#web/components/dialog/menu.tsx';
import field from '#web/components/field/field.module.css';
import segmented from '#web/components/field/segmented.module.css';
import { TextField } from '#web/components/field/text-field.tsx';
import { Tabs } from '#web/components/tabs.tsx';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { isOwnField, type OwnLabels, useOwnLabels } from '#web/lib/data/own/own-labels.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { FIELD_OF_MODE } from './body-editors.tsx';
import { BodyTabs } from './body-tabs.tsx';
import type { FieldHandle } from './code-field.tsx';
import styles from './mail-template.module.css';
import { FIELD_GROUPS, mergeFieldName } from './merge-field-names.ts';
import { type EditorKind, type FieldKey, subjectKey } from './template-form.ts';
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

/** Returns the editor that shows an error of a body; null: the field is no body. */
function modeOf(form: EditedTemplate['form'], field: FieldKey): EditorKind | null {
  if (field !== 'html_body' && field !== 'text_body') return null;
  if (isRich(form, field)) return 'rich';
  return field === 'html_body' ? 'html' : 'text';
}

interface Props {
  readonly ref: Ref<FieldsHandle>;
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly faults: Faults;
  /** Shown beside the fields; on phones in place of all but the subject. */
  readonly preview: ReactNode;
  /** Opens the dialog that has the name on phones. */
  readonly onName: () => void;
}

/** Shows the fields of a template beside its preview. Phones show either, below the subject. */
export function TemplateFields({ ref, template, edited: { form, change }, faults, preview, onName }: Props) {
  const isNarrow = useNarrowScreen();
  const body = useBodyMode(form, change);
  const labels = useOwnLabels(template.merge_fields);
  const [view, setView] = useState<keyof typeof TEMPLATE_MESSAGES.views>('write');
  const { handleOf, keep } = useFieldHandles();
  /** The key of the last edited subject; null: the body. */
  const [target, setTarget] = useState<FieldKey | null>(null);

  useImperativeHandle(ref, () => ({
    show(found) {
      const [first] = Object.keys(found);
      if (first === undefined) return;
      if (first === 'name' && isNarrow) return onName();
      const mode = modeOf(form, first);
      // Renders first: a hidden field cannot take the focus.
      flushSync(() => {
        setView('write');
        if (mode !== null) body.show(mode);
      });
      handleOf(mode === null ? first : FIELD_OF_MODE[mode])?.focus();
    },
  }));

  const keepInput = (key: FieldKey, set: (text: string) => void) => (input: HTMLInputElement | null) =>
    keep(key)(input && { focus: () => input.focus(), insert: (text) => insertInto(input, text, set) });

  function pick(field: string): void {
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

  const parts = { form, faults, keepInput, onTarget: setTarget, onChange: change };
  const lines = <Lines key="lines" {...parts} senders={template.senders} />;
  const text = (
    <div key="text" className={styles.bodies}>
      <InsertMenu fields={template.merge_fields} labels={labels} onPick={pick} />
      <BodyTabs
        labels={labels}
        body={body}
        form={form}
        faults={faults}
        keep={keep}
        onChange={change}
        onFocus={() => setTarget(null)}
      />
    </div>
  );
  const fields = (
    <section className={styles.fields} aria-label={TEMPLATE_MESSAGES.title}>
      {isNarrow ? [text, lines] : [lines, text]}
    </section>
  );
  return (
    <div className={styles.editor}>
      {isNarrow ? <Subject {...parts} className={`${field.inline} ${styles.subject}`} /> : null}
      <Tabs
        label={TEMPLATE_MESSAGES.view}
        shown={view}
        onShow={setView}
        showsAll={!isNarrow}
        classes={{ root: styles.columns, list: `${segmented.choices} ${styles.views}`, panel: styles.view }}
        tabs={[
          { name: 'write', label: TEMPLATE_MESSAGES.views.write, panel: fields },
          { name: 'see', label: TEMPLATE_MESSAGES.views.see, panel: preview },
        ]}
      />
    </div>
  );
}

interface LineProps {
  readonly form: EditedTemplate['form'];
  readonly faults: Faults;
  readonly keepInput: (key: FieldKey, set: (text: string) => void) => Ref<HTMLInputElement>;
  /** Called with the subject that gets the focus: merge fields go there. */
  readonly onTarget: (key: FieldKey) => void;
  readonly onChange: EditedTemplate['change'];
}

/** Shows what stands beside the text: name and subject, which phones have elsewhere, and the senders. */
function Lines({ senders, ...parts }: LineProps & Pick<MailTemplate, 'senders'>) {
  const { form, faults, keepInput, onTarget, onChange } = parts;
  const isNarrow = useNarrowScreen();
  return (
    <div className={styles.lines}>
      {isNarrow ? null : (
        <>
          <TextField
            ref={keepInput('name', (name) => onChange({ name }))}
            label={TEMPLATE_MESSAGES.name}
            info={TEMPLATE_MESSAGES.nameHelp}
            error={faults.name}
            maxLength={MAX_NAME_LENGTH}
            value={form.name}
            onChange={(name) => onChange({ name })}
          />
          <Subject {...parts} />
        </>
      )}
      <TemplateSenders
        senders={senders}
        form={form}
        faults={faults}
        keepInput={keepInput}
        onFocus={(id) => onTarget(subjectKey(id))}
        onChange={onChange}
      />
    </div>
  );
}

function Subject({ form, faults, keepInput, onTarget, onChange, className }: LineProps & { className?: string }) {
  const set = (subject: string) => onChange({ subject });
  return (
    <TextField
      ref={keepInput('subject', set)}
      className={className}
      label={TEMPLATE_MESSAGES.subject}
      error={faults.subject}
      maxLength={MAX_SUBJECT_LENGTH}
      value={form.subject}
      onFocus={() => onTarget('subject')}
      onChange={set}
    />
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
function snippetOf(field: string, place: Place): string {
  if (field !== 'candidate_dates') return `{{ ${field} }}`;
  const dates =
    place === 'html'
      ? '<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>'
      : '{{ candidate_dates }}';
  return `{% if candidate_dates != "" %}\n${dates}\n{% endif %}\n`;
}

/** Returns the groups of the menu with what the template can have of each. */
const offeredGroups = (fields: readonly string[]) =>
  FIELD_GROUPS.map(([group, grouped]): readonly [typeof group, readonly string[]] => [
    group,
    group === 'custom' ? fields.filter(isOwnField) : grouped.filter((field) => fields.includes(field)),
  ]).filter(([, offered]) => offered.length > 0);

interface InsertMenuProps {
  readonly fields: readonly string[];
  /** The labels of the account's own fields. */
  readonly labels: OwnLabels | undefined;
  readonly onPick: (field: string) => void;
}

/** Shows the menu of merge fields in groups. */
function InsertMenu({ fields, labels, onPick }: InsertMenuProps) {
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
        {offeredGroups(fields).map(([group, offered]) => (
          <MenuGroup key={group} label={TEMPLATE_MESSAGES.fieldGroups[group]}>
            {offered.map((field) => (
              <button key={field} type="button" title={snippetOf(field, 'text')} onClick={() => onPick(field)}>
                {mergeFieldName(field, labels) ?? field}
              </button>
            ))}
          </MenuGroup>
        ))}
      </div>
    </Menu>
  );
}
