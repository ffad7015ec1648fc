-- Printed from its declaration: npm run print
SELECT {columns}
FROM transfers_by_transaction
WHERE transactionHash IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 32))
ORDER BY logIndex, batchIndex DESC
LIMIT {rowsMax:UInt64} BY transactionHash
