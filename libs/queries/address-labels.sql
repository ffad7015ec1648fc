SELECT address, kind, fact, position, isDeleted
FROM address_labels
WHERE address IN (SELECT toFixedString(unhex(arrayJoin({addresses:Array(String)})), 20))
LIMIT {rowsMax:UInt64}
