-- Printed from its declaration: npm run print
SELECT {columns}
FROM balances_by_value
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND standard = {standard:UInt8}
  AND (value < {value:UInt256} OR (value = {value:UInt256} AND ordinal < {ordinal:UInt64}))
  AND position >= {knownFrom:UInt64}
ORDER BY holder, standard, value DESC, ordinal DESC, token, part, tokenId
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
