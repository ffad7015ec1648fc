-- Printed from its declaration: npm run print
SELECT {columns}
FROM transactions_by_address
PREWHERE address IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
ORDER BY blockNumber DESC, index DESC, hash DESC
LIMIT {rowsMax:UInt64} BY address, side
SETTINGS max_bytes_to_sort = 67108864
