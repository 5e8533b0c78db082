import { useId } from 'react';
import { Button } from '#web/components/button.tsx';
import styles from './mail-template.module.css';
import { type MergeField, mergeFieldName } from './merge-field-names.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

/** The field that a merge field is inserted into. A subject is one line, and HTML needs its own line breaks. */
export type Place = 'subject' | 'text' | 'html';

interface Props {
  readonly fields: readonly MergeField[];
  readonly onPick: (field: MergeField) => void;
}

/** Returns the template text of a field. The dates have a condition, because not every mail offers dates. */
export function snippetOf(field: MergeField, place: Place): string {
  if (field !== 'candidate_dates') return `{{ ${field} }}`;
  const dates =
    place === 'html'
      ? '<p>{% for line in candidate_date_lines %}{{ line }}<br>{% endfor %}</p>'
      : '{{ candidate_dates }}';
  return `{% if candidate_dates != "" %}\n${dates}\n{% endif %}\n`;
}

export function MergeFieldPalette({ fields, onPick }: Props) {
  const title = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot share a line
    <div className={styles.palette} role="group" aria-labelledby={title}>
      <div className={styles.paletteHead}>
        <span id={title} className={styles.paletteTitle}>
          {TEMPLATE_MESSAGES.fields}
        </span>
        <p className={styles.help}>{TEMPLATE_MESSAGES.fieldsHelp}</p>
      </div>
      {fields.map((field) => {
        const name = mergeFieldName(field);
        return name === undefined ? null : (
          <Button key={field} title={snippetOf(field, 'text')} onClick={() => onPick(field)}>
            {name}
          </Button>
        );
      })}
    </div>
  );
}
