import pg from 'pg'

/** Statistics and visibility maps, as a database has that is not new. */
const client = new pg.Client({ connectionString: process.env.PEER_DATABASE })
await client.connect()
await client.query('VACUUM ANALYZE')
await client.end()
