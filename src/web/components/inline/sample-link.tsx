import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import styles from './sample-link.module.css';

/** A file of the client (src/web/public): the headings that an import understands, and three invented companies. */
const SAMPLE = '/prospects-sample.csv';

/** A link to a short list that can be imported as it is. */
export const SampleLink = () => (
  <a href={SAMPLE} download={DATA_MESSAGES.prospects.sampleName} className={styles.link}>
    {DATA_MESSAGES.prospects.sample}
  </a>
);
