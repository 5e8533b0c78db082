import IconBold from '@tabler/icons-react/dist/esm/icons/IconBold.mjs';
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs';
import IconList from '@tabler/icons-react/dist/esm/icons/IconList.mjs';
import IconListNumbers from '@tabler/icons-react/dist/esm/icons/IconListNumbers.mjs';
import { type Ref, use, useEffect, useEffectEvent, useId, useImperativeHandle, useRef, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import type { OwnLabels } from '#web/lib/data/own/own-labels.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import type { FieldHandle } from '../code-field.tsx';
import area from '../mail-template.module.css';
import { chipLabel } from '../merge-field-names.ts';
import { RICH_MESSAGES } from '../words.ts';
import type { RichCommand, RichEditor, RichState } from './create-rich-editor.ts';
import { LinkDialog } from './link-dialog.tsx';
import { readHtml } from './read-html.ts';
import type { RichDocument } from './rich-document.ts';
import styles from './rich-field.module.css';
import { writeHtml } from './write-html.ts';

let loading: Promise<typeof import('./create-rich-editor.ts')> | undefined;

/** Loads TipTap, which has its own chunk. */
const loadEditor = () => (loading ??= loadPart(() => import('./create-rich-editor.ts')));

interface Props {
  readonly ref: Ref<FieldHandle>;
  readonly label: string;
  readonly help: string;
  /** The labels of own fields, which chips show. */
  readonly labels: OwnLabels;
  /** The HTML part of the mail. */
  readonly html: string;
  readonly fault: string | undefined;
  readonly onChange: (document: RichDocument, html: string) => void;
  readonly onFocus: () => void;
}

/** Shows the simple editor: one text with bold, links, lists and chips, which becomes both parts of the mail. */
export function RichField({ ref, label, help, labels, html, fault, onChange, onFocus }: Props) {
  const { createRichEditor, NO_STATE } = use(loadEditor());
  const noteId = useId();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<RichEditor>(null);
  /** The HTML in the editor, so that its own changes are not set again. */
  const shown = useRef(html);
  const [state, setState] = useState<RichState>(NO_STATE);
  const [isLinking, setLinking] = useState(false);

  const changed = useEffectEvent((document: RichDocument) => {
    shown.current = writeHtml(document);
    onChange(document, shown.current);
  });
  const focused = useEffectEvent(onFocus);
  const create = useEffectEvent((element: HTMLElement) =>
    createRichEditor({
      host: element,
      label,
      datesLabel: RICH_MESSAGES.dates,
      labelOf: (source) => chipLabel(source, labels),
      document: readHtml(shown.current).document,
      onChange: changed,
      onState: (next) => setState((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next)),
      onFocus: focused,
      onReduced: ({ images, tables }) => {
        if (images > 0) toast('info', RICH_MESSAGES.imagesLeftOut(images));
        if (tables > 0) toast('info', RICH_MESSAGES.tablesAsLines);
      },
    }),
  );
  useEffect(() => {
    if (host.current === null) return undefined;
    const created = create(host.current);
    editor.current = created;
    return () => {
      created.destroy();
      editor.current = null;
    };
  }, []);
  useEffect(() => {
    if (html === shown.current) return;
    shown.current = html;
    editor.current?.setDocument(readHtml(html).document);
  }, [html]);
  const isFaulty = fault !== undefined;
  useEffect(() => editor.current?.setFault(isFaulty ? noteId : null), [isFaulty, noteId]);
  useImperativeHandle(ref, () => ({
    insert: (text) => editor.current?.insert(readHtml(text).document.content),
    focus: () => editor.current?.focus(),
  }));

  return (
    <div className={area.rich}>
      <RichToolbar
        state={state}
        onToggle={(command) => editor.current?.toggle(command)}
        onLink={() => setLinking(true)}
      />
      <div ref={host} className={`${area.box} ${styles.text}`} data-code-editor data-faulty={isFaulty || undefined} />
      <p id={noteId} className={styles.note}>
        {isFaulty ? <span className={field.error}>{fault}</span> : null}
        <span className={field.help}>{help}</span>
      </p>
      {isLinking ? (
        <LinkDialog
          href={state.href}
          hasWords={state.hasSelection || state.href !== null}
          onSet={(href, words) => editor.current?.setLink(href, words)}
          onClose={() => setLinking(false)}
        />
      ) : null}
    </div>
  );
}

const COMMANDS = [
  ['bold', IconBold],
  ['bulletList', IconList],
  ['orderedList', IconListNumbers],
] as const;

interface RichToolbarProps {
  readonly state: RichState;
  readonly onToggle: (command: RichCommand) => void;
  readonly onLink: () => void;
}

/** Shows the buttons of the simple editor. A press keeps the text's selection. */
function RichToolbar({ state, onToggle, onLink }: RichToolbarProps) {
  const keepFocus = (event: { preventDefault(): void }) => event.preventDefault();
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={RICH_MESSAGES.toolbar}>
      {COMMANDS.map(([command, Icon]) => (
        <Button
          key={command}
          aria-pressed={state[command]}
          aria-label={RICH_MESSAGES[command]}
          title={RICH_MESSAGES[command]}
          onMouseDown={keepFocus}
          onClick={() => onToggle(command)}
        >
          <Icon size={18} aria-hidden />
        </Button>
      ))}
      <Button
        aria-pressed={state.href !== null}
        aria-label={RICH_MESSAGES.link}
        title={RICH_MESSAGES.link}
        onMouseDown={keepFocus}
        onClick={onLink}
      >
        <IconLink size={18} aria-hidden />
      </Button>
    </div>
  );
}
