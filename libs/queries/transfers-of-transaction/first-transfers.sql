-- The first rows of each transaction of a page, in one query.
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash IN (SELECT toFixedString(unhex(arrayJoin({hashes:Array(String)})), 32))
ORDER BY transactionHash, logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64} BY transactionHash
