-- Printed from its declaration: npm run print
SELECT {columns}
FROM transactions
PREWHERE hash IN (SELECT toFixedString(unhex(arrayJoin({keys:Array(String)})), 32))
LIMIT {rowsMax:UInt64}
