-- Whole bands in key order, greatest first, without most of the tombstones, as of the largest
-- holders of a token that trade each day. A row that the subquery finds is checked against all
-- versions of its key, which this statement returns.
-- In key order ClickHouse reads far ahead unless max_block_size is small. Both read the same parts.
SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND (band, holder, part, tokenId) IN (
    SELECT band, holder, part, tokenId
    FROM holders
    WHERE token = toFixedString(unhex({token:String}), 20)
      AND band <= {band:UInt16}
      AND isDeleted = 0
      AND observedAt >= {shownSince:UInt64}
      AND position >= {knownFrom:UInt64}
    ORDER BY token, band DESC, holder DESC, part, tokenId DESC
    LIMIT {rowsMax:UInt64}
  )
  AND position >= {knownFrom:UInt64}
SETTINGS max_block_size = 1024, enable_shared_storage_snapshot_in_query = 1
