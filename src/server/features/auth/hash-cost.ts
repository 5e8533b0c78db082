/**
 * OWASP's minimum for argon2id; the memory is in KiB. Each PHC string has its own parameters, so old hashes stay valid
 * if these rise. A file of its own, so that tests can spare the cost (test/setup.ts).
 */
export const HASH_COST = { memory: 47_104, passes: 1, parallelism: 1 };
