-- Printed from its declaration: npm run print
SELECT {columns}
FROM logs_by_address
WHERE address IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
ORDER BY blockNumber DESC, logIndex DESC
LIMIT {rowsMax:UInt64} BY address
SETTINGS max_bytes_to_sort = 67108864
