import { create } from 'zustand';

/** The colour scheme and the row height, which this browser stores for all its users. */

export const SCHEMES = ['system', 'light', 'dark'] as const;
export const ROW_HEIGHTS = ['standard', 'roomy'] as const;

export interface Appearance {
  readonly scheme: (typeof SCHEMES)[number];
  readonly rows: (typeof ROW_HEIGHTS)[number];
}

const STORED_AS = 'kaitaku-appearance';

/** Reads the stored choice. Invalid data, or no storage, result in the default. */
function readAppearance(): Appearance {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED_AS) ?? '{}') as Partial<Appearance>;
    return {
      scheme: SCHEMES.find((scheme) => scheme === stored.scheme) ?? 'system',
      rows: ROW_HEIGHTS.find((rows) => rows === stored.rows) ?? 'standard',
    };
  } catch {
    return { scheme: 'system', rows: 'standard' };
  }
}

export const useAppearance = create<Appearance>()(readAppearance);

export function setAppearance(change: Partial<Appearance>): void {
  useAppearance.setState(change);
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(useAppearance.getState()));
  } catch {
    // Without storage the choice lasts until the page closes.
  }
}

/** Sets the attributes that app.css uses, now and at each change in this tab or another. */
export function followAppearance(): void {
  const apply = ({ scheme, rows }: Appearance) => {
    document.documentElement.dataset.scheme = scheme;
    document.documentElement.dataset.rows = rows;
  };
  apply(useAppearance.getState());
  useAppearance.subscribe(apply);
  addEventListener('storage', ({ key }) => {
    if (key === STORED_AS) useAppearance.setState(readAppearance());
  });
}
