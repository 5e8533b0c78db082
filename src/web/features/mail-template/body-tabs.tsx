import '@mantine/core/styles/Tabs.css';
import { Tabs } from '@mantine/core';
import type { ReactNode, RefCallback } from 'react';
import { Button } from '#web/components/button.tsx';
import { PartBoundary } from '#web/components/part-boundary.tsx';
import { DETAIL_SEPARATOR } from '#web/lib/phrases.ts';
import { CodeField, type FieldHandle } from './code-field.tsx';
import { ConversionDialog } from './conversion-dialog.tsx';
import { htmlChange, richChange } from './convert.ts';
import styles from './mail-template.module.css';
import { RichField } from './rich/rich-field.tsx';
import type { EditorKind, FieldKey, TemplateForm } from './template-form.ts';
import type { Faults } from './template-query.ts';
import type { BodyMode } from './use-body-mode.ts';
import { RICH_MESSAGES, TEMPLATE_MESSAGES } from './words.ts';

const MODES = ['rich', 'html', 'text'] as const;
const isMode = (text: string | null): text is EditorKind => MODES.some((mode) => mode === text);

interface Props {
  readonly body: BodyMode;
  readonly form: TemplateForm;
  readonly faults: Faults;
  readonly keep: (key: FieldKey) => RefCallback<FieldHandle>;
  readonly onChange: (change: Partial<TemplateForm>) => void;
  readonly onFocus: () => void;
}

/** The field of each mode. */
export const FIELD_OF_MODE = { rich: 'rich', html: 'html_body', text: 'text_body' } as const;

/** Returns the fault that a mode shows. The simple editor has written both parts. */
function faultIn(mode: EditorKind, { editor, text_follows }: TemplateForm, faults: Faults): string | undefined {
  if (mode !== 'rich') return faults[FIELD_OF_MODE[mode]];
  if (editor !== 'rich') return undefined;
  const fault = faults.html_body ?? (text_follows ? faults.text_body : undefined);
  // The line is one of the HTML.
  return fault !== undefined && /^\d/.test(fault) ? fault.slice(fault.indexOf(DETAIL_SEPARATOR) + 1) : fault;
}

/** The body of a template in one of three editors. */
export function BodyTabs(props: Props) {
  const { body, form, faults } = props;
  return (
    <Tabs
      value={body.mode}
      // An arrow key moves the focus alone: a change of the editor may ask a question.
      activateTabWithKeyboard={false}
      onChange={(value) => isMode(value) && body.show(value)}
      classNames={{ root: styles.bodies, panel: styles.body, tab: styles.tab }}
    >
      <Tabs.List aria-label={TEMPLATE_MESSAGES.bodies}>
        {MODES.map((mode) => (
          <Tabs.Tab key={mode} value={mode}>
            {TEMPLATE_MESSAGES.modes[mode]}
            {faultIn(mode, form, faults) === undefined ? '' : TEMPLATE_MESSAGES.faulty}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Panel mode="rich" {...props}>
        <RichBody {...props} />
      </Panel>
      <Panel mode="html" {...props}>
        <HtmlBody {...props} />
      </Panel>
      <Panel mode="text" {...props}>
        <TextBody {...props} />
      </Panel>
      {body.asked === null ? null : (
        <ConversionDialog
          conversion={body.asked}
          onStay={body.cancel}
          onGo={() => body.asked !== null && body.convert(body.asked)}
        />
      )}
    </Tabs>
  );
}

interface PanelProps extends Pick<Props, 'body'> {
  readonly mode: EditorKind;
  readonly children: ReactNode;
}

function Panel({ mode, body, children }: PanelProps) {
  return (
    <Tabs.Panel value={mode}>
      {body.isSeen(mode) ? (
        <PartBoundary waiting={<div className={styles.codeBox} aria-busy />}>{children}</PartBoundary>
      ) : null}
    </Tabs.Panel>
  );
}

function RichBody({ form, faults, keep, onChange, onFocus }: Props) {
  if (form.editor !== 'rich') return null;
  return (
    <RichField
      ref={keep(FIELD_OF_MODE.rich)}
      label={RICH_MESSAGES.label}
      help={form.text_follows ? RICH_MESSAGES.help : RICH_MESSAGES.ownTextHelp}
      html={form.html_body}
      fault={faultIn('rich', form, faults)}
      onChange={(document, html) => onChange(richChange(document, html, form.text_follows))}
      onFocus={onFocus}
    />
  );
}

function HtmlBody({ form, faults, keep, onChange, onFocus }: Props) {
  return (
    <CodeField
      ref={keep('html_body')}
      label={TEMPLATE_MESSAGES.html}
      help={form.editor === 'rich' ? TEMPLATE_MESSAGES.htmlOfRichHelp : TEMPLATE_MESSAGES.htmlHelp}
      mode="html"
      value={form.html_body}
      fault={faults.html_body}
      onChange={(text) => onChange(htmlChange(text))}
      onFocus={onFocus}
    />
  );
}

function TextBody({ body, form, faults, keep, onChange, onFocus }: Props) {
  if (form.editor === 'rich' && form.text_follows) {
    return (
      <div className={styles.code}>
        <div className={styles.following}>
          <p className={styles.help}>{TEMPLATE_MESSAGES.followingHelp}</p>
          <Button onClick={() => onChange({ text_follows: false })}>{TEMPLATE_MESSAGES.ownText}</Button>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
        <pre className={styles.plain} tabIndex={0}>
          {form.text_body}
        </pre>
        {faults.text_body === undefined ? null : <p className={styles.fault}>{faults.text_body}</p>}
      </div>
    );
  }
  return (
    <>
      {form.editor === 'rich' ? (
        <div className={styles.following}>
          <Button onClick={body.followText}>{TEMPLATE_MESSAGES.followText}</Button>
        </div>
      ) : null}
      <CodeField
        ref={keep('text_body')}
        label={TEMPLATE_MESSAGES.text}
        help={TEMPLATE_MESSAGES.textHelp}
        mode="text"
        value={form.text_body}
        fault={faults.text_body}
        onChange={(text) => onChange({ text_body: text })}
        onFocus={onFocus}
      />
    </>
  );
}
