import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import styles from './sample-link.module.css';

/** A file in src/web/public with the headings that an import understands, and three invented companies. */
const SAMPLE = '/prospects-sample.csv';

/** Links to a short list that can be imported unchanged. */
export const SampleLink = () => (
  <a href={SAMPLE} download={DATA_MESSAGES.prospects.sampleName} className={styles.link}>
    {DATA_MESSAGES.prospects.sample}
  </a>
);
