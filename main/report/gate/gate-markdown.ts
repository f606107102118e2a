import { md, mdTable } from '../markdown/markdown-text.ts'
import { gateHeadline, STATE_NAMES, type GateCheck } from './gate.ts'

/** The result of a gate as Markdown, such as for the summary of a build. */
export const gateMarkdown = (title: string, checks: readonly GateCheck[]): string =>
  [
    `## ${md(title)}`,
    '',
    `${md(gateHeadline(checks))}.`,
    '',
    ...mdTable(
      ['', 'dataset', 'approach', 'state', 'what was found'],
      checks.map(({ dataset, model, passed, state, sentence }) => [
        passed ? '●' : '▲',
        md(dataset),
        md(model),
        STATE_NAMES[state],
        md(sentence),
      ]),
      new Set(),
    ),
    '',
  ].join('\n')
