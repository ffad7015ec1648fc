-- The first transfer of each token after a place, in the order of the list. Old versions and
-- tombstones are included: the transfers of these tokens are checked against all versions.
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash = toFixedString(unhex({transactionHash:String}), 32)
  AND logIndex >= {logIndex:UInt32}
  AND (logIndex > {logIndex:UInt32} OR batchIndex < {batchIndex:UInt32})
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT 1 BY token
LIMIT {rowsMax:UInt64} OFFSET {skipped:UInt64}
