-- Skips tombstones, and what was not observed of tokens in doubt: neither column is of the key, so
-- each row is checked against all versions of its key (tokens-of-address-versions.sql).
SELECT {columns}
FROM balances_by_value
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND standard = {standard:UInt8}
  AND (value < {value:UInt256} OR (value = {value:UInt256} AND ordinal < {ordinal:UInt64}))
  AND isDeleted = 0
  AND (observedAt > 0 OR NOT has({hidden:Array(String)}, lower(hex(token))))
  AND position >= {knownFrom:UInt64}
ORDER BY holder, standard, value DESC, ordinal DESC, token, part, tokenId
LIMIT {rowsMax:UInt64}
