import { useId } from 'react';
import type { MailTemplate } from '#contract/mail-template.ts';
import { Button } from '#web/components/button.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './mail-template.module.css';
import { TEMPLATE_MESSAGES } from './words.ts';

type MergeField = MailTemplate['merge_fields'][number];

/** The field that a merge field is inserted into. A subject is one line, and HTML needs its own line breaks. */
export type Place = 'subject' | 'text' | 'html';

interface Props {
  readonly fields: readonly MergeField[];
  readonly onPick: (field: MergeField) => void;
}

const names: Partial<Readonly<Record<MergeField, string>>> = {
  ...COMMON_MESSAGES.mergeFields,
  ...TEMPLATE_MESSAGES.fieldNames,
};

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
        const name = names[field];
        // The lines of the candidate dates have no name: they are another form of that field.
        return name === undefined ? null : (
          <Button key={field} title={snippetOf(field, 'text')} onClick={() => onPick(field)}>
            {name}
          </Button>
        );
      })}
    </div>
  );
}
