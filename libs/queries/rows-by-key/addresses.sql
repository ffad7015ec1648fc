-- Printed from its declaration: npm run print
SELECT {columns}
FROM address_state
WHERE address IN (SELECT toFixedString(unhex(arrayJoin({keys:Array(String)})), 20))
LIMIT {rowsMax:UInt64}
