-- Where the log's last hole lies, as readers of a group's rows have to know it.
ALTER TABLE progress ADD COLUMN IF NOT EXISTS `knownFrom` UInt64 CODEC(Delta(8), LZ4) AFTER `timestamp`;
