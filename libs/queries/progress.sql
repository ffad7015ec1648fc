SELECT group, blockNumber, blockHash, timestamp, knownFrom, position, isDeleted
FROM progress
WHERE group IN (SELECT arrayJoin({groups:Array(String)}))
LIMIT {rowsMax:UInt64}
