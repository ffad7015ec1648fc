/**
 * The rows of a subject; null if it is unknown. A flush writes what proves that a subject exists
 * after all rows that belong to it: an empty list is known to be one only if it was read after
 * that. Rows prove the subject themselves, so that most pages need no other query.
 */
export async function rowsOfKnown<R>(
  read: () => Promise<readonly R[]>,
  isKnown: () => Promise<boolean>,
): Promise<readonly R[] | null> {
  const rows = await read()
  if (rows.length > 0) return rows
  return (await isKnown()) ? await read() : null
}
