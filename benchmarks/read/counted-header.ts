/** Requests with this header are counted by the process of the API: hits and misses. */
export const countedHeader = 'x-counted'
