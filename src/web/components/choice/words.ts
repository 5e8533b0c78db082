/** The texts of the box that chooses a tag. */
export const TAG_BOX_MESSAGES = {
  search: 'タグを探す',
  searchOrMake: 'タグを探す・作る',
  make: (label: string) => `「${label}」を作る`,
  none: '選べるタグはありません',
  noMatch: '一致するタグはありません',
} as const;
