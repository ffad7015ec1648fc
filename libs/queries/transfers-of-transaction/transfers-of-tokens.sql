-- Skips the transfers of other tokens, of which a transaction may have hundreds of thousands; each
-- row is checked against all versions of its key (transfers-of-transaction-versions.sql).
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash = toFixedString(unhex({transactionHash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
  AND (logIndex > {logIndex:UInt32} OR batchIndex < {batchIndex:UInt32})
  AND logIndex <= {untilLogIndex:UInt32}
  AND (logIndex < {untilLogIndex:UInt32} OR batchIndex > {untilBatchIndex:UInt32})
  AND token IN (SELECT toFixedString(unhex(arrayJoin({tokens:Array(String)})), 20))
  AND isDeleted = 0
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64}
