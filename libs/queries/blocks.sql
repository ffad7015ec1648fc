SELECT number, hash, parentHash, timestamp, transactionsCount, gasUsed, baseFeePerGas, position,
  isDeleted
FROM blocks
WHERE number IN (SELECT arrayJoin({numbers:Array(UInt64)}))
LIMIT {rowsMax:UInt64}
