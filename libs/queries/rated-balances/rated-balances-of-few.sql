-- All balances of a holder of few tokens; the reader drops those of other tokens.
-- In key order ClickHouse reads far ahead unless max_block_size is small.
SELECT {columns}
FROM balances
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND position >= {knownFrom:UInt64}
ORDER BY holder, token, part, tokenId
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
