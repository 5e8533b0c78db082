import { type Ref, useId, useImperativeHandle, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

/** The functions of a field that the palette and a refused save use. */
export interface FieldHandle {
  /** Replaces the selection, and focuses the field. */
  readonly insert: (text: string) => void;
  readonly focus: () => void;
}

interface Props {
  readonly ref: Ref<FieldHandle>;
  readonly label: string;
  readonly help: string;
  readonly value: string;
  /** The server's message. It starts with `3行目` if it concerns one line. */
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onFocus: () => void;
}

/**
 * Shows a plain field for HTML or text with line numbers. An invisible copy of the lines behind it wraps in the same
 * way: it gives the field its height, and each line its number.
 */
export function CodeField({ ref, label, help, value, fault, onChange, onFocus }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const copy = useRef<HTMLDivElement>(null);
  const noteId = useId();
  // Uses the line ends of a browser's field: otherwise React would reset the text, which moves the cursor.
  const lines = value.split(/\r\n?|\n/);
  const faultLine = Number(/^(\d+)行目/.exec(fault ?? '')?.[1] ?? 0);
  useImperativeHandle(ref, () => ({
    insert: (text) => insertInto(area.current, text),
    focus: () => area.current?.focus(),
  }));

  function goToLine(): void {
    const from = lines.slice(0, faultLine - 1).join('\n').length + (faultLine > 1 ? 1 : 0);
    area.current?.focus();
    area.current?.setSelectionRange(from, from + (lines[faultLine - 1]?.length ?? 0));
    copy.current?.children[faultLine - 1]?.scrollIntoView({ block: 'nearest' });
  }

  return (
    <div className={styles.code}>
      <div className={styles.box} data-code-editor data-faulty={fault !== undefined || undefined}>
        <div className={styles.source}>
          <div ref={copy} className={styles.copy} aria-hidden>
            {lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line has no name but its place
              <div key={at} data-fault={at + 1 === faultLine || undefined}>
                {line === '' ? '\u200b' : line}
              </div>
            ))}
          </div>
          <textarea
            ref={area}
            aria-label={label}
            aria-invalid={fault !== undefined}
            aria-describedby={fault === undefined ? undefined : noteId}
            spellCheck={false}
            autoCapitalize="off"
            value={lines.join('\n')}
            onChange={(event) => onChange(event.target.value)}
            onFocus={onFocus}
          />
        </div>
      </div>
      {fault === undefined ? (
        <p className={field.help}>{help}</p>
      ) : (
        <p className={field.error}>
          <span id={noteId}>{fault}</span>
          {faultLine === 0 ? null : (
            <Button variant="quiet" onClick={goToLine}>
              {TEMPLATE_MESSAGES.toLine(faultLine)}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** Replaces the selection as typing does. */
function insertInto(area: HTMLTextAreaElement | null, text: string): void {
  if (area === null) return;
  area.focus();
  // The only way that keeps the browser's undo. It is deprecated without a replacement, and all browsers have it.
  if (document.execCommand?.('insertText', false, text)) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}
