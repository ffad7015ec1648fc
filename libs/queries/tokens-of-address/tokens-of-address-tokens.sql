-- One row of each token that the next rows are of: those in doubt are skipped together.
SELECT {columns}
FROM balances_by_value
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND standard = {standard:UInt8}
  AND (value < {value:UInt256} OR (value = {value:UInt256} AND ordinal < {ordinal:UInt64}))
  AND position >= {knownFrom:UInt64}
ORDER BY holder, standard, value DESC, ordinal DESC, token, part, tokenId
LIMIT 1 BY holder, standard, token
LIMIT {rowsMax:UInt64}
