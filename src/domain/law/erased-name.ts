/** Shown instead of an erased company's name. */
export const ERASED_NAME = '（消去済み）';
