import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { liquid } from '@codemirror/lang-liquid';
import { LanguageSupport, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { Annotation, Compartment, EditorState, type Extension, StateField, Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { EDITOR_COLORS, EDITOR_LOOK } from './editor-look.ts';

/** A body of a template as an editor; html: with tags, text: Liquid alone. */
export type EditorMode = 'html' | 'text';

export interface CodeFault {
  readonly message: string;
  /** From 1. */
  readonly line: number | null;
}

export interface Editor {
  /** From outside; what is the same already is left alone, with its cursor. */
  setText(text: string): void;
  setFault(fault: CodeFault | null): void;
  /** In place of what is selected; the focus goes there too. */
  insert(text: string): void;
  focus(): void;
  goToLine(line: number): void;
  destroy(): void;
}

interface Options {
  readonly root: ShadowRoot;
  readonly label: string;
  readonly mode: EditorMode;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onFocus: () => void;
}

/** Marks what nobody has typed. */
const fromOutside = Annotation.define<boolean>();

/** The id, within the shadow root, of the words that say what is wrong. */
const NOTE = 'note';

const plainText = new LanguageSupport(
  StreamLanguage.define({
    token: (stream) => {
      stream.skipToEnd();
      return null;
    },
  }),
);

const languageOf = (mode: EditorMode): Extension => (mode === 'html' ? liquid() : liquid({ base: plainText }));

/**
 * CodeMirror in a shadow root: there it takes its styles by adoptedStyleSheets, where a <style> element would be refused by the
 * page's policy. Tab is left to the page, so that the keyboard gets out again.
 */
export function createEditor({ root, label, mode, text, onChange, onFocus }: Options): Editor {
  const note = document.createElement('span');
  note.id = NOTE;
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
          // What can be edited has the focus by itself; assistive programs ask for this all the same.
          tabindex: '0',
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of((update) => {
          const isOurs = update.transactions.some((transaction) => transaction.annotation(fromOutside));
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
        annotations: [fromOutside.of(true), Transaction.addToHistory.of(false)],
      });
    },
    setFault(found) {
      note.textContent = found?.message ?? '';
      view.dispatch({ effects: fault.reconfigure(found === null ? [] : faultMarks(view, found)) });
    },
    insert(words) {
      view.dispatch(view.state.replaceSelection(words), { scrollIntoView: true, userEvent: 'input' });
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
  const attributes = EditorView.contentAttributes.of({ 'aria-invalid': 'true', 'aria-describedby': NOTE });
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
