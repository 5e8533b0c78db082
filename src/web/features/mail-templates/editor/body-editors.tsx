import type { RefCallback } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import type { Faults } from '#web/lib/api/faults-of.ts';
import type { OwnLabels } from '#web/lib/data/own/own-labels.ts';
import { DETAIL_SEPARATOR } from '#web/lib/phrases.ts';
import { CodeField, type FieldHandle } from './code-field.tsx';
import styles from './mail-template.module.css';
import type { RichDocument } from './rich/rich-document.ts';
import { RichField } from './rich/rich-field.tsx';
import { writeText } from './rich/write-text.ts';
import type { EditorKind, FieldKey, TemplateForm } from './template-form.ts';
import type { BodyMode } from './use-body-mode.ts';
import { RICH_MESSAGES, TEMPLATE_MESSAGES } from './words.ts';

export interface BodyProps {
  readonly body: BodyMode;
  /** The labels of own fields; undefined: loading. */
  readonly labels: OwnLabels | undefined;
  readonly form: TemplateForm;
  readonly faults: Faults;
  readonly keep: (key: FieldKey) => RefCallback<FieldHandle>;
  readonly onChange: (change: Partial<TemplateForm>) => void;
  readonly onFocus: () => void;
}

/** The field that each mode edits. */
export const FIELD_OF_MODE = { rich: 'rich', html: 'html_body', text: 'text_body' } as const;

/** Returns the error that a mode shows. The simple editor writes both parts. */
export function faultIn(mode: EditorKind, { editor, text_follows }: TemplateForm, faults: Faults): string | undefined {
  if (mode !== 'rich') return faults[FIELD_OF_MODE[mode]];
  if (editor !== 'rich') return undefined;
  const fault = faults.html_body ?? (text_follows ? faults.text_body : undefined);
  // The line number counts the lines of the HTML.
  return fault !== undefined && /^\d/.test(fault) ? fault.slice(fault.indexOf(DETAIL_SEPARATOR) + 1) : fault;
}

export function RichBody({ labels, form, faults, keep, onChange, onFocus }: BodyProps) {
  if (form.editor !== 'rich') return null;
  // Its chips keep the labels that they are made with.
  if (labels === undefined) return <div className={styles.box} aria-busy />;
  return (
    <RichField
      ref={keep(FIELD_OF_MODE.rich)}
      label={RICH_MESSAGES.label}
      help={form.text_follows ? RICH_MESSAGES.help : RICH_MESSAGES.ownTextHelp}
      labels={labels}
      html={form.html_body}
      fault={faultIn('rich', form, faults)}
      onChange={(document, html) => onChange(richChange(document, html, form.text_follows))}
      onFocus={onFocus}
    />
  );
}

export function HtmlBody({ form, faults, keep, onChange, onFocus }: BodyProps) {
  return (
    <CodeField
      ref={keep('html_body')}
      label={TEMPLATE_MESSAGES.html}
      help={form.editor === 'rich' ? TEMPLATE_MESSAGES.htmlOfRichHelp : TEMPLATE_MESSAGES.htmlHelp}
      value={form.html_body}
      fault={faults.html_body}
      onChange={(text) => onChange(htmlChange(text))}
      onFocus={onFocus}
    />
  );
}

export function TextBody({ body, form, faults, keep, onChange, onFocus }: BodyProps) {
  if (form.editor === 'rich' && form.text_follows) {
    return (
      <div className={styles.code}>
        <div className={styles.line}>
          <p className={field.help}>{TEMPLATE_MESSAGES.followingHelp}</p>
          <Button onClick={() => onChange({ text_follows: false })}>{TEMPLATE_MESSAGES.ownText}</Button>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
        <pre className={styles.box} tabIndex={0}>
          {form.text_body}
        </pre>
        {faults.text_body === undefined ? null : <p className={field.error}>{faults.text_body}</p>}
      </div>
    );
  }
  return (
    <>
      {form.editor === 'rich' ? (
        <div className={styles.line}>
          <Button onClick={body.followText}>{TEMPLATE_MESSAGES.followText}</Button>
        </div>
      ) : null}
      <CodeField
        ref={keep('text_body')}
        label={TEMPLATE_MESSAGES.text}
        help={TEMPLATE_MESSAGES.textHelp}
        value={form.text_body}
        fault={faults.text_body}
        onChange={(text) => onChange({ text_body: text })}
        onFocus={onFocus}
      />
    </>
  );
}

/** Returns the form's change after an edit in the simple editor. */
const richChange = (document: RichDocument, html_body: string, follows: boolean): Partial<TemplateForm> => ({
  html_body,
  ...(follows && { text_body: writeText(document) }),
});

/** Returns the form's change after an edit of the HTML, which the simple editor then no longer writes. */
const htmlChange = (html_body: string): Partial<TemplateForm> => ({
  html_body,
  editor: html_body.trim() === '' ? 'text' : 'html',
  text_follows: false,
});
