import styles from './tag.module.css';

interface Props {
  readonly label: string;
  /** The number of its colour; 0: grey. */
  readonly colour: number;
}

/** Shows a tag of a company, in its colour. */
export const Tag = ({ label, colour }: Props) => (
  <span className={styles.tag} data-colour={colour} title={label}>
    <bdi className="cut">{label}</bdi>
  </span>
);
