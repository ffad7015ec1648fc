-- The first rows of each transaction of a page, in one asking.
SELECT
  transactionHash, logIndex, batchIndex, token, blockNumber, blockHash, timestamp, "from", "to", form,
  tokenId, value, batchSize, method, recipient, position, isDeleted
FROM transfers_by_transaction
WHERE transactionHash IN (SELECT toFixedString(unhex(arrayJoin({hashes:Array(String)})), 32))
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64} BY transactionHash
