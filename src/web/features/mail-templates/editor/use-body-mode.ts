import { useState } from 'react';
import { type Conversion, toFollowingText, toRich } from './convert.ts';
import type { EditorKind, TemplateForm } from './template-form.ts';

/** Manages which of the three editors is shown, and asks before a change loses content. */
export function useBodyMode(form: TemplateForm, change: (change: Partial<TemplateForm>) => void) {
  const [chosen, setChosen] = useState<EditorKind>(form.editor);
  const [asked, setAsked] = useState<Conversion | null>(null);
  // Another version, or a change of the HTML, may not be editable in the simple editor any more.
  const mode: EditorKind = chosen === 'rich' && form.editor !== 'rich' ? form.editor : chosen;
  /** Editors that were shown stay mounted while another one is shown. The others are not loaded. */
  const [seen, setSeen] = useState<readonly EditorKind[]>([]);
  if (!seen.includes(mode)) setSeen([...seen, mode]);

  function convert(conversion: Conversion): void {
    change(conversion.change);
    setChosen(conversion.to);
    setAsked(null);
  }
  const ask = (conversion: Conversion) => (conversion.losses.length === 0 ? convert(conversion) : setAsked(conversion));

  return {
    mode,
    isSeen: (kind: EditorKind) => kind === mode || seen.includes(kind),
    asked,
    convert,
    cancel: () => setAsked(null),
    show(next: EditorKind): void {
      if (next === 'rich' && form.editor !== 'rich') ask(toRich(form));
      else setChosen(next);
    },
    followText: () => ask(toFollowingText(form)),
  };
}

export type BodyMode = ReturnType<typeof useBodyMode>;
