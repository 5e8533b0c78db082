import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { liquid } from '@codemirror/lang-liquid';
import { HighlightStyle, LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, type Extension, StateField, Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const LIQUID = 'light-dark(#a61e4d, #faa2c1)';

/** `html` highlights tags and Liquid, `text` Liquid alone. */
export type EditorMode = 'html' | 'text';

export interface CodeFault {
  readonly message: string;
  /** From 1. */
  readonly line: number | null;
}

export interface Editor {
  /** Replaces the text from outside. An equal text changes nothing, and keeps the cursor. */
  setText(text: string): void;
  setFault(fault: CodeFault | null): void;
  /** Replaces the selection, and focuses the editor. */
  insert(text: string): void;
  focus(): void;
  goToLine(line: number): void;
  destroy(): void;
}

/** The id of the fault's message within the shadow root. */
const NOTE_ID = 'note';

const plainText = new LanguageSupport(
  StreamLanguage.define({
    token: (stream) => {
      stream.skipToEnd();
      return null;
    },
  }),
);

const languageOf = (mode: EditorMode): Extension => (mode === 'html' ? liquid() : liquid({ base: plainText }));

/** Uses the page's colours (app.css), whose variables are inherited into a shadow root. */
const EDITOR_LOOK = EditorView.theme({
  '&': {
    height: '100%',
    backgroundColor: 'var(--k-surface)',
    color: 'var(--k-text)',
    fontSize: 'var(--k-control-font)',
  },
  '&.cm-focused': { outline: '2px solid var(--k-link)', outlineOffset: '-1px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK JP", monospace',
    lineHeight: '1.6',
  },
  '.cm-content': { caretColor: 'var(--k-text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--k-text)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--k-head)', borderRight: '1px solid var(--k-line)', color: 'var(--k-dim)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'light-dark(#c5dcf3, #2c4a68)',
  },
  '.fault': { backgroundColor: 'light-dark(#ffe3e3, #4a2323)' },
});

const EDITOR_COLORS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--k-dim)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--k-link)' },
  { tag: tags.attributeName, color: 'light-dark(#5f3dc4, #b197fc)' },
  { tag: [tags.attributeValue, tags.string, tags.number, tags.bool], color: 'light-dark(#2b6a10, #8ce99a)' },
  { tag: [tags.brace, tags.variableName, tags.propertyName, tags.keyword, tags.operator], color: LIQUID },
]);

interface Options {
  readonly root: ShadowRoot;
  readonly label: string;
  readonly mode: EditorMode;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onFocus: () => void;
}

/** Marks changes that the user did not type. */
const isExternal = Annotation.define<boolean>();

/**
 * Creates a CodeMirror editor in a shadow root.
 * There CodeMirror uses adoptedStyleSheets; the page's policy would refuse its <style> element. Tab is left to the
 * page, so that the keyboard can leave the editor.
 */
export function createEditor({ root, label, mode, text, onChange, onFocus }: Options): Editor {
  const note = document.createElement('span');
  note.id = NOTE_ID;
  note.hidden = true;
  const fault = new Compartment();
  const view = new EditorView({
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        EditorView.lineWrapping,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        languageOf(mode),
        syntaxHighlighting(EDITOR_COLORS),
        EDITOR_LOOK,
        EditorView.contentAttributes.of({
          'aria-label': label,
          // Editable content can take the focus without it, but assistive programs check it.
          tabindex: '0',
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of((update) => {
          const isOurs = update.transactions.some((transaction) => transaction.annotation(isExternal));
          if (update.docChanged && !isOurs) onChange(update.state.doc.toString());
          if (update.focusChanged && update.view.hasFocus) onFocus();
        }),
        fault.of([]),
      ],
    }),
  });
  root.append(note, view.dom);

  return {
    setText(next) {
      if (view.state.doc.toString() === next) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        annotations: [isExternal.of(true), Transaction.addToHistory.of(false)],
      });
    },
    setFault(found) {
      note.textContent = found?.message ?? '';
      view.dispatch({ effects: fault.reconfigure(found === null ? [] : faultMarks(view, found)) });
    },
    insert(inserted) {
      view.dispatch(view.state.replaceSelection(inserted), { scrollIntoView: true, userEvent: 'input' });
      view.focus();
    },
    focus: () => view.focus(),
    goToLine(line) {
      const { from, to } = view.state.doc.line(Math.min(line, view.state.doc.lines));
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => {
      view.destroy();
      note.remove();
    },
  };
}

function faultMarks(view: EditorView, { line }: CodeFault): Extension[] {
  const attributes = EditorView.contentAttributes.of({ 'aria-invalid': 'true', 'aria-describedby': NOTE_ID });
  const { doc } = view.state;
  if (line === null || line > doc.lines) return [attributes];
  const mark = Decoration.set(Decoration.line({ class: 'fault' }).range(doc.line(line).from));
  const field = StateField.define<DecorationSet>({
    create: () => mark,
    update: (marks, { changes }) => marks.map(changes),
    provide: (marks) => EditorView.decorations.from(marks),
  });
  return [attributes, field];
}
