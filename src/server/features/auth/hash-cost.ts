/**
 * OWASP's minimum for argon2id; the memory is in KiB. Each PHC string has its own parameters, so old hashes stay valid
 * if these rise. Tests replace this file to save the cost (test/setup.ts).
 */
export const HASH_COST = { memory: 47_104, passes: 1, parallelism: 1 };
