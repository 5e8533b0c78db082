import type { ComponentProps } from 'react';
import styles from './card-form.module.css';

/** Renders the form of a visitor's page: fields in one column, with higher controls than in the workspace. */
export function CardForm({ help, children, ...form }: ComponentProps<'form'> & { readonly help?: string }) {
  return (
    <form {...form} className={`stack-wide ${styles.form}`} noValidate>
      {help === undefined ? null : <p className="note">{help}</p>}
      {children}
    </form>
  );
}
