import { createHash } from 'node:crypto'

const hexOf = (text: string, bytes: number) =>
  `0x${createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, bytes * 2)}`

/** Subjects of the uniform tables, by their number. */
export const addressHash = (index: number) => hexOf(`address${index}`, 20)
export const tokenHash = (index: number) => hexOf(`token${index}`, 20)
export const transactionHash = (index: number) => hexOf(`transaction${index}`, 32)
