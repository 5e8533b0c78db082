import { type ComponentProps, type Ref, useImperativeHandle, useRef } from 'react';
import type { FieldHandle } from '#web/features/mail-templates/editor/code-field.tsx';
import { readHtml } from '#web/features/mail-templates/editor/rich/read-html.ts';
import type { RichField as Rich } from '#web/features/mail-templates/editor/rich/rich-field.tsx';
import { writeHtml } from '#web/features/mail-templates/editor/rich/write-html.ts';

interface Props {
  readonly ref: Ref<FieldHandle>;
  readonly label: string;
  readonly value: string;
  readonly note: string | undefined;
  readonly onWrite: (text: string) => void;
  readonly onFocus: () => void;
}

function PlainField({ ref, label, value, note, onWrite, onFocus }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => ({ focus: () => area.current?.focus(), insert: (text) => onWrite(value + text) }));
  return (
    <>
      <textarea
        ref={area}
        aria-label={label}
        value={value}
        onChange={(event) => onWrite(event.target.value)}
        onFocus={onFocus}
      />
      <p>{note}</p>
    </>
  );
}

/** Replaces the simple editor, and shows its text as HTML, because TipTap needs layout. */
export function RichField({ ref, label, help, html, fault, onChange, onFocus }: ComponentProps<typeof Rich>) {
  const write = (written: string) => {
    const { document } = readHtml(written);
    onChange(document, writeHtml(document));
  };
  return <PlainField ref={ref} label={label} value={html} note={fault ?? help} onWrite={write} onFocus={onFocus} />;
}
