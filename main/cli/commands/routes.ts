import { ROUTING } from '../../../contract/routing.ts'
import { wrap } from '../../lib/text/terminal-text.ts'
import { EXIT, type Command } from '../command.ts'
import { outputColumns } from '../progress/render-line.ts'

const NARROWEST = 40

export const routesCommand: Command = {
  name: 'routes',
  options: {},
  run: ({ stdout, env }) => {
    const columns = Math.max(NARROWEST, outputColumns(stdout, env))
    const entries = ROUTING.map(({ route, approach, evidence }) =>
      [`${route} → ${approach}`, ...wrap(evidence, columns - 2).map((line) => `  ${line}`)].join('\n'),
    )
    stdout.write(`${entries.join('\n\n')}\n`)
    return Promise.resolve(EXIT.ok)
  },
}
