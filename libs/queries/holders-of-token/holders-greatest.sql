-- An upper bound of the values of the band: the row may be an old version or a tombstone. The rows
-- that are read with this bound are checked against all versions.
SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND band = {band:UInt16}
  AND position >= {knownFrom:UInt64}
ORDER BY value DESC
LIMIT {rowsMax:UInt64}
