import { type Ref, use, useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { loadPart } from '#web/lib/screen/load-part.ts';
import type { Editor, EditorMode } from './create-editor.ts';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

let loading: Promise<typeof import('./create-editor.ts')> | undefined;

/** Loads CodeMirror, by far the largest part of the screen, in a chunk of its own. */
const loadEditor = () => (loading ??= loadPart(() => import('./create-editor.ts')));

/** What the palette and a refused save need of a field. */
export type FieldHandle = Pick<Editor, 'insert' | 'focus'>;

interface Props {
  readonly ref: Ref<FieldHandle>;
  readonly label: string;
  readonly help: string;
  readonly mode: EditorMode;
  readonly value: string;
  /** The server's message. It starts with `3行目` if one line has the fault. */
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onFocus: () => void;
}

export function CodeField({ ref, label, help, mode, value, fault, onChange, onFocus }: Props) {
  const { createEditor } = use(loadEditor());
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(null);
  const line = fault === undefined ? null : Number(/^(\d+)行目/.exec(fault)?.[1] ?? Number.NaN);
  const faultLine = line === null || Number.isNaN(line) ? null : line;

  const changed = useEffectEvent(onChange);
  const focused = useEffectEvent(onFocus);
  const create = useEffectEvent((root: ShadowRoot) =>
    createEditor({ root, label, mode, text: value, onChange: changed, onFocus: focused }),
  );
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const created = create(root);
    editor.current = created;
    return () => {
      created.destroy();
      editor.current = null;
    };
  }, []);
  useEffect(() => editor.current?.setText(value), [value]);
  useEffect(
    () => editor.current?.setFault(fault === undefined ? null : { message: fault, line: faultLine }),
    [fault, faultLine],
  );
  useImperativeHandle(ref, () => ({
    insert: (text) => editor.current?.insert(text),
    focus: () => editor.current?.focus(),
  }));

  return (
    <div className={styles.code}>
      <div ref={host} className={styles.box} data-code-editor data-faulty={fault !== undefined || undefined} />
      {fault === undefined ? (
        <p className={field.help}>{help}</p>
      ) : (
        <p className={field.error}>
          {fault}
          {faultLine === null ? null : (
            <Button variant="quiet" onClick={() => editor.current?.goToLine(faultLine)}>
              {TEMPLATE_MESSAGES.toLine(faultLine)}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}
