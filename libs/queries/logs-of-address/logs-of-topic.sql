-- Printed from its declaration: npm run print
SELECT {columns}
FROM logs_by_topic
WHERE address = toFixedString(unhex({address:String}), 20)
  AND topic = toFixedString(unhex({topic:String}), 32)
  AND (blockNumber < {blockNumber:UInt64} OR (blockNumber = {blockNumber:UInt64} AND logIndex < {logIndex:UInt32}))
ORDER BY address DESC, topic DESC, blockNumber DESC, logIndex DESC
LIMIT {rowsMax:UInt64}
