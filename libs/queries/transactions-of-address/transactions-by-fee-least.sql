-- In key order, which has the oldest first within one fee, while the list has the newest first:
-- the reader reverses complete groups, and reads a group that a fetch splits in reverse order.
-- In key order ClickHouse reads far ahead unless max_block_size is small.
SELECT {columns}
FROM transactions_by_fee
PREWHERE address = toFixedString(unhex({address:String}), 20)
  AND side = {side:UInt8}
  AND fee >= {least:UInt256}
ORDER BY address, side, fee, blockNumber, index, hash
LIMIT {rowsMax:UInt64}
SETTINGS max_block_size = 1024
