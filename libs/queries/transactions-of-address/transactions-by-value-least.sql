-- Forwards. Inside one value the list wants the newest first, which this cannot give: the reader
-- turns whole groups round, and reads the group that a fetch cuts backwards.
-- Forwards the engine reads far ahead unless its blocks are small.
SELECT {columns}
FROM transactions_by_value
WHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND value >= {least:UInt256}
ORDER BY address, side, value, blockNumber, index, hash
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
