-- Balances of a holder in the given tokens.
SELECT {columns}
FROM balances
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND token IN (SELECT toFixedString(unhex(arrayJoin({tokens:Array(String)})), 20))
  AND part = {part:UInt8}
  AND position >= {knownFrom:UInt64}
LIMIT {rowsMax:UInt64}
