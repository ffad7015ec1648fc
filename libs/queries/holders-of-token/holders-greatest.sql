-- No living row of the band has more than this one, which may be an old version or a tombstone:
-- it is no holder, only a bound. Whatever list it leads to is checked against all versions.
SELECT {columns}
FROM holders
WHERE token = toFixedString(unhex({token:String}), 20)
  AND band = {band:UInt16}
  AND position >= {knownFrom:UInt64}
ORDER BY value DESC
LIMIT {rowsMax:UInt64}
