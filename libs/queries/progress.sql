SELECT group, blockNumber, blockHash, timestamp, knownFrom, logHash, position, isDeleted
FROM progress
WHERE group IN (SELECT arrayJoin({groups:Array(String)}))
LIMIT {rowsMax:UInt64}
