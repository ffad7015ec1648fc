import { connectionsWithin, openFilesMax } from '../../../../libs/adapters/uws/open-connections.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'

/**
 * The setting, if this process may have as many files open; undefined if it is not set.
 * @throws StartupError with both ways out, otherwise
 */
export function allowedConnections(
  { connectionsMax }: { readonly connectionsMax: number | null },
  openFiles = openFilesMax(),
): number | undefined {
  if (connectionsMax === null) return undefined
  const allowed = connectionsWithin(openFiles)
  if (connectionsMax <= allowed) return connectionsMax
  throw new StartupError(
    `Foldscan may have ${openFiles} files open, too few for ${connectionsMax} connections. Raise ` +
      `the open-file limit (ulimit -n), or lower --connections-max to ${allowed} or less.`,
  )
}
