-- All that a holder of few tokens holds; the reader leaves out what was not asked for.
-- Forwards the engine reads far ahead unless its blocks are small.
SELECT {columns}
FROM balances
WHERE holder = toFixedString(unhex({holder:String}), 20)
  AND position >= {knownFrom:UInt64}
ORDER BY holder, token, part, tokenId
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
