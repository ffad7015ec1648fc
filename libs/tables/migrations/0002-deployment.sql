CREATE TABLE deployment (
  `id` String,
  `chainId` UInt64,
  `at` DateTime64(6) DEFAULT now64(6)
)
ENGINE = MergeTree
ORDER BY (`at`, `id`)
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1;
