/** Requests with this id are counted by the process of the API: hits and misses. */
export const countedId = 'counted-by-the-benchmark'
