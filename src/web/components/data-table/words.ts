/** The texts of the edges of headers, which load after the rows. */
export const EDGE_MESSAGES = {
  at: (column: string, width: number) => `${column}の幅 ${width}ピクセル（Enterで変更）`,
  takenAt: (column: string, width: number) => `${column}の幅 ${width}ピクセル（←→で変更中）`,
} as const;
