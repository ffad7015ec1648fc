-- Printed from its declaration: npm run print
SELECT {columns}
FROM balances
WHERE holder IN (SELECT toFixedString(unhex(arrayJoin({subjects:Array(String)})), 20))
  AND position >= {knownFrom:UInt64}
LIMIT {rowsMax:UInt64} BY holder
