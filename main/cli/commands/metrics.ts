import { ASKED_FIGURES } from '../../../contract/asked-figures.ts'
import { METRICS } from '../../../contract/metrics/metrics.ts'
import { ROUTING } from '../../../contract/routing.ts'
import { wrap } from '../../lib/text/terminal-text.ts'
import { EXIT, type Command } from '../command.ts'
import { outputColumns } from '../progress/render-line.ts'

const NARROWEST = 40

/** A command that prints entries of a heading and a text, as wide as the terminal. */
const glossary = (name: string, entries: readonly { heading: string; text: string }[]): Command => ({
  name,
  options: {},
  run: ({ stdout, env }) => {
    const columns = Math.max(NARROWEST, outputColumns(stdout, env))
    const shown = entries.map(({ heading, text }) =>
      [heading, ...wrap(text, columns - 2).map((line) => `  ${line}`)].join('\n'),
    )
    stdout.write(`${shown.join('\n\n')}\n`)
    return Promise.resolve(EXIT.ok)
  },
})

export const metricsCommand = glossary(
  'metrics',
  [...METRICS, ...ASKED_FIGURES].map(({ id, label, definition }) => ({
    heading: `${label} (${id})`,
    text: definition,
  })),
)

export const routesCommand = glossary(
  'routes',
  ROUTING.map(({ route, approach, evidence }) => ({ heading: `${route} → ${approach}`, text: evidence })),
)
