-- For a band too large to read as a whole: ClickHouse sorts it. Value, isDeleted and observedAt are not key
-- columns, so a row that the subquery finds is checked against all versions of its key, which this
-- statement returns; one that is not the newest is dropped, as its key is elsewhere in the list or
-- deleted. Granules whose values are all below `least` are skipped.
-- Both read the same parts: else a row that the outer one does not have yet would look like the
-- end of the band.
SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND band = {band:UInt16}
  AND (holder, part, tokenId) IN (
    SELECT holder, part, tokenId
    FROM holders
    WHERE token = toFixedString(unhex({token:String}), 20)
      AND band = {band:UInt16}
      AND isDeleted = 0
      AND observedAt >= {shownSince:UInt64}
      AND value >= {least:UInt256}
      AND (value < {value:UInt256} OR (value = {value:UInt256}
        AND (holder < toFixedString(unhex({holder:String}), 20)
          OR (holder = toFixedString(unhex({holder:String}), 20)
            AND (part < {part:UInt8} OR (part = {part:UInt8} AND tokenId < {tokenId:UInt256}))))))
      AND position >= {knownFrom:UInt64}
    ORDER BY value DESC, holder DESC, part DESC, tokenId DESC
    LIMIT {rowsMax:UInt64}
  )
  AND position >= {knownFrom:UInt64}
SETTINGS enable_shared_storage_snapshot_in_query = 1
