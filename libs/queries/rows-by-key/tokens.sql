-- Printed from its declaration: npm run print
SELECT {columns}
FROM token_state
WHERE token IN (SELECT toFixedString(unhex(arrayJoin({keys:Array(String)})), 20))
LIMIT {rowsMax:UInt64}
