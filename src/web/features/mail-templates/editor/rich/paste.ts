import { closeHistory } from '@tiptap/pm/history';
import { Fragment, type Schema, Slice } from '@tiptap/pm/model';
import { TextSelection } from '@tiptap/pm/state';
import type { EditorProps, EditorView } from '@tiptap/pm/view';
import { readHtml } from './read-html.ts';
import { readText } from './read-text.ts';
import type { RichDocument } from './rich-document.ts';

/** Marks what an editor of this kind has copied: its parser knows more of it than ours. */
const OWN_COPY = /\sdata-pm-slice=/;

/**
 * What is pasted or dropped becomes text, links, lists and merge fields, whatever it was: pages, mails, Word.
 * Pictures are left out.
 *
 * @param onImages gets how many
 */
export const pasteRules = (onImages: (count: number) => void): EditorProps => ({
  clipboardTextParser: (text, _context, _plain, view) => sliceOf(readText(text), view.state.schema),
  // Before the editor has parsed it all, pictures and scripts included.
  handleDOMEvents: {
    paste: (view, event) => taken(event, take(view, event.clipboardData, onImages)),
    drop: (view, event) => {
      // What is dragged within the editor is moved by it.
      const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
      if (view.dragging !== null || place === null) return false;
      const { tr } = view.state;
      view.dispatch(tr.setSelection(TextSelection.near(tr.doc.resolve(place.pos))));
      return taken(event, take(view, event.dataTransfer, onImages));
    },
  },
});

/** Keeps an event from the browser if it was handled. */
function taken(event: Event, isTaken: boolean): boolean {
  if (isTaken) event.preventDefault();
  return isTaken;
}

/** @returns false: the editor itself pastes it */
function take(view: EditorView, data: DataTransfer | null, onImages: (count: number) => void): boolean {
  const html = data?.getData('text/html') ?? '';
  if (html === '') return takeFiles(data, onImages);
  if (OWN_COPY.test(html)) return false;
  const { document, images } = readHtml(html);
  if (images > 0) onImages(images);
  const { tr } = view.state;
  tr.replaceSelection(sliceOf(document, view.state.schema)).scrollIntoView().setMeta('uiEvent', 'paste');
  // One step back takes the paste alone.
  view.dispatch(closeHistory(tr));
  return true;
}

/** Only counts them: pictures are left out. */
function takeFiles(data: DataTransfer | null, onImages: (count: number) => void): boolean {
  const pictures = [...(data?.files ?? [])].length;
  if (pictures > 0) onImages(pictures);
  return pictures > 0;
}

/** Paragraphs at the ends are open: they join those around the cursor. Lists stay lists. */
function sliceOf({ content }: RichDocument, schema: Schema): Slice {
  const open = (place: number) => (content.at(place)?.type === 'paragraph' ? 1 : 0);
  return new Slice(Fragment.fromJSON(schema, content as unknown as object[]), open(0), open(-1));
}
