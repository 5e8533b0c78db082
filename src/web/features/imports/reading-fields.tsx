import { type Choice, SelectField } from '#web/components/field/select-field.tsx';
import styles from './file-step.module.css';
import type { Look, Reading } from './import-query.ts';
import { FILE_MESSAGES } from './words.ts';

const { auto, encodings, separators, headerRows, detected } = FILE_MESSAGES;
const MAX_HEADER_ROW: typeof import('#contract/imports/imports-steps.ts').MAX_HEADER_ROW = 50;

const AUTO: Choice = { value: '', label: auto };
const choicesOf = (words: Readonly<Record<string, string>>): Choice[] => [
  AUTO,
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
];
const ENCODINGS = choicesOf(encodings);
const SEPARATORS = choicesOf(separators);
const ROWS: readonly Choice[] = [
  AUTO,
  ...Array.from({ length: MAX_HEADER_ROW + 1 }, (_, row) => ({ value: String(row), label: headerRows(row) })),
];

interface Props {
  readonly look: Look | undefined;
  readonly reading: Reading;
  /** A workbook has neither an encoding nor a separator. */
  readonly isWorkbook: boolean;
  readonly onChange: (reading: Reading) => void;
}

/** Shows how the file is read: the detected settings, and the user's changes. */
export function ReadingFields({ look, reading, isWorkbook, onChange }: Props) {
  const { encoding, separator, header_row, sheet } = reading;
  const found = (isChosen: boolean, word: string | undefined) =>
    isChosen || word === undefined ? undefined : detected(word);
  const change = (name: keyof Reading, value: string) => {
    const { [name]: _before, ...others } = reading;
    const isNumber = name === 'header_row' || name === 'sheet';
    onChange(value === '' ? others : { ...others, [name]: isNumber ? Number(value) : value });
  };
  return (
    <div className={styles.fields}>
      {isWorkbook ? (
        <Sheets look={look} chosen={sheet} onChange={(value) => change('sheet', value)} />
      ) : (
        <>
          <SelectField
            label={FILE_MESSAGES.encoding}
            choices={ENCODINGS}
            value={encoding ?? ''}
            help={found(encoding !== undefined, look && encodings[look.encoding])}
            onChange={(value) => change('encoding', value)}
          />
          <SelectField
            label={FILE_MESSAGES.separator}
            choices={SEPARATORS}
            value={separator ?? ''}
            help={found(separator !== undefined, look && separators[look.separator])}
            onChange={(value) => change('separator', value)}
          />
        </>
      )}
      <SelectField
        label={FILE_MESSAGES.headerRow}
        choices={ROWS}
        value={header_row === undefined ? '' : String(header_row)}
        help={found(header_row !== undefined, look && headerRows(look.header_row))}
        onChange={(value) => change('header_row', value)}
      />
    </div>
  );
}

interface SheetProps extends Pick<Props, 'look'> {
  readonly chosen: Reading['sheet'];
  readonly onChange: (value: string) => void;
}

/** Selects the sheet of a workbook. A sheet with a company heading is proposed. */
function Sheets({ look, chosen, onChange }: SheetProps) {
  const sheets = look?.sheets ?? [];
  const read = sheets.find(({ index }) => index === look?.sheet);
  return (
    <SelectField
      label={FILE_MESSAGES.sheet}
      choices={[AUTO, ...sheets.map(({ index, name }) => ({ value: String(index), label: name }))]}
      value={chosen === undefined ? '' : String(chosen)}
      help={chosen !== undefined || read === undefined ? undefined : detected(read.name)}
      onChange={onChange}
    />
  );
}
