import { ASKED_FIGURES } from '../../../contract/asked-figures.ts'
import { METRICS } from '../../../contract/metrics/metrics.ts'
import { wrap } from '../../lib/text/terminal-text.ts'
import { EXIT, type Command } from '../command.ts'
import { outputColumns } from '../progress/render-line.ts'

const NARROWEST = 40

export const metricsCommand: Command = {
  name: 'metrics',
  options: {},
  run: ({ stdout, env }) => {
    const columns = Math.max(NARROWEST, outputColumns(stdout, env))
    const entries = [...METRICS, ...ASKED_FIGURES].map(({ id, label, definition }) =>
      [`${label} (${id})`, ...wrap(definition, columns - 2).map((line) => `  ${line}`)].join('\n'),
    )
    stdout.write(`${entries.join('\n\n')}\n`)
    return Promise.resolve(EXIT.ok)
  },
}
