import { metricRows as rows } from '../../libs/signals/metric-rows.ts'
import type { Panel } from './dashboard.ts'
import { ofProcesses, series } from './expressions.ts'

/** Volumes, restarts, processor and memory, by command. */
export const panelsOfProcesses: readonly Panel[] = [
  {
    title: 'Free space of volumes',
    description: 'Space that the volume of each data folder has left.',
    unit: 'bytes',
    lines: {
      '{{command}} {{instance}}':
        `${series(rows.volumeAvailable)} * ignoring (command, version) ` +
        `group_left (command) ${series(rows.buildInfo)}`,
    },
  },
  {
    title: 'Uptime',
    description: 'Time since the start of each process; a line that falls to zero is a restart.',
    unit: 's',
    lines: {
      '{{command}} {{instance}}': `time() - ${ofProcesses('process_start_time_seconds')}`,
    },
  },
  {
    title: 'Processor',
    description: 'Seconds of processor time per second; one process uses one core at most.',
    unit: 'percentunit',
    lines: {
      '{{command}} {{instance}}': ofProcesses('process_cpu_seconds_total', '$__rate_interval'),
    },
  },
  {
    title: 'Event loop lag',
    description: 'The 99th percentile, near the duration of the longest work without a pause.',
    unit: 's',
    lines: {
      '{{command}} {{instance}}': ofProcesses('nodejs_eventloop_lag_p99_seconds'),
    },
  },
  {
    title: 'Memory',
    description: 'Resident memory of each process.',
    unit: 'bytes',
    lines: {
      '{{command}} {{instance}}': ofProcesses('process_resident_memory_bytes'),
    },
  },
]
