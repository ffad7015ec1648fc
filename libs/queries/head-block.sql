-- The key read backwards.
SELECT number, hash, parentHash, timestamp, transactionsCount, gasUsed, baseFeePerGas, position,
  isDeleted
FROM blocks
WHERE number < {number:UInt64}
ORDER BY number DESC
LIMIT {rowsMax:UInt64}
