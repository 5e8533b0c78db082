/** Returns the path of a company. A route passes it in. */
export type PathOf = (id: number) => string;
