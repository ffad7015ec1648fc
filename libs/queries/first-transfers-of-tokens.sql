-- Printed from its declaration: npm run print
SELECT {columns}
FROM transfers_by_token
WHERE token IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
ORDER BY blockNumber DESC, logIndex DESC, batchIndex DESC
LIMIT {rowsMax:UInt64} BY token
