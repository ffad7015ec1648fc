SELECT {columns}
FROM signatures
WHERE selector IN (SELECT unhex(arrayJoin({selectors:Array(String)})))
ORDER BY selector, since, form
LIMIT {perSelectorMax:UInt64} BY selector
LIMIT {rowsMax:UInt64}
