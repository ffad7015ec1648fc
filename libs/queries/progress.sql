SELECT {columns}
FROM progress
WHERE group IN (SELECT arrayJoin({groups:Array(String)}))
LIMIT {rowsMax:UInt64}
