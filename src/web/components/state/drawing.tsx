import type { ReactNode } from 'react';
import styles from './drawing.module.css';

/** The drawings of empty, finished and failed screens, 96 × 72. */
const DRAWINGS = {
  /** Two houses of a street: companies. */
  companies: (
    <>
      <path data-tone="paper" d="M22 58V26h24v32zM52 58V36h22v22z" />
      <path d="M14 58h68M29 34h3M36 34h3M29 42h3M36 42h3M59 44h3M66 44h3" />
      <path data-tone="mark" d="M30 58v-8h8v8M48 20l5-5M53 24h7M41 16V9" />
    </>
  ),
  /** A letter with its lines. */
  template: (
    <>
      <path data-tone="paper" d="M28 12h32l10 10v38H28z" />
      <path d="M60 12v10h10M36 32h18M36 40h26M36 48h20" />
      <path data-tone="mark" d="M36 24h10" />
    </>
  ),
  /** A letter on its way over furrows. */
  sends: (
    <>
      <path data-tone="paper" d="M34 14h40v27H34z" />
      <path d="m35 16 19 15 19-15" />
      <path data-tone="mark" d="M14 58c14-6 28-6 42 0M42 58c12-5 24-5 36 0M16 46c6-3 10-4 15-4M18 30h10M22 22h6" />
    </>
  ),
  /** A glass over a list: nothing was found. */
  'no-match': (
    <>
      <path data-tone="paper" d="M20 16h40v40H20z" />
      <path d="M28 26h24M28 34h12M28 42h8" />
      <circle data-tone="paper" cx="58" cy="42" r="12" />
      <path data-tone="mark" d="m67 51 10 10M54 38l8 8M62 38l-8 8" />
    </>
  ),
  /** A letter with a tick. */
  done: (
    <>
      <path data-tone="paper" d="M22 18h44v30H22z" />
      <path d="m23 20 21 16 21-16" />
      <circle data-tone="paper" cx="66" cy="48" r="12" />
      <path data-tone="mark" d="m60 48 4 4 8-8" />
    </>
  ),
  /** A torn letter. */
  failed: (
    <>
      <path data-tone="paper" d="M24 16h48v22l-8-5-9 8-9-7-9 7-7-5-6 4z" />
      <path d="M24 46l6-4 7 5 9-7 9 7 9-8 8 5v14H24z" />
      <path data-tone="mark" d="M42 22h12M48 26v2" />
    </>
  ),
  /** A lock. */
  'not-allowed': (
    <>
      <path data-tone="paper" d="M32 32h32v26H32z" />
      <path d="M38 32v-7a10 10 0 0 1 20 0v7" />
      <path data-tone="mark" d="M48 42v6" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type DrawingName = keyof typeof DRAWINGS;

/** Shows a drawing beside one sentence and one action. */
export const Drawing = ({ name }: { readonly name: DrawingName }) => (
  <svg className={styles.drawing} width="96" height="72" viewBox="0 0 96 72" aria-hidden="true">
    <ellipse data-tone="ground" cx="48" cy="40" rx="44" ry="28" />
    {DRAWINGS[name]}
  </svg>
);
