/** Converts a boolean to a flag of the API. */
export const asFlag = (value: boolean): 0 | 1 => (value ? 1 : 0);
