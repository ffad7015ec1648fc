import { join } from 'node:path'
import type { Settings } from '../../../libs/settings/settings.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { demoUrl } from '../../demo-chain/demo-url.ts'
import type { AuditFigures } from '../auditing/audit-figures.ts'
import { sourceForm } from '../process/check-start.ts'
import { startAuditing } from '../start-auditing.ts'

interface AuditOwnNodeOptions
  extends Omit<Parameters<typeof startAuditing>[0], 'url' | 'settings' | 'figures'> {
  readonly settings: Settings
  /** The data folder, absolute. */
  readonly folder: string
  /** Null without `--audit`. */
  readonly figures: AuditFigures | null
}

/** Compares what `up` shows with the node that it indexes, until it is stopped. */
export function auditOwnNode({ folder, figures, ...auditing }: AuditOwnNodeOptions): void {
  if (figures === null) return
  const { source } = auditing.settings
  const url = sourceForm(source).kind === 'demo' ? demoUrl(join(folder, 'demo')) : source
  if (url === null) throw new StartupError('The demo chain has no address to be audited at.')
  startAuditing({ ...auditing, figures, url })
}
