import { Fragment, useId } from 'react';
import { SelectField } from '#web/components/field/select-field.tsx';
import { chipLabel } from '../editor/merge-field-names.ts';
import type { Sample, TemplateRow } from './list-templates.ts';
import type { Kind, useNewTemplate } from './new-template.ts';
import styles from './template-list.module.css';
import { CREATE_MESSAGES as messages } from './words.ts';

interface BeginningProps {
  readonly created: ReturnType<typeof useNewTemplate>;
  readonly templates: readonly TemplateRow[];
}

/** Selects what the new template starts from: a sample, or another template. */
export function Beginning({ created: { form, samples, faults, change }, templates }: BeginningProps) {
  return (
    <>
      {form.kind === 'sample' ? (
        <Samples
          samples={samples.data ?? []}
          fault={samples.isError ? messages.samplesFailed : faults.sample}
          chosen={form.sample}
          onChange={(sample) => change({ sample })}
        />
      ) : null}
      {form.kind === 'copy' ? (
        <SelectField
          label={messages.copyOf}
          error={faults.copy_of}
          choices={copyChoices(templates)}
          value={form.copyOf}
          onChange={(copyOf) => change({ copyOf })}
        />
      ) : null}
    </>
  );
}

const copyChoices = (templates: readonly TemplateRow[]) => [
  { value: '', label: '' },
  ...templates.map(({ id, name }) => ({ value: String(id), label: name })),
];

export function Kinds({ kind, onChange }: { readonly kind: Kind; readonly onChange: (kind: Kind) => void }) {
  const name = useId();
  return (
    <fieldset className={styles.kinds}>
      <legend>{messages.kind}</legend>
      {(['sample', 'blank', 'copy'] as const).map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={kind === choice} onChange={() => onChange(choice)} />
          {messages.kinds[choice]}
        </label>
      ))}
    </fieldset>
  );
}

interface SamplesProps {
  readonly samples: readonly Sample[];
  readonly fault: string | undefined;
  readonly chosen: string;
  readonly onChange: (key: string) => void;
}

function Samples({ samples, fault, chosen, onChange }: SamplesProps) {
  const name = useId();
  return (
    <fieldset className={styles.samples}>
      <legend>{messages.sample}</legend>
      {samples.map(({ key, name: title, description, text_body }) => (
        <Fragment key={key}>
          <label>
            <input type="radio" name={name} checked={key === chosen} onChange={() => onChange(key)} />
            <span>
              {title}
              <small>{description}</small>
            </span>
          </label>
          {key === chosen ? (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
            <pre className={styles.sampleText} tabIndex={0}>
              {readable(text_body)}
            </pre>
          ) : null}
        </Fragment>
      ))}
      {fault === undefined ? null : <p className="fault">{fault}</p>}
    </fieldset>
  );
}

/** Returns a sample's text with the names of its merge fields, without the tags around the dates. */
const readable = (text: string): string =>
  text.replaceAll(/\{%.*?%\}\n?/g, '').replaceAll(/\{\{.*?\}\}/g, (source) => messages.field(chipLabel(source)));
