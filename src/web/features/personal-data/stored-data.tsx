import { Button } from '#web/components/button.tsx';
import { Panel } from '#web/components/panel.tsx';
import { saveText } from '#web/lib/api/save-file.ts';
import { listTime } from '#web/lib/screen-time.ts';
import { disclosureCsv, disclosureJson, disclosureRows } from './disclosure-file.ts';
import styles from './personal-data.module.css';
import type { PersonalData } from './personal-data-query.ts';
import { PERSONAL_DATA_MESSAGES as messages } from './words.ts';

interface Props {
  readonly email: string;
  readonly data: PersonalData;
  readonly onErase: () => void;
}

const { parts, columns } = messages;
const COUNTED = [
  'companies',
  'people',
  'changes',
  'mails',
  'bounces',
  'replies',
  'suppressions',
  'invitations',
] as const;

/** Shows the data stored about an address: counts, a table of everything, and files for the person. */
export function StoredData({ email, data, onErase }: Props) {
  const rows = disclosureRows(data);
  return (
    <Panel
      title={messages.shownFor(email)}
      // Offered where nothing is stored, too: an empty file answers a request, and an erasure can record a refusal.
      tools={<Acts data={data} onErase={onErase} />}
    >
      {data.erased === 1 ? <p className={`note ${styles.note}`}>{messages.erased}</p> : null}
      {rows.length === 0 ? (
        <p>{messages.none}</p>
      ) : (
        <>
          <dl className={`row ${styles.counts}`}>
            {COUNTED.map((part) => (
              <div key={part} className="line">
                <dt>{parts[part]}</dt>
                <dd>{messages.counts[part](data[part].length)}</dd>
              </div>
            ))}
            {data.files === 0 ? null : (
              <div className="line">
                <dt>{parts.files}</dt>
                <dd>{messages.filesNote(data.files)}</dd>
              </div>
            )}
          </dl>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
          <section className={styles.scroller} tabIndex={0} aria-label={messages.table}>
            <table className={styles.table}>
              <thead>
                <tr>
                  {Object.entries(columns).map(([id, heading]) => (
                    <th key={id} scope="col">
                      {heading}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map(([part, at, item, value], index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change their order
                  <tr key={index}>
                    <td>{part}</td>
                    <td>{at === '' ? '' : listTime(at)}</td>
                    <td>
                      <bdi>{item}</bdi>
                    </td>
                    <td>
                      <bdi>{value}</bdi>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </Panel>
  );
}

const Acts = ({ data, onErase }: Omit<Props, 'email'>) => (
  <div className="acts">
    <Button onClick={() => saveText(disclosureCsv(data), `${messages.fileName}.csv`, 'text/csv')}>
      {messages.saveCsv}
    </Button>
    <Button onClick={() => saveText(disclosureJson(data), `${messages.fileName}.json`, 'application/json')}>
      {messages.saveJson}
    </Button>
    <Button variant="danger" onClick={onErase}>
      {messages.erase.button}
    </Button>
  </div>
);
