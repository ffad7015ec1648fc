-- Printed from its declaration: npm run print
SELECT {columns}
FROM logs_by_transaction
WHERE transactionHash IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 32))
ORDER BY logIndex
LIMIT {rowsMax:UInt64} BY transactionHash
SETTINGS max_bytes_to_sort = 67108864
