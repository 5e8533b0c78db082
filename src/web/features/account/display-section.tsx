import { type ReactNode, useState } from 'react';
import { SettingRow } from '#web/components/field/setting-row.tsx';
import { Panel } from '#web/components/panel.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { ROW_HEIGHTS, SCHEMES, setAppearance, useAppearance } from '#web/lib/screen/appearance.ts';
import styles from './account.module.css';
import { DISPLAY_MESSAGES } from './words.ts';

/** Shows the settings for the look of the screens in this browser. */
export function DisplaySection({ children }: { readonly children: ReactNode }) {
  const { scheme, rows } = useAppearance();
  const { title, help, schemes, rowHeights } = DISPLAY_MESSAGES;
  return (
    <Panel title={title} help={help}>
      <Choices
        name="scheme"
        label={schemes.label}
        words={schemes.words}
        values={SCHEMES}
        value={scheme}
        onChange={(next) => setAppearance({ scheme: next })}
      />
      <Choices
        name="rows"
        label={rowHeights.label}
        words={rowHeights.words}
        values={ROW_HEIGHTS}
        value={rows}
        onChange={(next) => setAppearance({ rows: next })}
      />
      {children}
    </Panel>
  );
}

interface Props<Value extends string> {
  readonly name: string;
  readonly label: string;
  readonly words: Readonly<Record<Value, string>>;
  readonly values: readonly Value[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function Choices<Value extends string>({ name, label, words, values, value, onChange }: Props<Value>) {
  const [isSaved, setSaved] = useState(false);
  function choose(choice: Value): void {
    onChange(choice);
    setSaved(true);
  }

  return (
    <SettingRow label={label}>
      {(labelId) => (
        <fieldset className={`row ${styles.choices}`} aria-labelledby={labelId}>
          {values.map((choice) => (
            <label key={choice}>
              <input type="radio" name={name} checked={choice === value} onChange={() => choose(choice)} />
              {words[choice]}
            </label>
          ))}
          <SavedMark isSaved={isSaved} />
        </fieldset>
      )}
    </SettingRow>
  );
}
